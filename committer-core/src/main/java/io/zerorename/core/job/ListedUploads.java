package io.zerorename.core.job;

import io.zerorename.core.log.CommittedUploads;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.upload.IntentJournal;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.RemoteIterators;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The uploads of a job that keeps no journal, because a record per upload would cost a request:
 * those of published manifests, and those that the store lists below the destination under a key
 * that carries the job's id. What a killed writer began under a plain name, or on a store that
 * lists uploads by exact key only, stays unknown and is left to the bucket's lifecycle rule.
 */
record ListedUploads(ObjectStores stores, Path destination, String jobId, AttemptRecords attempts)
    implements JobUploads {
  private static final Logger LOG = LoggerFactory.getLogger(ListedUploads.class);

  @Override
  public IntentJournal journalOf(String taskAttemptId) {
    return IntentJournal.none();
  }

  @Override
  public List<Entry> read(CommittedUploads committed, Workers workers) throws IOException {
    Queue<Entry> entries = new ConcurrentLinkedQueue<>();
    attempts.forEachOtherPublished(
        workers,
        manifest -> {
          for (PendingUpload upload : manifest.uploads()) {
            entries.add(new Entry(upload.destination(), Optional.of(upload.uploadId())));
          }
        });
    entries.addAll(below(destination, stores, jobId));
    return JobUploads.without(committed, entries.stream().distinct().toList());
  }

  /** None: an attempt aborts what it knows itself, and the end of the job aborts the rest. */
  @Override
  public List<Entry> readAttempt(String taskAttemptId, Workers workers) {
    return List.of();
  }

  @Override
  public boolean hasInlined(String taskAttemptId) {
    return false;
  }

  @Override
  public boolean isEmpty() {
    return true;
  }

  @Override
  public void forget() {}

  /**
   * The pending uploads below a directory whose keys carry a job's id, as far as the store lists
   * them: MinIO lists uploads by their exact key only, so that nothing is found there. One request
   * per 1,000 uploads.
   */
  static List<Entry> below(Path directory, ObjectStores stores, String jobId) throws IOException {
    List<Entry> entries = new ArrayList<>();
    try {
      RemoteIterators.foreach(
          stores.forPath(directory).listUploads(ObjectKeys.prefixOf(directory)),
          upload -> {
            if (upload.key().contains(jobId)) {
              entries.add(
                  new Entry(
                      new Path(directory, "/" + upload.key()), Optional.of(upload.uploadId())));
            }
          });
    } catch (StoreException e) {
      tolerate(e, directory, jobId);
    }
    return entries;
  }

  /** The uploads that are known can be aborted all the same. */
  private static void tolerate(StoreException e, Path directory, String jobId)
      throws StoreException {
    if (e.kind() == StoreException.Kind.NO_SUCH_BUCKET) {
      LOG.warn(
          "ZR-3112: The bucket of {} is gone, and with it the uploads of job {}",
          directory,
          jobId,
          e);
      return;
    }
    if (e.kind() != StoreException.Kind.ACCESS_DENIED) {
      throw e;
    }
    LOG.warn(
        "ZR-3113: Uploads of killed writers of job {} cannot be listed, and stay until the bucket's"
            + " lifecycle rule for incomplete uploads removes them. Grant"
            + " s3:ListBucketMultipartUploads on the bucket of {}.",
        jobId,
        directory,
        e);
  }
}
