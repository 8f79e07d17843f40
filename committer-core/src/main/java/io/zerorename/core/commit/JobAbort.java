package io.zerorename.core.commit;

import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.EndNote;
import io.zerorename.core.log.EntryState;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.metrics.CommitterMetrics;
import io.zerorename.core.metrics.Metric;
import io.zerorename.core.store.ObjectStores;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Aborts a job: nothing of it will be visible, and its pending uploads are aborted. It works from
 * the job's directory, the log and the store alone, in any process, and may be repeated.
 *
 * <p>It decides against the job before it sweeps, so that no process can commit what it aborts. Of
 * a job that began long ago it only looks for an entry: no process commits it any more.
 *
 * @param job the directory of the job
 * @param log of the job's destination
 * @param begun when the job was set up: all entries since then are read; all of the log where it is
 *     not known, because the set-up was interrupted
 */
public record JobAbort(
    ObjectStores stores,
    JobDirectory job,
    CommitLog log,
    CommitSettings settings,
    Optional<Instant> begun) {
  /**
   * An older job is not committed any more: its commit begins within six days, and writes its entry
   * within one. And an entry of it may have been deleted as old, so that to decide against it would
   * be untrue.
   */
  private static final Duration OLDEST = FindDecision.OLDEST_JOB.plusDays(1);

  /**
   * @return how many uploads it has aborted; empty where the job was committed before: it stays so,
   *     and nothing was touched
   * @throws IOException where an upload could not be aborted, though the others were; running it
   *     again tries the rest
   */
  public OptionalInt run() throws IOException {
    LogTail tail = log.tailSince(begun.orElse(Instant.EPOCH));
    // By the time of the listing: the job may have been decided since, while this process slept.
    Instant oldest = tail.listed().minus(OLDEST);
    Optional<LogEntry> existing =
        begun.filter(it -> it.isBefore(oldest)).isPresent()
            ? log.find(job.jobId(), tail)
            : Optional.of(log.decideAgainst(job.jobId(), tail));
    if (existing.filter(it -> it.kind().commits()).isPresent()) {
      return OptionalInt.empty();
    }
    int aborted = job.cleanUp(stores, Optional.empty(), settings.workers());
    if (existing.isPresent()) {
      log.mark(existing.get(), EntryState.COMPLETE, EndNote.NOTHING);
    }
    CommitterMetrics.add(Metric.JOBS_ABORTED, 1);
    return OptionalInt.of(aborted);
  }
}
