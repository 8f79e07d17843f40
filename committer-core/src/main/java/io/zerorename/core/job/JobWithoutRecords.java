package io.zerorename.core.job;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.log.CommittedUploads;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.upload.IntentJournal;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.Path;

/**
 * A job whose engine carries what its tasks have written to the job, so that it keeps no records.
 * The keys of its files carry its id: by that, uploads of killed writers are found in a listing.
 */
public final class JobWithoutRecords implements JobRecords {
  private final OutputJob job;
  private final boolean orphans;
  private final AtomicInteger unknown = new AtomicInteger();

  /**
   * @param orphans whether a writer may have left uploads; a sweep lists where it or this process
   *     has
   */
  public JobWithoutRecords(OutputJob job, boolean orphans) {
    this.job = requireNonNull(job, "job");
    this.orphans = orphans;
  }

  @Override
  public String jobId() {
    return job.id();
  }

  @Override
  public Path path() {
    return job.destination();
  }

  /** Counts the uploads that are intended and whose ids are not known. */
  @Override
  public IntentJournal journal(String taskAttemptId) {
    return destination -> {
      unknown.incrementAndGet();
      return uploadId -> unknown.decrementAndGet();
    };
  }

  @Override
  public UploadSweep sweep(ObjectStores stores, CommittedUploads committed) {
    return orphans || unknown.get() > 0
        ? UploadSweep.ofListing(stores, job, committed)
        : UploadSweep.ofUploads(stores, job.id(), List.of());
  }

  @Override
  public void finish(UploadSweep.Result sweep) throws IOException {}
}
