package io.zerorename.core.log;

import io.zerorename.core.recordstore.NotWrittenException;
import io.zerorename.core.recordstore.ObjectRecords;
import io.zerorename.core.store.StoreException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedSet;

/**
 * Writes an entry by one conditional request: this is where a job is decided. Of several processes
 * that try a number one gets it, and the others learn what is there.
 */
record EntryWrite(CommitLog log, ObjectRecords records) {
  /** An entry is not written later than this after the listing that found its number. */
  static final Duration LONGEST_DECISION = Duration.ofDays(1);

  /**
   * Writes an entry unless its number is taken.
   *
   * @param open the lower numbers that have not ended
   * @param tail that showed the number to be free
   * @return what is there: the draft's entry, or another
   * @throws NotWrittenException where it was not written, and no request is under way
   */
  LogEntry run(
      EntryDraft draft, long number, SortedSet<Long> follows, SortedSet<Long> open, LogTail tail)
      throws IOException {
    if (records.now().isAfter(tail.listed().plus(LONGEST_DECISION))) {
      throw new NotWrittenException(new IOException(tooLate(number, tail)));
    }
    LogEntry entry = draft.at(number, follows, open);
    try {
      Optional<String> etag = records.write(EntryNames.entry(number), entry.toJson());
      if (etag.isPresent()) {
        log.noteEtag(entry, etag.get());
        return entry;
      }
    } catch (StoreException e) {
      if (e.kind() != StoreException.Kind.AMBIGUOUS) {
        throw new NotWrittenException(e);
      }
      // The entry may be there, or come yet.
      return log.read(number).orElseThrow(() -> e);
    }
    return log.read(number).orElseThrow(() -> vanished(number));
  }

  private String tooLate(long number, LogTail tail) {
    return ("ZR-1208: The log %s was listed at %s, more than a day ago, so that entry %s may be one"
            + " that was deleted.")
        .formatted(log.location(), tail.listed(), number);
  }

  private IOException vanished(long number) {
    return new IOException(
        "ZR-1209: Entry %s was there and is gone: something deletes the committer's records"
            .formatted(log.location(number)));
  }
}
