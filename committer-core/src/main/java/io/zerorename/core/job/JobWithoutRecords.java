package io.zerorename.core.job;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.log.OpenEntry;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectStores;
import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.fs.Path;

/**
 * A job whose engine carries what its tasks have written to the job, so that it keeps no records.
 */
public final class JobWithoutRecords implements JobRecords {
  private final OutputJob job;
  private final boolean orphans;

  /**
   * @param orphans whether a writer may have left uploads, so that the sweep lists
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

  @Override
  public void noteWriter(String writer) {
    // Whether one may have left uploads the job learns from its engine.
  }

  @Override
  public void settle(String writer) {
    // As above.
  }

  @Override
  public int end(ObjectStores stores, Optional<OpenEntry> entry, Workers workers)
      throws IOException {
    return orphans ? UploadSweep.ofListing(stores, job.id(), job.roots(), entry).run(workers) : 0;
  }
}
