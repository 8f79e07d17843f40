package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.store.ObjectStores;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.Set;

/**
 * Gives a job up: nothing of it will be visible, and its pending uploads are aborted. It works from
 * the job's directory and the store alone, in any process, and may be repeated.
 *
 * <p>It decides before it sweeps, so that writers that still run find the decision and stop; see
 * {@link UploadJournal}.
 */
public final class JobAbort {
  private final ObjectStores stores;
  private final JobDirectory job;
  private final CommitSettings settings;

  /** An abort of the job to which the directory belongs. */
  public JobAbort(ObjectStores stores, JobDirectory job, CommitSettings settings) {
    this.stores = requireNonNull(stores, "stores");
    this.job = requireNonNull(job, "job");
    this.settings = requireNonNull(settings, "settings");
  }

  /** How an abort ended. */
  public sealed interface Result {
    /** The job is aborted; so many uploads were still pending. */
    record Aborted(int uploads) implements Result {}

    /** The job was committed before, and stays so; nothing was touched. */
    record Committed(CommitPlan plan) implements Result {}
  }

  /**
   * Aborts.
   *
   * @throws IOException where an upload could not be aborted, though the others were; running it
   *     again tries the rest
   */
  public Result run() throws IOException {
    job.create();
    Decision standing = job.decisions().decide(Decision.abort());
    if (standing.plan().isPresent()) {
      return new Result.Committed(standing.plan().get());
    }
    try (Workers workers = new Workers(settings.threads())) {
      SweepUploads sweep = SweepUploads.ofJob(stores, job, Set.of());
      SweepUploads.Result result = sweep.run(workers);
      Duration delay = settings.firstDelay();
      for (int look = 1; result.unresolved() > 0 && look < settings.attempts(); look++) {
        // The Create of a writer that was interrupted may still be under way in the store.
        pause(delay);
        delay = delay.multipliedBy(2);
        result = sweep.run(workers);
      }
      job.finish(result);
      return new Result.Aborted(result.aborted());
    }
  }

  private static void pause(Duration delay) throws InterruptedIOException {
    try {
      Thread.sleep(delay.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("Interrupted between two looks for uploads");
    }
  }
}
