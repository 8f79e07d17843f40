package io.zerorename.core.log;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What the name of a marker says of its entry.
 *
 * @param etag of the entry's object, without quotes: the marker counts for that entry, and not for
 *     one that has got its number after the log was deleted; empty where it is not known
 * @param open the numbers of all lower entries that had not ended when the entry was decided; empty
 *     where they are too many for a name, so that the entry has to be read
 * @param run of the job, see {@link RunId#inName}; empty where it has none
 */
public record Marker(
    long number,
    EntryState state,
    EntryKind kind,
    String etag,
    Optional<SortedSet<Long>> open,
    String run,
    String jobId) {
  /** A name is short. */
  private static final int MOST_NAMED = 10;

  public Marker {
    open =
        open.filter(it -> it.size() <= MOST_NAMED)
            .map(it -> Collections.unmodifiableSortedSet(new TreeSet<>(it)));
  }

  static Marker of(LogEntry entry, String etag, EntryState state) {
    return new Marker(
        entry.number(),
        state,
        entry.kind(),
        etag,
        Optional.of(entry.open()),
        entry.job().runInName(),
        entry.job().id());
  }

  /** Whether the entry decides a job, or commits the run to which that belongs. */
  boolean decides(OutputJob job) {
    return jobId.equals(job.id())
        || (kind.commits() && !run.isEmpty() && run.equals(job.runInName()));
  }
}
