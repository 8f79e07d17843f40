package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.CommittedUploads;
import io.zerorename.core.metrics.CommitterMetrics;
import io.zerorename.core.metrics.Metric;
import io.zerorename.core.parallel.Pauses;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectStores;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/**
 * Gives a job up: nothing of it will be visible, and its pending uploads are aborted. It works from
 * the job's directory and the store alone, in any process, and may be repeated.
 *
 * <p>It decides before it sweeps, so that nobody can commit what it aborts.
 */
public final class JobAbort {
  private final ObjectStores stores;
  private final JobDirectory job;
  private final CommitLog log;
  private final CommitSettings settings;

  /**
   * An abort of the job to which the directory belongs.
   *
   * @param log of the job's destination
   */
  public JobAbort(ObjectStores stores, JobDirectory job, CommitLog log, CommitSettings settings) {
    this.stores = new PacedStores(stores, settings);
    this.job = requireNonNull(job, "job");
    this.log = requireNonNull(log, "log");
    this.settings = requireNonNull(settings, "settings");
  }

  /** How an abort ended. */
  public sealed interface Result {
    /**
     * The job is aborted.
     *
     * @param uploads that were still pending
     * @param bytes that the store has kept for them
     */
    record Aborted(int uploads, long bytes) implements Result {}

    /**
     * The job was committed before, and stays so; nothing was touched.
     *
     * @param plan what was to be carried out; empty where that was brought to its end
     */
    record Committed(Optional<CommitPlan> plan) implements Result {}
  }

  /**
   * Aborts.
   *
   * @throws IOException where an upload could not be aborted, though the others were; running it
   *     again tries the rest
   */
  public Result run() throws IOException {
    Decision standing = log.abort(job.jobId());
    if (standing.commits()) {
      return new Result.Committed(log.unfinished(job.jobId(), standing.proposal().orElseThrow()));
    }
    try (Workers workers = new Workers(settings.threads())) {
      SweepUploads sweep = job.sweep(stores, CommittedUploads.none());
      SweepUploads.Result result = sweep.run(workers);
      Duration delay = settings.firstDelay();
      for (int look = 1; result.unresolved() > 0 && look < settings.attempts(); look++) {
        // The Create of a writer that was interrupted may still be under way in the store.
        Pauses.pause(delay, "Interrupted between two looks for uploads");
        delay = delay.multipliedBy(2);
        result = sweep.run(workers);
      }
      Optional<OpenJob> proposals = log.openOf(job.jobId());
      if (proposals.isPresent()) {
        log.drop(proposals.get().names());
      }
      job.finish(result);
      CommitterMetrics.add(Metric.JOBS_ABORTED, 1);
      return new Result.Aborted(result.aborted(), result.bytes());
    } finally {
      RunningCommits.end(job.jobId());
    }
  }
}
