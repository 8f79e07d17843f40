package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.UploadedPart;
import io.zerorename.core.upload.InlineFile;
import io.zerorename.core.upload.IntentJournal;
import io.zerorename.core.upload.OutputFile;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides, before the decision, how each small file becomes visible: written in one request, or,
 * where the store does not keep deadlines, or the plan would become too large, uploaded now and
 * completed like any other. That takes three requests.
 */
final class SmallFiles {
  private static final Logger LOG = LoggerFactory.getLogger(SmallFiles.class);

  private final ObjectStores stores;
  private final JobDirectory job;
  private final CommitLog log;
  private final long limit;
  private final AtomicLong bytes = new AtomicLong();
  private Optional<Boolean> expire = Optional.empty();

  /**
   * @param limit of the bytes that a plan may carry
   */
  SmallFiles(ObjectStores stores, JobDirectory job, CommitLog log, long limit) {
    this.stores = requireNonNull(stores, "stores");
    this.job = requireNonNull(job, "job");
    this.log = requireNonNull(log, "log");
    this.limit = limit;
  }

  /** The file as the plan shall have it. */
  OutputFile planned(OutputFile file) throws IOException {
    return file instanceof InlineFile small && !mayBePut(small) ? upload(small) : file;
  }

  private boolean mayBePut(InlineFile file) {
    if (!putsExpire(file)) {
      return false;
    }
    if (bytes.addAndGet(file.length()) > limit) {
      bytes.addAndGet(-file.length());
      return false;
    }
    return true;
  }

  private boolean putsExpire(InlineFile file) {
    return log.isInBucketOf(file.destination()) && ask();
  }

  /** Whether it depends on the store how the file becomes visible, and that was not asked yet. */
  synchronized boolean mustAsk(InlineFile file) {
    return expire.isEmpty() && log.isInBucketOf(file.destination());
  }

  /** Asks, the first time, whether the store keeps deadlines. */
  synchronized boolean ask() {
    if (expire.isEmpty()) {
      try {
        expire = Optional.of(log.putsExpire());
      } catch (InterruptedIOException e) {
        LOG.debug("Job {} is cancelled or has failed, and needs no answer", job.jobId(), e);
        expire = Optional.of(false);
      } catch (IOException e) {
        LOG.warn(
            "Small files of job {} are uploaded, because it could not be seen whether the store"
                + " keeps deadlines",
            job.jobId(),
            e);
        expire = Optional.of(false);
      }
    }
    return expire.get();
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
