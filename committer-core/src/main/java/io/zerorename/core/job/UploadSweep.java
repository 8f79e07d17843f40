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
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.core.store.UploadedPart;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.InvocationRaisingIOE;
import org.apache.hadoop.util.functional.RemoteIterators;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stage: aborts the uploads of a job that no process will complete, and no others. An upload is the
 * job's where its records name its id, or where the store lists it and its key carries the job's
 * id. Two requests per upload.
 */
public final class UploadSweep {
  private static final int ATTEMPTS = 3;
  private static final Logger LOG = LoggerFactory.getLogger(UploadSweep.class);

  /** Answers to a look: a right is missing, the store does not know the request, or its bucket. */
  private static final Set<Kind> UNSEEN =
      EnumSet.of(Kind.ACCESS_DENIED, Kind.REJECTED, Kind.NO_SUCH_BUCKET);

  private final ObjectStores stores;
  private final String jobId;
  private final Map<String, Path> named;
  private final List<Path> searched;
  private final Optional<OpenEntry> entry;
  private final AtomicInteger aborted = new AtomicInteger();
  private final AtomicBoolean warned = new AtomicBoolean();

  /**
   * @param named files of uploads of the job by the ids of these, also those of its entry
   * @param searched directories that are listed for uploads that no record names
   * @param entry of which no file is aborted
   */
  public UploadSweep(
      ObjectStores stores,
      String jobId,
      Map<String, Path> named,
      List<Path> searched,
      Optional<OpenEntry> entry) {
    this.stores = stores;
    this.jobId = jobId;
    this.named = named;
    this.searched = List.copyOf(searched);
    this.entry = entry;
  }

  /**
   * Goes on after a failure, which it throws at the end. Returns how many uploads it has aborted.
   */
  public int run(Workers workers) throws IOException {
    Failures failures = new Failures();
    // By their ids.
    Map<String, Path> uploads = new ConcurrentHashMap<>(named);
    workers.forEach(searched, root -> failures.of(() -> addListed(root, uploads)));
    if (entry.isPresent() && !uploads.isEmpty()) {
      RemoteIterators.foreach(
          entry.get().plan().uploads(), file -> uploads.remove(file.uploadId()));
    }
    workers.forEach(uploads.entrySet(), it -> failures.of(() -> abort(it.getValue(), it.getKey())));
    failures.throwAny();
    return aborted();
  }

  /** How many uploads it has aborted, also where it has failed. */
  public int aborted() {
    return aborted.get();
  }

  /**
   * Adds the pending uploads that the store lists under keys that carry the job's id. What else a
   * killed writer began under a plain name, or on a store that lists uploads by exact key only, as
   * MinIO, is left to the bucket's lifecycle rule. One request per 1,000 uploads below the
   * directory.
   */
  private void addListed(Path directory, Map<String, Path> uploads) throws IOException {
    unless(
        UNSEEN,
        directory,
        () ->
            RemoteIterators.foreach(
                stores.forPath(directory).listUploads(ObjectKeys.prefixOf(directory)),
                upload -> {
                  if (upload.key().contains(jobId)) {
                    uploads.put(upload.uploadId(), new Path(directory, "/" + upload.key()));
                  }
                }));
  }

  /**
   * Does a step. Where it fails in one of some ways, those uploads that are known can be aborted
   * all the same. A writer may have aborted its upload itself.
   */
  private void unless(Set<Kind> kinds, Path path, InvocationRaisingIOE step) throws IOException {
    try {
      step.apply();
    } catch (StoreException e) {
      if (!kinds.contains(e.kind()) && e.kind() != Kind.NO_SUCH_UPLOAD) {
        throw e;
      }
      if (e.kind() != Kind.NO_SUCH_UPLOAD && !warned.getAndSet(true)) {
        LOG.warn(
            "ZR-3113: Uploads of job {} at {} cannot all be found, or are gone with their bucket."
                + " What is left of them the bucket's lifecycle rule for incomplete uploads"
                + " removes. Where access was denied, grant s3:ListBucketMultipartUploads and"
                + " s3:ListMultipartUploadParts.",
            jobId,
            path,
            e);
      }
    }
  }

  /**
   * Aborts until no part is left: a part that was under way may arrive after the abort, and S3's
   * documentation of AbortMultipartUpload says to check.
   */
  private void abort(Path path, String uploadId) throws IOException {
    ObjectStore store = stores.forPath(path);
    String key = ObjectKeys.of(path);
    for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
      boolean isFirst = attempt == 1;
      unless(
          EnumSet.of(Kind.NO_SUCH_BUCKET),
          path,
          () -> {
            store.abortUpload(key, uploadId);
            if (isFirst) {
              aborted.incrementAndGet();
              CommitterMetrics.add(Metric.UPLOADS_ABORTED, 1);
            }
          });
      List<UploadedPart> parts = new ArrayList<>();
      unless(UNSEEN, path, () -> parts.addAll(store.listParts(key, uploadId)));
      if (parts.isEmpty()) {
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
}
