package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.job.JobRecords;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.UploadedPart;
import io.zerorename.core.upload.InlineFile;
import io.zerorename.core.upload.IntentJournal;
import io.zerorename.core.upload.OutputFile;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Decides, before the decision, how each small file becomes visible: written in one request, or,
 * where the store does not keep deadlines, or the plan would become too large, uploaded now and
 * completed like any other. That takes three requests.
 */
final class SmallFiles {
  private final ObjectStores stores;
  private final JobRecords job;
  private final DeadlineProbe deadlines;
  private final long limit;
  private final AtomicLong bytes = new AtomicLong();

  /**
   * @param limit of the bytes that a plan may carry
   */
  SmallFiles(ObjectStores stores, JobRecords job, DeadlineProbe deadlines, long limit) {
    this.stores = requireNonNull(stores, "stores");
    this.job = requireNonNull(job, "job");
    this.deadlines = requireNonNull(deadlines, "deadlines");
    this.limit = limit;
  }

  /** The file as the plan shall have it. */
  OutputFile planned(InlineFile file) throws IOException {
    return mayBePut(file) ? file : upload(file);
  }

  private boolean mayBePut(InlineFile file) {
    if (!deadlines.allows(file.destination())) {
      return false;
    }
    if (bytes.addAndGet(file.length()) > limit) {
      bytes.addAndGet(-file.length());
      return false;
    }
    return true;
  }

  private PendingUpload upload(InlineFile file) throws IOException {
    ObjectStore store = stores.forPath(file.destination());
    IntentJournal.Entry entry = job.journal(file.taskAttemptId()).willCreate(file.destination());
    String uploadId =
        store.createUpload(file.key(), Map.of(OutputFile.IDENTITY_METADATA, file.identity()));
    try {
      entry.created(uploadId);
      UploadedPart part = store.uploadPart(file.key(), uploadId, 1, file.body());
      return new PendingUpload(
          file.destination(),
          uploadId,
          List.of(part),
          file.jobId(),
          file.taskAttemptId(),
          file.identity());
    } catch (IOException | RuntimeException e) {
      try {
        store.abortUpload(file.key(), uploadId);
      } catch (IOException abortFailed) {
        e.addSuppressed(abortFailed);
      }
      throw e;
    }
  }
}
