package io.zerorename.core.commit;

import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.PendingUploadSummary;
import io.zerorename.core.store.StoreException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stage: aborts the uploads of a job that nobody will complete, and no others. An upload is the
 * job's where the journal recorded its id, or where the journal announced it and its key carries
 * the job's id. One request per upload, and one listing of exactly that key where its id is not
 * known.
 */
final class SweepUploads {
  private static final Logger LOG = LoggerFactory.getLogger(SweepUploads.class);

  private final ObjectStores stores;
  private final JobDirectory job;
  private final Set<String> keep;
  private final AtomicInteger aborted = new AtomicInteger();

  /**
   * @param keep ids of the uploads that are committed
   */
  SweepUploads(ObjectStores stores, JobDirectory job, Set<String> keep) {
    this.stores = stores;
    this.job = job;
    this.keep = Set.copyOf(keep);
  }

  /** Returns how many uploads were aborted. Goes on after a failure, and throws it at the end. */
  int run(Workers workers) throws IOException {
    Failures failures = new Failures();
    workers.forEach(
        job.uploads().read(keep, workers),
        entry -> {
          try {
            sweep(entry);
          } catch (IOException e) {
            failures.add(e);
          }
        });
    failures.throwAny();
    return aborted.get();
  }

  private void sweep(UploadJournal.Entry entry) throws IOException {
    ObjectStore store = stores.forPath(entry.destination());
    String key = ObjectKeys.of(entry.destination());
    if (entry.uploadId().isPresent()) {
      if (!keep.contains(entry.uploadId().get())) {
        abort(store, key, entry.uploadId().get());
      }
      return;
    }
    if (!key.contains(job.jobId())) {
      LOG.warn(
          "An upload to {} was announced and its id never recorded. The key does not carry the id of"
              + " job {}, so uploads to it may be another job's and are left alone; the bucket's"
              + " lifecycle rule for incomplete uploads removes them.",
          entry.destination(),
          job.jobId());
      return;
    }
    try {
      Iterator<PendingUploadSummary> uploads = store.listUploads(key);
      while (uploads.hasNext()) {
        PendingUploadSummary upload = uploads.next();
        if (upload.key().equals(key) && !keep.contains(upload.uploadId())) {
          abort(store, key, upload.uploadId());
        }
      }
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
