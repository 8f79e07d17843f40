package io.zerorename.core.log;

import io.zerorename.core.document.VersionedJson;
import io.zerorename.core.recordstore.ObjectRecords;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Path;

/**
 * An entry of the {@link CommitLog}: in one document the decision about a job, its plan, and its
 * place in the order of the destination's jobs.
 *
 * @param number its place; 0 of a draft, which has none yet
 * @param writeId distinguishes this write from any other of the same number, so that a process
 *     whose answer was lost knows its own entry
 * @param job that is decided
 * @param scope the directories in which its files lie, or some that contain these
 * @param replaces the directories whose files it replaces, with all that is below them
 * @param follows numbers of earlier entries that it finalizes in those directories
 * @param open numbers of the lower entries that had not ended when it was decided
 * @param chunks the names of the documents of the plan, which have their hashes
 * @param embedded the last chunk of the plan; it may be empty
 */
public record LogEntry(
    long number,
    EntryKind kind,
    String writeId,
    OutputJob job,
    List<Path> scope,
    List<Path> replaces,
    SortedSet<Long> follows,
    SortedSet<Long> open,
    List<String> chunks,
    PlanChunk embedded) {
  static final VersionedJson JSON =
      new VersionedJson(
          "entry of the commit log",
          7,
          "Nothing was changed by reading it. Keep it: it says what a job has to do.");

  public LogEntry {
    scope = List.copyOf(scope);
    replaces = List.copyOf(replaces);
    follows = Collections.unmodifiableSortedSet(new TreeSet<>(follows));
    open = Collections.unmodifiableSortedSet(new TreeSet<>(open));
    chunks = List.copyOf(chunks);
  }

  /** A draft of an entry by which a job can never commit. */
  static LogEntry against(OutputJob job) {
    return new LogEntry(
        0,
        EntryKind.VOID,
        UUID.randomUUID().toString(),
        job,
        List.of(),
        List.of(),
        new TreeSet<>(),
        new TreeSet<>(),
        List.of(),
        PlanChunk.EMPTY);
  }

  LogEntry at(long place, SortedSet<Long> allFollowed, SortedSet<Long> allOpen) {
    return new LogEntry(
        place, kind, writeId, job, scope, replaces, allFollowed, allOpen, chunks, embedded);
  }

  /** As {@link CommitLog#read(long)}. */
  static Optional<LogEntry> find(long number, ObjectRecords records) throws IOException {
    String name = EntryNames.entry(number);
    Optional<byte[]> document = records.get(name);
    if (document.isEmpty()) {
      return Optional.empty();
    }
    String where = records.locate(name);
    LogEntry entry = JSON.read(document.get(), where, LogEntry.class);
    if (entry.number != number) {
      throw JSON.malformed(where, "it says that its number is " + entry.number);
    }
    SortedSet<Long> lower = new TreeSet<>(entry.follows);
    lower.addAll(entry.open);
    for (long earlier : lower) {
      if (earlier < 1 || earlier >= number) {
        throw JSON.malformed(where, "it names " + earlier + ", no earlier entry");
      }
    }
    return Optional.of(entry);
  }

  /** Whether it decides a job, for it or against it, or commits the run to which that belongs. */
  boolean decides(OutputJob other) {
    return Marker.of(this, "", EntryState.OPEN).decides(other);
  }

  /** The directories whose files it replaces. */
  public DirectorySet replaced() {
    return new DirectorySet(replaces);
  }

  /** In a person's words. */
  public String description() {
    return "entry " + number + " (" + kind + ", " + job.description() + ")";
  }

  /** Whether all that it may change lies in some directories. */
  public boolean isInside(DirectorySet directories) {
    return Stream.concat(scope.stream(), replaces.stream()).allMatch(directories::contains);
  }

  /** Whether it may change something in some directories. */
  boolean overlaps(DirectorySet directories) {
    return Stream.concat(scope.stream(), replaces.stream()).anyMatch(directories::overlaps);
  }
}
