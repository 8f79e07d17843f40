package io.zerorename.core.commit;

import io.zerorename.core.log.PlanWriter;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.PendingUploadSummary;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.core.upload.InlineFile;
import io.zerorename.core.upload.OutputFile;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files that the manifests of a job name, once they are in its plan. Of each it keeps a
 * fingerprint, and of an upload one more.
 */
final class NewFiles {
  private static final Logger LOG = LoggerFactory.getLogger(NewFiles.class);

  /** Half of the shortest time that a lifecycle rule can have. MinIO's setting is a day as well. */
  private static final Duration LONG = Duration.ofHours(12);

  /** Of a directory: a commit waits for no more, as one page is requested after the other. */
  private static final int MOST_LISTED = 20 * ObjectStore.PAGE_SIZE;

  /** Each directory is listed, at the same time, where that is at most a request per so many. */
  private static final int PER_DIRECTORY = 100;

  /**
   * Up to so many uploads that were not listed are checked one by one. MinIO lists by exact key
   * only, and shows none: a request for each would cost a large job too much.
   */
  private static final int MOST_ASKED = 10;

  /** More directories are named by the roots of the job. */
  private static final int LONGEST_SCOPE = 500;

  private final CommitRequest request;
  private final ObjectStores stores;
  private final FingerprintSet locations = new FingerprintSet();
  private final Set<Path> directories = ConcurrentHashMap.newKeySet();

  /** The uploads that were not listed. */
  private final FingerprintSet unseen = new FingerprintSet();

  /** One of all, so that a large job on MinIO need not read its manifests again. */
  private volatile PendingUpload sample;

  private final AtomicBoolean warned = new AtomicBoolean();

  private NewFiles(ObjectStores stores, CommitRequest request) {
    this.request = request;
    this.stores = stores;
  }

  /**
   * Stage {@link CommitStage#LOAD_MANIFESTS}: adds the files of the chosen task attempts to the
   * plan, and uploads those whose bytes are in a manifest. Only Hive has such, one in each
   * manifest: more would be in memory together.
   */
  static NewFiles load(
      ObjectStores stores,
      CommitRequest request,
      SmallFiles smallFiles,
      PlanWriter plan,
      Workers workers)
      throws IOException {
    NewFiles files = new NewFiles(stores, request);
    request
        .manifests()
        .forEach(
            workers,
            manifest -> {
              for (OutputFile file : manifest.files()) {
                files.add(file);
                if (file instanceof PendingUpload upload) {
                  files.unseen.add(name(upload));
                  files.sample = upload;
                  plan.add(upload);
                } else if (file instanceof InlineFile small) {
                  plan.add(smallFiles.upload(small));
                }
              }
            });
    return files;
  }

  private void add(OutputFile file) throws IOException {
    new PlanChecks(request.job()).check(file);
    if (!locations.add(ObjectKeys.located(file.destination(), file.key()))) {
      throw new IOException(
          ("ZR-1127: Task attempt %s wants to write %s, as an earlier one does. One of them should"
                  + " have been aborted by the engine; run the job again.")
              .formatted(file.taskAttemptId(), file.destination()));
    }
    directories.add(file.destination().getParent());
  }

  boolean isEmpty() {
    return directories.isEmpty();
  }

  /** Whether one of them will be there. */
  boolean contains(String location) {
    return locations.contains(location);
  }

  Set<Path> directories() {
    return Set.copyOf(directories);
  }

  /** The same, or directories that contain these. */
  Collection<Path> scope() {
    return directories.size() > LONGEST_SCOPE ? request.job().roots() : directories;
  }

  /**
   * Fails a commit before its decision if an upload of a task is no longer pending: after the
   * decision it would be damaged. Lists the uploads, because a job has many. AWS does not document
   * that this listing is consistent, so only ListParts proves that an upload is gone.
   *
   * @throws IOException if one is gone
   */
  void refuseVanished(Workers workers) throws IOException {
    int all = unseen.size();
    if (all == 0) {
      return;
    }
    List<Path> roots = request.job().roots();
    workers.forEach(
        directories.size() <= Math.max(roots.size(), all / PER_DIRECTORY) ? directories : roots,
        this::list);
    int rest = unseen.size();
    Instant young = Instant.now().minus(LONG);
    boolean each = rest <= MOST_ASKED || request.begun().filter(it -> it.isAfter(young)).isEmpty();
    if (rest > 0 && !each && unseen.contains(name(sample))) {
      ask(sample);
    } else if (rest > 0) {
      AtomicInteger left = new AtomicInteger(each ? rest : 1);
      request.manifests().forEach(workers, manifest -> ask(manifest.uploads(), left));
    }
  }

  private void list(Path directory) throws IOException {
    try {
      RemoteIterator<PendingUploadSummary> listed =
          stores.forPath(directory).listUploads(ObjectKeys.prefixOf(directory));
      for (int i = 0; i < MOST_LISTED && unseen.size() > 0 && listed.hasNext(); i++) {
        PendingUploadSummary upload = listed.next();
        unseen.remove(name(directory, upload.key(), upload.uploadId()));
      }
    } catch (StoreException e) {
      warnOrThrow(directory, e);
    }
  }

  private void ask(Iterable<PendingUpload> uploads, AtomicInteger left) throws IOException {
    for (PendingUpload upload : uploads) {
      if (unseen.contains(name(upload)) && left.getAndDecrement() > 0) {
        ask(upload);
      }
    }
  }

  private void ask(PendingUpload upload) throws IOException {
    ObjectStore store = stores.forPath(upload.destination());
    try {
      if (StoreException.orElse(
          Kind.NO_SUCH_UPLOAD,
          true,
          () -> store.listParts(upload.key(), upload.uploadId()).isEmpty())) {
        throw new IOException(
            ("ZR-1128: The upload to %s has vanished before the commit. See to what has removed it"
                    + " before you run the job again: a job of an S3A committer that aborts the"
                    + " uploads of others (set fs.s3a.committer.abort.pending.uploads to false for"
                    + " it), a lifecycle rule for incomplete uploads that is shorter than the job,"
                    + " or fs.s3a.multipart.purge.")
                .formatted(upload.destination()));
      }
    } catch (StoreException e) {
      warnOrThrow(upload.destination(), e);
    }
  }

  /** A missing right, or a store that does not know the request, fails no job. */
  private void warnOrThrow(Path path, StoreException e) throws StoreException {
    if (e.kind() != Kind.ACCESS_DENIED && e.kind() != Kind.REJECTED) {
      throw e;
    }
    if (warned.compareAndSet(false, true)) {
      LOG.warn(
          "ZR-1129: Whether the uploads to {} are still there cannot be seen before the commit,"
              + " which goes on: {} If a right is missing, grant s3:ListBucketMultipartUploads and"
              + " s3:ListMultipartUploadParts.",
          path,
          e.getMessage());
    }
  }

  private static String name(PendingUpload upload) {
    return name(upload.destination(), upload.key(), upload.uploadId());
  }

  private static String name(Path inBucket, String key, String uploadId) {
    return ObjectKeys.located(inBucket, key) + "?" + uploadId;
  }
}
