package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.util.Optional;

/** A decision among a job's records. */
final class RecordedDecision implements DecisionLog {
  static final String NAME = "decision.json";

  private final RecordStore records;

  RecordedDecision(RecordStore records) {
    this.records = requireNonNull(records, "records");
  }

  @Override
  public Decision decide(Decision proposal) throws IOException {
    if (records.putIfAbsent(NAME, DecisionJson.write(proposal))) {
      return proposal;
    }
    return read()
        .orElseThrow(
            () ->
                new IOException(
                    "The decision "
                        + location()
                        + " was there, and is gone: somebody deletes the committer's records"));
  }

  @Override
  public Optional<Decision> read() throws IOException {
    Optional<byte[]> document = records.get(NAME);
    return document.isPresent()
        ? Optional.of(DecisionJson.read(document.get(), location()))
        : Optional.empty();
  }

  @Override
  public String location() {
    return records.locate(NAME);
  }
}
