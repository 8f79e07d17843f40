package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.job.JobRecords;
import io.zerorename.core.parallel.Uninterrupted;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.UploadedPart;
import io.zerorename.core.upload.InlineFile;
import io.zerorename.core.upload.OutputFile;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Uploads, before the decision, the files whose bytes have come to the commit: as one part each,
 * which is completed like those of all others. May be used by several threads.
 */
final class SmallFiles {
  private static final int MOST_KNOWN = 10_000;

  private static final Logger LOG = LoggerFactory.getLogger(SmallFiles.class);

  private final ObjectStores stores;
  private final JobRecords job;

  /** As which it is noted, besides the attempts that have written the files. */
  private final String writer = "commit-" + UUID.randomUUID();

  /** As far as memory allows it: some stores, and plain names, are searched by their ids only. */
  private final BlockingQueue<PendingUpload> uploaded = new LinkedBlockingQueue<>(MOST_KNOWN);

  /** Uploads that may be there, and neither have been handed on nor aborted. */
  private final AtomicInteger unsettled = new AtomicInteger();

  private boolean noted;

  SmallFiles(ObjectStores stores, JobRecords job) {
    this.stores = requireNonNull(stores, "stores");
    this.job = requireNonNull(job, "job");
  }

  /** Should this process die, the next one searches for what it has uploaded. */
  private synchronized void note() throws IOException {
    if (!noted) {
      job.noteWriter(writer);
      noted = true;
    }
  }

  /** An entry names all that were handed on. */
  void decided() {
    if (unsettled.get() == 0) {
      job.settle(writer);
    }
  }

  /** No entry names any of them: aborts them. */
  void drop(Workers workers) throws IOException {
    Uninterrupted.call(
        () -> {
          workers.forEach(uploaded, this::abort);
          return null;
        });
  }

  private void abort(PendingUpload upload) {
    try {
      stores.forPath(upload.destination()).abortUpload(upload.key(), upload.uploadId());
    } catch (IOException e) {
      LOG.info("The upload {} to {} is not aborted", upload.uploadId(), upload.destination(), e);
    }
  }

  /**
   * Uploads a file: two requests. If an id is lost, or an abort fails, this stays a writer that has
   * not settled, so that the sweep lists uploads.
   */
  PendingUpload upload(InlineFile file) throws IOException {
    ObjectStore store = stores.forPath(file.destination());
    note();
    unsettled.incrementAndGet();
    String uploadId =
        store.createUpload(
            file.key(),
            Map.of(OutputFile.IDENTITY_METADATA, file.identity()),
            unsettled::incrementAndGet);
    try {
      UploadedPart part = store.uploadPart(file.key(), uploadId, 1, file.body());
      PendingUpload upload =
          new PendingUpload(
              file.destination(),
              uploadId,
              List.of(part),
              file.jobId(),
              file.taskAttemptId(),
              file.identity());
      unsettled.decrementAndGet();
      uploaded.offer(upload);
      return upload;
    } catch (IOException | RuntimeException e) {
      try {
        store.abortUpload(file.key(), uploadId);
        unsettled.decrementAndGet();
      } catch (IOException abortFailed) {
        e.addSuppressed(abortFailed);
      }
      throw e;
    }
  }
}
