package io.zerorename.core.commit;

import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.DirectorySet;
import io.zerorename.core.log.EntryKind;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.OldObject;
import io.zerorename.core.log.PlanWriter;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.ObjectSummary;
import io.zerorename.core.upload.InlineFile;
import io.zerorename.core.upload.OutputFile;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.SortedSet;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.RemoteIterators;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The plan of a job, which the stages before the decision add to and write as it goes: the files of
 * its manifests, and what they replace. Of each new file it keeps a fingerprint, and of an upload
 * one more.
 */
final class JobPlan {
  private static final Logger LOG = LoggerFactory.getLogger(JobPlan.class);

  /** More directories are named by the roots of the job. */
  private static final int LONGEST_SCOPE = 500;

  private final ObjectStores stores;
  private final CommitLog log;
  private final CommitRequest request;
  private final SmallFiles smallFiles;
  private final Workers workers;
  private final PlanWriter writer;
  private final PlanChecks checks;
  private final VanishedUploads vanished;

  /** The locations of the new files. */
  private final FingerprintSet locations = new FingerprintSet();

  /** The directories of the new files. */
  private final Set<Path> written = ConcurrentHashMap.newKeySet();

  JobPlan(
      ObjectStores stores,
      CommitLog log,
      CommitRequest request,
      SmallFiles smallFiles,
      Workers workers) {
    this.stores = stores;
    this.log = log;
    this.request = request;
    this.smallFiles = smallFiles;
    this.workers = workers;
    this.writer = log.draft(request.job());
    this.checks = new PlanChecks(request.job());
    this.vanished = new VanishedUploads(stores, request);
  }

  /**
   * Stage {@link CommitStage#LOAD_MANIFESTS}: adds the files of the chosen task attempts, and
   * uploads those whose bytes are in a manifest. Only Hive has such, one in each manifest: more
   * would be in memory together.
   */
  void loadManifests() throws IOException {
    request
        .manifests()
        .forEach(
            workers,
            manifest -> {
              for (OutputFile file : manifest.files()) {
                add(file);
              }
            });
  }

  private void add(OutputFile file) throws IOException {
    checks.check(file);
    if (!locations.add(ObjectKeys.located(file.destination(), file.key()))) {
      throw new IOException(
          ("ZR-1127: Task attempt %s wants to write %s, as an earlier one does. One of them should"
                  + " have been aborted by the engine; run the job again.")
              .formatted(file.taskAttemptId(), file.destination()));
    }
    written.add(file.destination().getParent());
    if (file instanceof PendingUpload upload) {
      vanished.add(upload);
      writer.add(upload);
    } else if (file instanceof InlineFile small) {
      writer.add(smallFiles.upload(small));
    }
  }

  /** The directories whose old files are replaced, once all files were added. */
  Set<Path> replaced() {
    return request.overwrite().directories(Set.copyOf(written));
  }

  /**
   * Stage {@link CommitStage#PLAN}, after all files were added: lists the replaced directories, and
   * nothing without an overwrite.
   */
  void listReplaced() throws IOException {
    if (request.job().plainNames() && locations.size() > 0) {
      workers.forEach(request.job().roots(), this::refuseExisting);
    }
    for (OldObject object : request.overwrite().objects()) {
      writer.replace(object);
    }
    Set<Path> directories = replaced();
    Set<String> markers = new HashSet<>();
    for (Path directory : directories) {
      checks.check(directory);
      markers.add(ObjectKeys.located(directory, ObjectKeys.prefixOf(directory)));
    }
    Set<Path> notEmpty = ConcurrentHashMap.newKeySet();
    new GroupedListing(
            stores,
            request.job().roots(),
            (directory, object) -> found(directory, object, markers, notEmpty))
        .visitReplaced(directories, workers);
    Set<Path> filled = new HashSet<>();
    written.forEach(directory -> DirectorySet.addWithAncestors(directory, filled));
    for (Path directory : directories.stream().sorted().toList()) {
      // The root of a bucket exists without an object.
      if (!ObjectKeys.prefixOf(directory).isEmpty()
          && !filled.contains(directory)
          && !notEmpty.contains(directory)) {
        writer.keep(directory);
      }
    }
  }

  private void refuseExisting(Path root) throws IOException {
    RemoteIterators.foreach(
        stores.forPath(root).listObjects(ObjectKeys.prefixOf(root)),
        object -> {
          if (locations.contains(ObjectKeys.located(root, object.key()))) {
            throw new IOException(
                ("ZR-1132: %s exists already: another job has written into the destination since"
                        + " this one began.")
                    .formatted(new Path(root, "/" + object.key())));
          }
        });
  }

  /**
   * Decides about an object in a replaced directory. The files of this commit and the markers of
   * replaced directories stay.
   */
  private void found(Path directory, ObjectSummary object, Set<String> markers, Set<Path> notEmpty)
      throws IOException {
    Path bucket = new Path(directory, "/");
    String location = ObjectKeys.located(bucket, object.key());
    if (locations.contains(location)
        || markers.contains(location)
        || !Overwrite.isData(directory, object, request.overwrite()::spares)) {
      Path spared = new Path(bucket, "/" + object.key());
      // A marker is a directory by itself.
      DirectorySet.addWithAncestors(
          object.key().endsWith("/") ? spared : spared.getParent(), notEmpty);
    } else if (!object.hasEtag()) {
      throw new IOException(
          ("ZR-1133: The store lists %s without an ETag. Without one it cannot be distinguished"
                  + " from a file that is written there later, and no overwrite can replace it;"
                  + " nothing was committed. Remove or rewrite the object.")
              .formatted(new Path(bucket, "/" + object.key())));
    } else {
      writer.replace(new OldObject(bucket, object.key(), object.etag(), object.lastModified()));
    }
  }

  /** Stage {@link CommitStage#WRITE_PLAN}: writes the rest, and fails if an upload is gone. */
  void write() throws IOException {
    writer.writeRest();
    vanished.refuse(written, workers);
  }

  /** The entry that decides the job for the plan, which is written. */
  LogEntry draft(SortedSet<Long> follows) {
    Set<Path> replaced = replaced();
    return writer.draft(
        replaced.isEmpty() ? EntryKind.ADD : EntryKind.REPLACE,
        written.size() > LONGEST_SCOPE ? request.job().roots() : written,
        replaced,
        follows);
  }

  /** The plan of the entry that was decided for it. */
  CommitPlan decided() {
    return writer.plan();
  }

  /** Whether an entry is the one that decides the job for this plan. */
  boolean isOf(LogEntry entry) {
    return entry.writeId().equals(writer.id());
  }

  /**
   * Deletes what is written, which means nothing because no entry names it. What is left of it is
   * deleted after days.
   */
  void drop() {
    try {
      smallFiles.drop(workers);
      log.delete(writer.written());
    } catch (IOException | RuntimeException e) {
      LOG.info("The unused plan of {} cannot be deleted now", log.location(), e);
    }
  }
}
