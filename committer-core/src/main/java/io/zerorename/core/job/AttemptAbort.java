package io.zerorename.core.job;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectStores;
import java.io.IOException;

/**
 * Gives one task attempt up, in any process: it cannot publish any more, and the uploads that it
 * has begun are aborted. An attempt that has published keeps its uploads; the job's commit chooses
 * among those and aborts the others.
 */
public final class AttemptAbort {
  private final ObjectStores stores;
  private final JobDirectory job;
  private final CommitSettings settings;

  /** An abort of attempts of the job to which the directory belongs. */
  public AttemptAbort(ObjectStores stores, JobDirectory job, CommitSettings settings) {
    this.stores = settings.throttled(stores);
    this.job = requireNonNull(job, "job");
    this.settings = requireNonNull(settings, "settings");
  }

  /**
   * @return whether the attempt is given up; {@code false}: it has published
   * @throws IOException where one could not be aborted, though the others were; the end of the job
   *     tries the rest again
   */
  public boolean run(String taskAttemptId) throws IOException {
    job.create();
    if (!job.attempts().giveUp(taskAttemptId)) {
      return false;
    }
    try (Workers workers = new Workers(settings.threads())) {
      UploadSweep.ofAttempt(stores, job, taskAttemptId).run(workers);
    }
    return true;
  }
}
