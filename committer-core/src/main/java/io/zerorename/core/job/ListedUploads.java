package io.zerorename.core.job;

import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.StoreException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.RemoteIterators;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pending uploads of a job that the store lists under keys that carry the job's id. Others are
 * not its own for certain. So what a killed writer began under a plain name, or on a store that
 * lists uploads by exact key only, as MinIO, is left to the bucket's lifecycle rule.
 */
final class ListedUploads {
  private static final Logger LOG = LoggerFactory.getLogger(ListedUploads.class);

  private ListedUploads() {}

  /** One request per 1,000 uploads below the directory. */
  static List<UploadSweep.Upload> below(Path directory, ObjectStores stores, String jobId)
      throws IOException {
    List<UploadSweep.Upload> found = new ArrayList<>();
    try {
      RemoteIterators.foreach(
          stores.forPath(directory).listUploads(ObjectKeys.prefixOf(directory)),
          upload -> {
            if (upload.key().contains(jobId)) {
              found.add(
                  new UploadSweep.Upload(
                      new Path(directory, "/" + upload.key()), upload.uploadId()));
            }
          });
    } catch (StoreException e) {
      tolerate(e, directory, jobId);
    }
    return found;
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
