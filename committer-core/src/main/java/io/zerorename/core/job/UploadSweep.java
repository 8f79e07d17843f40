package io.zerorename.core.job;

import io.zerorename.core.log.CommittedUploads;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.metrics.CommitterMetrics;
import io.zerorename.core.metrics.Metric;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.Failures;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.UploadedPart;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.RemoteIterators;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stage: aborts the uploads of a job that no process will complete, and no others. An upload is the
 * job's where its records name its id, or where its key carries the job's id and its records have
 * its intent or the store lists it. Three requests per upload, and one listing of exactly that key
 * where its id is not known.
 */
public final class UploadSweep {
  private static final int ATTEMPTS = 3;
  private static final Logger LOG = LoggerFactory.getLogger(UploadSweep.class);

  private final ObjectStores stores;
  private final String jobId;
  private final CommittedUploads committed;
  private final Source source;
  private final Set<Path> found = ConcurrentHashMap.newKeySet();
  private final Set<String> settled = ConcurrentHashMap.newKeySet();
  private final AtomicInteger aborted = new AtomicInteger();
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicBoolean warnedOfBucket = new AtomicBoolean();
  private final AtomicBoolean warnedOfParts = new AtomicBoolean();

  /** Where the uploads come from. */
  @FunctionalInterface
  interface Source {
    List<JobUploads.Entry> read(Workers workers) throws IOException;
  }

  /**
   * @param committed uploads to be left alone
   */
  UploadSweep(ObjectStores stores, String jobId, CommittedUploads committed, Source source) {
    this.stores = stores;
    this.jobId = jobId;
    this.committed = committed;
    this.source = source;
  }

  /** A sweep of just these uploads of a job, of which none is committed. */
  public static UploadSweep ofUploads(
      ObjectStores stores, String jobId, List<JobUploads.Entry> uploads) {
    return new UploadSweep(stores, jobId, CommittedUploads.none(), workers -> uploads);
  }

  /** A sweep of a job whose records are out of reach: of what the store lists below its roots. */
  public static UploadSweep ofListing(
      ObjectStores stores, OutputJob job, CommittedUploads committed) {
    return new UploadSweep(
        stores,
        job.id(),
        committed,
        workers -> {
          List<JobUploads.Entry> entries = new ArrayList<>();
          for (Path root : job.roots()) {
            entries.addAll(ListedUploads.below(root, stores, job.id()));
          }
          return JobUploads.without(committed, entries);
        });
  }

  /**
   * What a sweep found.
   *
   * @param aborted uploads that this sweep aborted
   * @param bytes that the store has kept for them, as far as it says
   * @param unresolved intended uploads, of which neither an id nor a trace was found. Most were
   *     never created; one whose Create is still under way may yet appear. Also those that still
   *     had parts after several aborts.
   */
  public record Result(int aborted, long bytes, int unresolved) {}

  /** Goes on after a failure, and throws it at the end. */
  public Result run(Workers workers) throws IOException {
    Failures failures = new Failures();
    AtomicInteger unresolved = new AtomicInteger();
    workers.forEach(
        source.read(workers),
        entry -> {
          try {
            boolean resolved =
                entry.uploadId().isPresent()
                    ? settle(entry.destination(), entry.uploadId().get())
                    : found.contains(entry.destination()) || find(entry.destination());
            if (!resolved) {
              unresolved.incrementAndGet();
            }
          } catch (IOException e) {
            if (!isGoneWithItsBucket(e, entry.destination())) {
              failures.add(e);
            }
          }
        });
    failures.throwAny();
    return new Result(aborted.get(), bytes.get(), unresolved.get());
  }

  private boolean settle(Path destination, String uploadId) throws IOException {
    return settled.contains(uploadId)
        || abort(stores.forPath(destination), ObjectKeys.of(destination), uploadId);
  }

  /** Aborts an upload whose id was not recorded; returns whether there was one. */
  private boolean find(Path destination) throws IOException {
    String key = ObjectKeys.of(destination);
    if (!key.contains(jobId)) {
      LOG.warn(
          "ZR-3115: An upload to {} was begun or about to begin, and its id was never recorded. The"
              + " key does not carry the id of job {}, so uploads to it may be another job's and"
              + " are left alone; the bucket's lifecycle rule for incomplete uploads removes them.",
          destination,
          jobId);
      return false;
    }
    ObjectStore store = stores.forPath(destination);
    Set<String> ids = new HashSet<>();
    RemoteIterators.foreach(
        store.listUploads(key),
        upload -> {
          if (upload.key().equals(key) && !settled.contains(upload.uploadId())) {
            ids.add(upload.uploadId());
          }
        });
    ids.removeAll(committed.among(ids));
    for (String id : ids) {
      if (abort(store, key, id)) {
        found.add(destination);
      }
    }
    return found.contains(destination);
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
   *
   * @return false where parts are left all the same
   */
  private boolean abort(ObjectStore store, String key, String uploadId) throws IOException {
    boolean sent = false;
    for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
      OptionalLong kept = kept(store, key, uploadId, sent);
      if (kept.isEmpty() || (sent && kept.getAsLong() == 0)) {
        settled.add(uploadId);
        return true;
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
      settled.add(uploadId);
      return true;
    }
    LOG.warn(
        "ZR-3117: The upload {} to {} has parts again after every abort: a task of job {} still"
            + " writes. It is tried again by a later job.",
        uploadId,
        key,
        jobId);
    return false;
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
