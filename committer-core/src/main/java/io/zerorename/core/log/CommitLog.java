package io.zerorename.core.log;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.manifest.MalformedManifestException;
import io.zerorename.core.records.RecordStore;
import io.zerorename.core.store.StoreException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The commit log of one destination: numbered entries, each of them written once. The entry of a
 * job is its decision, its plan and its place in the order of all jobs, in one conditional request.
 * {@link EntryNames} shows what lies where; the protocol page says why.
 */
public final class CommitLog {
  /** An entry is not written later than this after the listing that found its number. */
  private static final Duration LONGEST_DECISION = Duration.ofDays(1);

  private static final int ATTEMPTS = 3;

  private final RecordStore records;

  CommitLog(RecordStore records) {
    this.records = requireNonNull(records, "records");
  }

  /** The newest entries. One request. */
  public LogTail tail() throws IOException {
    return LogTail.read(records, Optional.empty());
  }

  /**
   * The newest entries, and all since a time. One request per 1,000 records.
   *
   * @param begun when a job was set up, of which it is not known whether it is decided
   */
  public LogTail tailSince(Instant begun) throws IOException {
    return LogTail.read(records, Optional.of(begun));
  }

  /**
   * An entry; empty where the number is free. One request.
   *
   * @throws MalformedManifestException where it is damaged, or of another version
   */
  public Optional<LogEntry> read(long number) throws IOException {
    String name = EntryNames.entry(number);
    Optional<byte[]> document = records.get(name);
    return document.isPresent()
        ? Optional.of(EntryJson.read(document.get(), number, records.locate(name)))
        : Optional.empty();
  }

  /**
   * The entry that has decided a job, among those of a tail. One request for it, and one for each
   * entry that has not ended.
   */
  public Optional<LogEntry> find(String jobId, LogTail tail) throws IOException {
    OptionalLong ended = tail.ended(jobId);
    if (ended.isPresent()) {
      return read(ended.getAsLong());
    }
    for (long number : tail.notEnded()) {
      Optional<LogEntry> entry = read(number);
      if (entry.filter(it -> it.decides(jobId)).isPresent()) {
        return entry;
      }
    }
    return Optional.empty();
  }

  /**
   * Decides a job at the first free number. It waits for nobody: a number that another job has
   * taken costs one request to read it and one to try the next.
   *
   * @param tail in which no entry of the job was found
   * @return the entry that decides the job: the draft's, or that of an earlier decider, whose
   *     {@link LogEntry#writeId} is another
   * @throws IOException where it is not known whether the job was decided; {@link #decideAgainst}
   *     settles that
   */
  public LogEntry decide(EntryDraft draft, LogTail tail) throws IOException {
    SortedSet<Long> follows = new TreeSet<>(draft.follows());
    for (long number = tail.highest() + 1; ; number++) {
      LogEntry there = write(draft, number, follows, tail);
      if (there.decides(draft.job().id())) {
        return there;
      }
      if (there.overlaps(draft.replaces())) {
        follows.add(number);
        follows.addAll(there.follows());
      }
    }
  }

  /**
   * Decides that a job never commits, unless it is decided. It also settles an attempt to decide
   * whose answer was lost: what was sent for a number cannot win that number any more.
   *
   * @param tail that the attempt began with
   * @return the entry that decides the job
   */
  public LogEntry decideAgainst(OutputJob job, LogTail tail) throws IOException {
    return decide(EntryDraft.against(job), tail);
  }

  /**
   * Writes an entry by which this process executes another, whose executor has gone or has left it.
   *
   * @return this process' own entry
   */
  public LogEntry resume(LogEntry target, Duration window, LogTail tail) throws IOException {
    EntryDraft draft = EntryDraft.resuming(target, window);
    for (long number = tail.highest() + 1; ; number++) {
      LogEntry there = write(draft, number, draft.follows(), tail);
      if (there.writeId().equals(draft.writeId())) {
        return there;
      }
    }
  }

  /**
   * Writes down that this process has ended the execution of its own entry: it has no request under
   * way. One request; repeated it changes nothing.
   */
  public void end(LogEntry entry, Ending ending) throws IOException {
    records.putIfAbsent(
        EntryNames.marker(
            new EntryNames.Marker(
                entry.number(), ending, entry.lowest(), entry.target(), entry.job().id())),
        new byte[0]);
  }

  /**
   * Writes an entry unless its number is taken.
   *
   * @return what is there: the draft's entry, or another
   */
  private LogEntry write(EntryDraft draft, long number, SortedSet<Long> follows, LogTail tail)
      throws IOException {
    String name = EntryNames.entry(number);
    for (int attempt = 1; ; attempt++) {
      Instant now = records.now();
      if (now.isAfter(tail.listed().plus(LONGEST_DECISION))) {
        throw new IOException(
            "The log "
                + records.locate(EntryNames.LOG)
                + " was listed at "
                + tail.listed()
                + ", more than a day ago, so that entry "
                + number
                + " may be one that was deleted. "
                + draft.job().description()
                + " is not committed; run it again.");
      }
      LogEntry entry = draft.at(number, follows, tail.lowest(), now);
      try {
        if (records.putIfAbsent(name, EntryJson.write(entry), now)) {
          return entry;
        }
        return read(number)
            .orElseThrow(
                () ->
                    new IOException(
                        "Entry "
                            + records.locate(name)
                            + " was there and is gone: something deletes the committer's"
                            + " records"));
      } catch (StoreException e) {
        if (e.kind() != StoreException.Kind.AMBIGUOUS) {
          throw e;
        }
        // The entry may be there, or come yet: its number tells.
        Optional<LogEntry> there = read(number);
        if (there.isPresent()) {
          return there.get();
        }
        if (attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }
}
