package io.zerorename.core.commit;

import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.PendingUploadSummary;
import io.zerorename.core.store.StoreException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stage: aborts the uploads of a job that nobody will complete, and no others. An upload is the
 * job's where its records name its id, or where its key carries the job's id and its records
 * announced it or the store lists it. One request per upload, and one listing of exactly that key
 * where its id is not known.
 */
final class SweepUploads {
  private static final Logger LOG = LoggerFactory.getLogger(SweepUploads.class);

  private final ObjectStores stores;
  private final String jobId;
  private final Announced announced;
  private final Set<Path> found = ConcurrentHashMap.newKeySet();
  private final Set<String> settled = ConcurrentHashMap.newKeySet();
  private final AtomicInteger aborted = new AtomicInteger();

  /** Where the uploads to look at come from. */
  @FunctionalInterface
  private interface Announced {
    List<JobUploads.Entry> read(Set<String> known, Workers workers) throws IOException;
  }

  private SweepUploads(ObjectStores stores, String jobId, Set<String> keep, Announced announced) {
    this.stores = stores;
    this.jobId = jobId;
    this.announced = announced;
    settled.addAll(keep);
  }

  /**
   * A sweep of a whole job.
   *
   * @param keep ids of the uploads that are committed
   */
  static SweepUploads ofJob(ObjectStores stores, JobDirectory job, Set<String> keep) {
    return new SweepUploads(stores, job.jobId(), keep, job.uploads()::read);
  }

  /** A sweep of one task attempt, which was given up. */
  static SweepUploads ofAttempt(ObjectStores stores, JobDirectory job, String taskAttemptId) {
    return new SweepUploads(
        stores,
        job.jobId(),
        Set.of(),
        (known, workers) -> job.uploads().readAttempt(taskAttemptId, workers));
  }

  /**
   * What a sweep found.
   *
   * @param aborted uploads given up
   * @param unresolved uploads that were announced, of which neither an id nor a trace was found.
   *     Most were never created; one whose Create is still under way may yet appear.
   */
  record Result(int aborted, int unresolved) {}

  /** Goes on after a failure, and throws it at the end. */
  Result run(Workers workers) throws IOException {
    Failures failures = new Failures();
    AtomicInteger unresolved = new AtomicInteger();
    workers.forEach(
        announced.read(Set.copyOf(settled), workers),
        entry -> {
          try {
            if (entry.uploadId().isPresent()) {
              settle(entry.destination(), entry.uploadId().get());
            } else if (!found.contains(entry.destination()) && !find(entry.destination())) {
              unresolved.incrementAndGet();
            }
          } catch (IOException e) {
            failures.add(e);
          }
        });
    failures.throwAny();
    return new Result(aborted.get(), unresolved.get());
  }

  private void settle(Path destination, String uploadId) throws IOException {
    if (!settled.contains(uploadId)) {
      abort(stores.forPath(destination), ObjectKeys.of(destination), uploadId);
    }
  }

  /** Looks for an upload whose id was not recorded; returns whether there was one. */
  private boolean find(Path destination) throws IOException {
    String key = ObjectKeys.of(destination);
    if (!key.contains(jobId)) {
      LOG.warn(
          "An upload to {} was announced and its id never recorded. The key does not carry the id of"
              + " job {}, so uploads to it may be another job's and are left alone; the bucket's"
              + " lifecycle rule for incomplete uploads removes them.",
          destination,
          jobId);
      return false;
    }
    ObjectStore store = stores.forPath(destination);
    try {
      Iterator<PendingUploadSummary> uploads = store.listUploads(key);
      while (uploads.hasNext()) {
        PendingUploadSummary upload = uploads.next();
        if (upload.key().equals(key) && !settled.contains(upload.uploadId())) {
          found.add(destination);
          abort(store, key, upload.uploadId());
        }
      }
      return found.contains(destination);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private void abort(ObjectStore store, String key, String uploadId) throws IOException {
    try {
      store.abortUpload(key, uploadId);
      aborted.incrementAndGet();
    } catch (StoreException e) {
      // The writer aborted it itself.
      if (e.kind() != StoreException.Kind.NO_SUCH_UPLOAD) {
        throw e;
      }
    }
    settled.add(uploadId);
  }

  /** Collects failures of several threads. */
  private static final class Failures {
    private IOException first;

    synchronized void add(IOException e) {
      if (first == null) {
        first = e;
      } else {
        first.addSuppressed(e);
      }
    }

    synchronized void throwAny() throws IOException {
      if (first != null) {
        throw first;
      }
    }
  }
}
