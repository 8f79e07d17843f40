package io.zerorename.core.job;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.log.CommittedUploads;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.upload.IntentJournal;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.fs.Path;

/**
 * A job whose engine carries what its tasks have written to the job, so that it keeps no records.
 * The keys of its files carry its id: by that, uploads of killed writers are found in a listing.
 *
 * @param orphans whether such uploads may exist; only then a sweep sends a request
 */
public record JobWithoutRecords(OutputJob job, boolean orphans) implements JobRecords {
  public JobWithoutRecords {
    requireNonNull(job, "job");
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
  public IntentJournal journal(String taskAttemptId) {
    return IntentJournal.none();
  }

  @Override
  public UploadSweep sweep(ObjectStores stores, CommittedUploads committed) {
    return orphans
        ? UploadSweep.ofListing(stores, job, committed)
        : UploadSweep.ofUploads(stores, job.id(), List.of());
  }

  @Override
  public void finish(UploadSweep.Result sweep) throws IOException {}
}
