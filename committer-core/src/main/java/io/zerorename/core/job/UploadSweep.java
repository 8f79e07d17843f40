package io.zerorename.core.job;

import io.zerorename.core.log.CommittedUploads;
import io.zerorename.core.metrics.CommitterMetrics;
import io.zerorename.core.metrics.Metric;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.Failures;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.UploadedPart;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stage: aborts the uploads of a job that no process will complete, and no others. An upload is the
 * job's where its records name its id, or where the store lists it and its key carries the job's
 * id. Three requests per upload.
 */
public final class UploadSweep {
  private static final int ATTEMPTS = 3;
  private static final Logger LOG = LoggerFactory.getLogger(UploadSweep.class);

  private final ObjectStores stores;
  private final String jobId;
  private final Source source;
  private final AtomicBoolean again;
  private final AtomicInteger aborted = new AtomicInteger();
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicBoolean warnedOfBucket = new AtomicBoolean();
  private final AtomicBoolean warnedOfParts = new AtomicBoolean();

  /** An upload of the job. */
  public record Upload(Path destination, String uploadId) {
    /** One whose parts are all there. */
    public static Upload of(PendingUpload pending) {
      return new Upload(pending.destination(), pending.uploadId());
    }
  }

  /** Where the uploads come from. */
  @FunctionalInterface
  interface Source {
    Collection<Upload> read(Workers workers) throws IOException;
  }

  /**
   * @param searches whether the store is listed for those that no record names
   */
  UploadSweep(ObjectStores stores, String jobId, boolean searches, Source source) {
    this.stores = stores;
    this.jobId = jobId;
    this.again = new AtomicBoolean(searches);
    this.source = source;
  }

  /** A sweep of just these uploads of a job, of which none is committed. */
  public static UploadSweep ofUploads(
      ObjectStores stores, String jobId, Collection<Upload> uploads) {
    return new UploadSweep(stores, jobId, false, workers -> uploads);
  }

  /**
   * A sweep of a job whose records are out of reach: of what the store lists below its roots.
   *
   * @param committed uploads to be left alone
   */
  public static UploadSweep ofListing(
      ObjectStores stores, String jobId, List<Path> roots, CommittedUploads committed) {
    return new UploadSweep(
        stores,
        jobId,
        true,
        workers -> {
          List<Upload> uploads = new ArrayList<>();
          for (Path root : roots) {
            uploads.addAll(ListedUploads.below(root, stores, jobId));
          }
          return without(committed, uploads);
        });
  }

  /** Those that are not committed. */
  static List<Upload> without(CommittedUploads committed, Collection<Upload> uploads)
      throws IOException {
    Set<String> ids = uploads.stream().map(Upload::uploadId).collect(Collectors.toSet());
    Set<String> spared = committed.among(ids);
    return uploads.stream().filter(it -> !spared.contains(it.uploadId())).toList();
  }

  /**
   * What a sweep found.
   *
   * @param aborted uploads that this sweep aborted
   * @param bytes that the store has kept for them, as far as it says
   * @param again whether a writer may be at work that was not settled, so that more may appear
   */
  public record Result(int aborted, long bytes, boolean again) {}

  /** Goes on after a failure, and throws it at the end. */
  public Result run(Workers workers) throws IOException {
    Failures failures = new Failures();
    workers.forEach(
        source.read(workers),
        upload -> {
          try {
            abort(
                stores.forPath(upload.destination()),
                ObjectKeys.of(upload.destination()),
                upload.uploadId());
          } catch (IOException e) {
            if (!isGoneWithItsBucket(e, upload.destination())) {
              failures.add(e);
            }
          }
        });
    failures.throwAny();
    return new Result(aborted.get(), bytes.get(), again.get());
  }

  /** A job may have uploads in several buckets, of which one may be deleted meanwhile. */
  private boolean isGoneWithItsBucket(IOException failure, Path destination) {
    if (!(failure instanceof StoreException e) || e.kind() != StoreException.Kind.NO_SUCH_BUCKET) {
      return false;
    }
    if (!warnedOfBucket.getAndSet(true)) {
      LOG.warn(
          "ZR-3116: The store knows no bucket of {}, so that nothing is left to abort of what job"
              + " {} was uploading there",
          destination,
          jobId,
          e);
    }
    return true;
  }

  /**
   * Aborts until no part is left: a part that was under way may arrive after the abort, and S3's
   * documentation of AbortMultipartUpload says to check.
   */
  private void abort(ObjectStore store, String key, String uploadId) throws IOException {
    boolean sent = false;
    for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
      OptionalLong kept = kept(store, key, uploadId, sent);
      if (kept.isEmpty() || (sent && kept.getAsLong() == 0)) {
        return;
      }
      bytes.addAndGet(kept.getAsLong());
      try {
        store.abortUpload(key, uploadId);
        if (!sent) {
          aborted.incrementAndGet();
          CommitterMetrics.add(Metric.UPLOADS_ABORTED, 1);
        }
      } catch (StoreException e) {
        // The writer aborted it itself.
        if (e.kind() != StoreException.Kind.NO_SUCH_UPLOAD) {
          throw e;
        }
      }
      sent = true;
    }
    if (kept(store, key, uploadId, sent).orElse(0) == 0) {
      return;
    }
    again.set(true);
    LOG.warn(
        "ZR-3117: The upload {} to {} has parts again after every abort: a task of job {} still"
            + " writes. It is tried again by a later job.",
        uploadId,
        key,
        jobId);
  }

  /**
   * Bytes in an upload's parts; empty where there is no such upload.
   *
   * @param aborted whether that must show that nothing is left; before, it is a figure for people
   */
  private OptionalLong kept(ObjectStore store, String key, String uploadId, boolean aborted)
      throws IOException {
    try {
      return OptionalLong.of(
          store.listParts(key, uploadId).stream().mapToLong(UploadedPart::size).sum());
    } catch (StoreException e) {
      if (e.kind() == StoreException.Kind.NO_SUCH_UPLOAD) {
        return OptionalLong.empty();
      }
      boolean forbidden =
          e.kind() == StoreException.Kind.ACCESS_DENIED || e.kind() == StoreException.Kind.REJECTED;
      if (e.kind() == StoreException.Kind.NO_SUCH_BUCKET || (aborted && !forbidden)) {
        throw e;
      }
      // It can be aborted all the same.
      if (!forbidden) {
        LOG.debug("The parts of {} of {} cannot be listed before its abort", uploadId, key, e);
      } else if (!warnedOfParts.getAndSet(true)) {
        LOG.warn(
            "ZR-3118: Parts of aborted uploads in {} cannot be listed, so that some may be left."
                + " Grant s3:ListMultipartUploadParts.",
            store.bucket(),
            e);
      }
      return OptionalLong.of(0);
    }
  }
}
