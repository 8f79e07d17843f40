package io.zerorename.core.log;

import static java.util.Objects.requireNonNull;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Path;

/**
 * An entry of the {@link CommitLog}: in one document the decision about a job, its plan, and its
 * place in the order of the destination's jobs.
 *
 * @param number its place
 * @param writeId distinguishes this write from any other of the same number, so that a process
 *     whose answer was lost knows its own entry
 * @param job that is decided
 * @param scope the directories in which its files lie, or some that contain these
 * @param replaces the directories whose files it replaces, with all that is below them
 * @param follows numbers of earlier entries that it finalizes in those directories
 * @param open numbers of the lower entries that had not ended when it was decided
 * @param chunks the documents of the plan, in order
 * @param embedded the last chunk, where the entry itself holds it
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
    List<Document> chunks,
    Optional<PlanChunk> embedded) {

  public LogEntry {
    requireNonNull(kind, "kind");
    requireNonNull(writeId, "writeId");
    requireNonNull(job, "job");
    scope = List.copyOf(scope);
    replaces = List.copyOf(replaces);
    follows = Collections.unmodifiableSortedSet(new TreeSet<>(follows));
    open = Collections.unmodifiableSortedSet(new TreeSet<>(open));
    chunks = List.copyOf(chunks);
    requireNonNull(embedded, "embedded");
  }

  /** Whether it decides a job, for it or against it. */
  boolean decides(String jobId) {
    return job.id().equals(jobId);
  }

  /** Whether it has a plan; one that decides against its job has none. */
  public boolean hasPlan() {
    return !chunks.isEmpty() || embedded.isPresent();
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
