package io.zerorename.core.job;

import io.zerorename.core.log.OpenEntry;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectStores;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;

/**
 * A job whose engine carries what its tasks have written to the job, so that it keeps no records.
 *
 * @param orphans whether a writer may have left uploads, so that the sweep lists; the job learns it
 *     from its engine
 */
public record JobWithoutRecords(OutputJob job, boolean orphans) implements JobRecords {
  @Override
  public String jobId() {
    return job.id();
  }

  @Override
  public int cleanUp(ObjectStores stores, Optional<OpenEntry> entry, Workers workers)
      throws IOException {
    return orphans
        ? new UploadSweep(stores, job.id(), Map.of(), job.roots(), entry).run(workers)
        : 0;
  }
}
