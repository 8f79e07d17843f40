package io.zerorename.core.log;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** The documents of a plan that was written down: in memory, or read whenever needed. */
public final class LoggedParts implements CommitPlan.Parts {
  /** Reads one document. */
  @FunctionalInterface
  public interface Reader {
    PlanPart read(Proposal.Part part) throws IOException;
  }

  private final List<Proposal.Part> documents;
  private final KeptParts kept;
  private final Reader reader;

  public LoggedParts(List<Proposal.Part> documents, KeptParts kept, Reader reader) {
    this.documents = List.copyOf(documents);
    this.kept = requireNonNull(kept, "kept");
    this.reader = requireNonNull(reader, "reader");
  }

  @Override
  public int count() {
    return documents.size();
  }

  @Override
  public PlanPart get(int index) throws IOException {
    Optional<PlanPart> inMemory = kept.get(index);
    return inMemory.isPresent() ? inMemory.get() : reader.read(documents.get(index));
  }

  @Override
  public void release() {
    kept.release();
  }
}
