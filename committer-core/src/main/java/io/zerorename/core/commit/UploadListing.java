package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.PendingUploadSummary;
import io.zerorename.core.store.StoreException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pending uploads below a directory whose keys carry a job's id, as far as the store lists
 * them: MinIO lists uploads by their exact key only, so that nothing is found there.
 */
final class UploadListing {
  private static final Logger LOG = LoggerFactory.getLogger(UploadListing.class);

  private final ObjectStores stores;
  private final Path directory;
  private final String jobId;

  UploadListing(ObjectStores stores, Path directory, String jobId) {
    this.stores = requireNonNull(stores, "stores");
    this.directory = requireNonNull(directory, "directory");
    this.jobId = requireNonNull(jobId, "jobId");
  }

  /** One request per 1,000 uploads. */
  List<JobUploads.Entry> read() throws IOException {
    List<JobUploads.Entry> entries = new ArrayList<>();
    try {
      Iterator<PendingUploadSummary> listing =
          stores.forPath(directory).listUploads(ObjectKeys.prefixOf(directory));
      while (listing.hasNext()) {
        PendingUploadSummary upload = listing.next();
        if (upload.key().contains(jobId)) {
          entries.add(
              new JobUploads.Entry(
                  new Path(directory, "/" + upload.key()), Optional.of(upload.uploadId())));
        }
      }
    } catch (UncheckedIOException e) {
      tolerate(e.getCause());
    } catch (StoreException e) {
      tolerate(e);
    }
    return entries;
  }

  /** The uploads that are known can be aborted all the same. */
  private void tolerate(IOException failure) throws IOException {
    if (!(failure instanceof StoreException e)) {
      throw failure;
    }
    if (e.kind() == StoreException.Kind.NO_SUCH_BUCKET) {
      LOG.warn("The bucket of {} is gone, and with it the uploads of job {}", directory, jobId, e);
      return;
    }
    if (e.kind() != StoreException.Kind.ACCESS_DENIED) {
      throw e;
    }
    LOG.warn(
        "Uploads of killed writers of job {} cannot be looked for, and stay until the bucket's"
            + " lifecycle rule for incomplete uploads removes them. Grant"
            + " s3:ListBucketMultipartUploads on the bucket of {}.",
        jobId,
        directory,
        failure);
  }
}
