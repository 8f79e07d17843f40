package io.zerorename.core.commit;

import io.zerorename.core.job.JobRecords;
import io.zerorename.core.parallel.Uninterrupted;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectKeys;
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
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Uploads, before the decision, the files whose bytes have come to the commit: as one part each,
 * which is completed like those of all others. May be used by several threads.
 *
 * <p>The entry names each upload, or {@link #drop} aborts it. The id of one whose Create got no
 * answer is lost: that is noted as a writer, so that the end of the job searches the store. Of a
 * job without an entry it searches in any case.
 */
final class SmallFiles {
  private static final int MOST_KNOWN = 10_000;

  private static final Logger LOG = LoggerFactory.getLogger(SmallFiles.class);

  private final ObjectStores stores;
  private final JobRecords job;
  private final String writer = "commit-" + UUID.randomUUID();

  /** As far as memory allows it: some stores, and plain names, are searched by their ids only. */
  private final BlockingQueue<PendingUpload> uploaded = new LinkedBlockingQueue<>(MOST_KNOWN);

  SmallFiles(ObjectStores stores, JobRecords job) {
    this.stores = stores;
    this.job = job;
  }

  /** No entry names any of them: aborts them. */
  void drop(Workers workers) throws IOException {
    Uninterrupted.call(
        () -> {
          workers.forEach(uploaded, it -> abort(it.destination(), it.uploadId()));
          return null;
        });
  }

  private void abort(Path file, String uploadId) {
    try {
      stores.forPath(file).abortUpload(ObjectKeys.of(file), uploadId);
    } catch (IOException e) {
      LOG.info("The upload {} to {} is not aborted", uploadId, file, e);
    }
  }

  /** Uploads a file: two requests. */
  PendingUpload upload(InlineFile file) throws IOException {
    Path destination = file.destination();
    ObjectStore store = stores.forPath(destination);
    String uploadId =
        store.createUpload(
            file.key(),
            Map.of(OutputFile.IDENTITY_METADATA, file.identity()),
            () -> job.noteWriter(writer));
    try {
      UploadedPart part = store.uploadPart(file.key(), uploadId, 1, file.body());
      PendingUpload upload =
          new PendingUpload(
              destination,
              uploadId,
              List.of(part),
              file.jobId(),
              file.taskAttemptId(),
              file.identity());
      uploaded.offer(upload);
      return upload;
    } catch (IOException | RuntimeException e) {
      abort(destination, uploadId);
      throw e;
    }
  }
}
