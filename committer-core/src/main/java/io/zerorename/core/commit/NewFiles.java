package io.zerorename.core.commit;

import io.zerorename.core.log.PlanWriter;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.upload.InlineFile;
import io.zerorename.core.upload.OutputFile;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.fs.Path;

/**
 * The files that the manifests of a job name, once they are in its plan. Of each it keeps a
 * fingerprint, and of an upload one more.
 */
final class NewFiles {
  /** More directories are named by the roots of the job. */
  private static final int LONGEST_SCOPE = 500;

  private final CommitRequest request;
  private final PlanChecks checks;
  private final VanishedUploads uploads;
  private final FingerprintSet locations = new FingerprintSet();
  private final Set<Path> directories = ConcurrentHashMap.newKeySet();

  private NewFiles(ObjectStores stores, CommitRequest request) {
    this.request = request;
    this.checks = new PlanChecks(request.job());
    this.uploads = new VanishedUploads(stores, request);
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
                  files.uploads.add(upload);
                  plan.add(upload);
                } else if (file instanceof InlineFile small) {
                  plan.add(smallFiles.upload(small));
                }
              }
            });
    return files;
  }

  private void add(OutputFile file) throws IOException {
    checks.check(file);
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

  /** Fails if an upload of a task is gone. */
  void refuseVanished(Workers workers) throws IOException {
    uploads.refuse(directories, workers);
  }
}
