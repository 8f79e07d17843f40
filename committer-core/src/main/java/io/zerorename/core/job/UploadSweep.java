package io.zerorename.core.job;

import io.zerorename.core.log.OpenEntry;
import io.zerorename.core.metrics.CommitterMetrics;
import io.zerorename.core.metrics.Metric;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.Failures;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.RemoteIterators;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stage: aborts the uploads of a job that no process will complete, and no others. An upload is the
 * job's where its records name its id, or where the store lists it and its key carries the job's
 * id, or is that of a file that the job has committed. Two requests per upload.
 */
public final class UploadSweep {
  private static final int ATTEMPTS = 3;
  private static final Logger LOG = LoggerFactory.getLogger(UploadSweep.class);

  private final ObjectStores stores;
  private final String jobId;
  private final Collection<Upload> named;
  private final List<Path> searched;
  private final Optional<OpenEntry> entry;
  private final AtomicInteger aborted = new AtomicInteger();
  private final AtomicBoolean warnedOfBucket = new AtomicBoolean();
  private final AtomicBoolean warnedOfParts = new AtomicBoolean();

  /** An upload of the job. */
  public record Upload(Path destination, String uploadId) {
    /** One whose parts are all there. */
    public static Upload of(PendingUpload pending) {
      return new Upload(pending.destination(), pending.uploadId());
    }
  }

  /**
   * @param named uploads of the job, also those of its entry
   * @param searched directories that are listed for uploads that no record names
   * @param entry of which no file is aborted
   */
  UploadSweep(
      ObjectStores stores,
      String jobId,
      Collection<Upload> named,
      List<Path> searched,
      Optional<OpenEntry> entry) {
    this.stores = stores;
    this.jobId = jobId;
    this.named = named;
    this.searched = searched;
    this.entry = entry;
  }

  /** A sweep of just these uploads of a job, of which none is committed. */
  public static UploadSweep ofUploads(
      ObjectStores stores, String jobId, Collection<Upload> uploads) {
    return new UploadSweep(stores, jobId, uploads, List.of(), Optional.empty());
  }

  /**
   * A sweep of a job whose records are out of reach: of what the store lists below its roots.
   *
   * @param entry of which no file is aborted
   */
  public static UploadSweep ofListing(
      ObjectStores stores, String jobId, List<Path> roots, Optional<OpenEntry> entry) {
    return new UploadSweep(stores, jobId, List.of(), roots, entry);
  }

  /**
   * Goes on after a failure, and throws it at the end.
   *
   * @return how many uploads it has aborted
   */
  public int run(Workers workers) throws IOException {
    Failures failures = new Failures();
    // By their ids.
    Map<String, Upload> uploads = new ConcurrentHashMap<>();
    named.forEach(it -> uploads.put(it.uploadId(), it));
    // Which are the job's only its plan shows.
    Queue<Upload> strangers = new ConcurrentLinkedQueue<>();
    workers.forEach(
        searched,
        root ->
            failures.of(() -> unlessBucketIsGone(root, () -> addListed(root, uploads, strangers))));
    if (entry.isPresent() && !(uploads.isEmpty() && strangers.isEmpty())) {
      spare(entry.get(), uploads, strangers);
    }
    workers.forEach(
        uploads.values(),
        it -> failures.of(() -> unlessBucketIsGone(it.destination(), () -> abort(it))));
    failures.throwAny();
    return aborted.get();
  }

  /**
   * Takes out the files of the entry, and adds what is pending under their plain names. While the
   * entry is open no other job commits such names, so that what the store lists before a moment at
   * which it still is belongs to no job that can commit it.
   */
  private static void spare(
      OpenEntry entry, Map<String, Upload> uploads, Collection<Upload> strangers)
      throws IOException {
    Map<String, List<Upload>> byKey =
        strangers.stream().collect(Collectors.groupingBy(it -> ObjectKeys.of(it.destination())));
    Map<String, Upload> others = new HashMap<>();
    RemoteIterators.foreach(
        entry.plan().uploads(),
        file -> {
          byKey
              .getOrDefault(ObjectKeys.of(file.destination()), List.of())
              .forEach(it -> others.put(it.uploadId(), it));
          others.remove(file.uploadId());
          uploads.remove(file.uploadId());
        });
    if (!others.isEmpty() && entry.isOpen()) {
      uploads.putAll(others);
    }
  }

  /**
   * Adds the pending uploads that the store lists under keys that carry the job's id. What else a
   * killed writer began under a plain name, or on a store that lists uploads by exact key only, as
   * MinIO, is left to the bucket's lifecycle rule. One request per 1,000 uploads below the
   * directory.
   */
  private void addListed(Path directory, Map<String, Upload> uploads, Queue<Upload> strangers)
      throws IOException {
    try {
      RemoteIterators.foreach(
          stores.forPath(directory).listUploads(ObjectKeys.prefixOf(directory)),
          upload -> {
            String key = upload.key();
            Upload found = new Upload(new Path(directory, "/" + key), upload.uploadId());
            if (!key.contains(jobId)) {
              if (entry.filter(it -> it.plan().job().plainNames()).isPresent()) {
                strangers.add(found);
              }
            } else {
              uploads.put(found.uploadId(), found);
            }
          });
    } catch (StoreException e) {
      if (e.kind() != StoreException.Kind.ACCESS_DENIED
          && e.kind() != StoreException.Kind.REJECTED) {
        throw e;
      }
      // Those that are known can be aborted all the same.
      LOG.warn(
          "ZR-3113: Uploads of killed writers of job {} below {} cannot be listed, and stay until the"
              + " bucket's lifecycle rule for incomplete uploads removes them. Where access was"
              + " denied, grant s3:ListBucketMultipartUploads.",
          jobId,
          directory,
          e);
    }
  }

  /** A job may have uploads in several buckets, of which one may be deleted meanwhile. */
  private void unlessBucketIsGone(Path path, Failures.Step step) throws IOException {
    try {
      step.run();
    } catch (StoreException e) {
      if (e.kind() != StoreException.Kind.NO_SUCH_BUCKET) {
        throw e;
      }
      if (!warnedOfBucket.getAndSet(true)) {
        LOG.warn(
            "ZR-3116: The store knows no bucket of {}, so that nothing is left to abort of what job"
                + " {} was uploading there",
            path,
            jobId,
            e);
      }
    }
  }

  /**
   * Aborts until no part is left: a part that was under way may arrive after the abort, and S3's
   * documentation of AbortMultipartUpload says to check.
   */
  private void abort(Upload upload) throws IOException {
    ObjectStore store = stores.forPath(upload.destination());
    String key = ObjectKeys.of(upload.destination());
    String uploadId = upload.uploadId();
    for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
      try {
        store.abortUpload(key, uploadId);
        if (attempt == 1) {
          aborted.incrementAndGet();
          CommitterMetrics.add(Metric.UPLOADS_ABORTED, 1);
        }
      } catch (StoreException e) {
        // The writer aborted it itself.
        if (e.kind() != StoreException.Kind.NO_SUCH_UPLOAD) {
          throw e;
        }
      }
      if (!hasParts(store, key, uploadId)) {
        return;
      }
    }
    LOG.warn(
        "ZR-3117: The upload {} to {} has parts again after every abort: a task of job {} still"
            + " writes. The bucket's lifecycle rule for incomplete uploads removes it.",
        uploadId,
        key,
        jobId);
  }

  private boolean hasParts(ObjectStore store, String key, String uploadId) throws IOException {
    try {
      return !store.listParts(key, uploadId).isEmpty();
    } catch (StoreException e) {
      if (e.kind() == StoreException.Kind.NO_SUCH_UPLOAD) {
        return false;
      }
      if (e.kind() != StoreException.Kind.ACCESS_DENIED
          && e.kind() != StoreException.Kind.REJECTED) {
        throw e;
      }
      if (!warnedOfParts.getAndSet(true)) {
        LOG.warn(
            "ZR-3118: Parts of aborted uploads in {} cannot be listed, so that some may be left."
                + " Grant s3:ListMultipartUploadParts.",
            store.bucket(),
            e);
      }
      return false;
    }
  }
}
