package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.job.JobRecords;
import io.zerorename.core.parallel.ProcessShare;
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
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Uploads, before the decision, the files whose bytes have come to the commit: as one part each,
 * which is completed like those of all others. Until then they wait in memory, as far as the job
 * and the process have room. May be used by several threads.
 */
final class SmallFiles implements AutoCloseable {
  /** What a file takes in memory beside its bytes, rounded up. */
  private static final long DESCRIPTION_BYTES = 1024;

  private static final int SHARE_OF_HEAP = 8;

  /** For those of all commits. */
  private static final ProcessShare WAITING =
      ProcessShare.of(ProcessShare.SMALL_FILES, Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP);

  private final ObjectStores stores;
  private final JobRecords job;
  private final long limit;
  private final ProcessShare.User memory = WAITING.user();
  private final AtomicLong bytes = new AtomicLong();
  private final Queue<InlineFile> kept = new ConcurrentLinkedQueue<>();

  /**
   * @param limit of the memory for files of this job that wait to be uploaded
   */
  SmallFiles(ObjectStores stores, JobRecords job, long limit) {
    this.stores = requireNonNull(stores, "stores");
    this.job = requireNonNull(job, "job");
    this.limit = limit;
  }

  /**
   * Keeps a file, so that all threads upload the files of one manifest.
   *
   * @return false where there is no room, and it has to be uploaded now
   */
  boolean keep(InlineFile file) {
    long size = file.length() + DESCRIPTION_BYTES;
    if (bytes.addAndGet(size) > limit || !memory.tryTake(size)) {
      bytes.addAndGet(-size);
      return false;
    }
    kept.add(file);
    return true;
  }

  /** Frees the memory of those that wait. */
  @Override
  public void close() {
    kept.clear();
    memory.giveBackAll();
  }

  /** Those that wait to be uploaded. */
  Queue<InlineFile> kept() {
    return kept;
  }

  /**
   * Uploads a file: two requests. An upload whose id was lost stays in the journal as intended, by
   * which the sweep finds it.
   */
  PendingUpload upload(InlineFile file) throws IOException {
    ObjectStore store = stores.forPath(file.destination());
    IntentJournal journal = job.journal(file.taskAttemptId());
    IntentJournal.Entry entry = journal.willCreate(file.destination());
    String uploadId =
        store.createUpload(
            file.key(),
            Map.of(OutputFile.IDENTITY_METADATA, file.identity()),
            () -> journal.willCreate(file.destination()));
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
