package io.zerorename.core.commit;

import io.zerorename.core.manifest.TaskManifest;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.ObjectSummary;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stage: fixes what the commit will do. One listing per replaced directory, and none without an
 * overwrite.
 */
final class MakePlan {
  private static final Logger LOG = LoggerFactory.getLogger(MakePlan.class);

  /** Half of the shortest time that a lifecycle rule can have. */
  private static final Duration LONG = Duration.ofHours(12);

  private final ObjectStores stores;

  MakePlan(ObjectStores stores) {
    this.stores = stores;
  }

  CommitPlan run(CommitRequest request, List<TaskManifest> manifests, Workers workers)
      throws IOException {
    PlanChecks checks = new PlanChecks(request.job());
    Map<String, PendingUpload> uploads = uploads(checks, manifests);
    if (request.job().plainNames() && !uploads.isEmpty()) {
      workers.forEach(request.job().roots(), root -> refuseExisting(root, uploads));
    }
    if (request.begun().isEmpty() || request.begun().get().isBefore(Instant.now().minus(LONG))) {
      workers.forEach(uploads.values(), this::refuseVanished);
    }
    Set<Path> directories = request.overwrite().directories(uploads.values());
    Set<String> spared = new HashSet<>(uploads.keySet());
    for (Path directory : directories) {
      checks.check(directory);
      spared.add(located(directory, ObjectKeys.prefixOf(directory)));
    }
    // By place and in its order, because replaced directories may lie in one another.
    Map<String, OldObject> replaced = new ConcurrentSkipListMap<>();
    Map<Path, List<String>> kept = new ConcurrentHashMap<>();
    workers.forEach(
        directories, directory -> kept.put(directory, list(directory, spared, replaced)));
    return new CommitPlan(
        request.job(),
        List.copyOf(uploads.values()),
        List.copyOf(replaced.values()),
        markers(directories, uploads.values(), kept, replaced.keySet()));
  }

  /** The uploads by their places. */
  private static Map<String, PendingUpload> uploads(PlanChecks checks, List<TaskManifest> manifests)
      throws IOException {
    Map<String, PendingUpload> uploads = new LinkedHashMap<>();
    for (TaskManifest manifest : manifests) {
      for (PendingUpload upload : manifest.uploads()) {
        checks.check(upload);
        PendingUpload other = uploads.put(located(upload.destination(), upload.key()), upload);
        if (other != null) {
          throw new IOException(
              "Two task attempts, "
                  + other.taskAttemptId()
                  + " and "
                  + upload.taskAttemptId()
                  + ", want to write "
                  + upload.destination()
                  + ". One of them should have been given up by the engine; run the job again.");
        }
      }
    }
    return uploads;
  }

  /**
   * A lifecycle rule for incomplete uploads works in days, and cannot be asked about one. After the
   * decision it would be too late to notice.
   */
  private void refuseVanished(PendingUpload upload) throws IOException {
    try {
      stores.forPath(upload.destination()).listParts(upload.key(), upload.uploadId());
    } catch (StoreException e) {
      switch (e.kind()) {
        case NO_SUCH_UPLOAD ->
            throw new IOException(
                "The upload to "
                    + upload.destination()
                    + " has vanished before the commit. A lifecycle rule for incomplete uploads that"
                    + " is shorter than the job, or fs.s3a.multipart.purge, removes them: see to it"
                    + " before you run the job again.",
                e);
        // It is only a precaution, for which no job must fail that has worked for hours.
        case ACCESS_DENIED ->
            LOG.warn(
                "Whether the upload to {} is still there cannot be seen before the commit. Grant"
                    + " s3:ListMultipartUploadParts.",
                upload.destination(),
                e);
        default -> throw e;
      }
    }
  }

  private void refuseExisting(Path root, Map<String, PendingUpload> uploads) throws IOException {
    try {
      Iterator<ObjectSummary> objects = stores.forPath(root).listObjects(ObjectKeys.prefixOf(root));
      while (objects.hasNext()) {
        PendingUpload upload = uploads.get(located(root, objects.next().key()));
        if (upload != null) {
          throw new IOException(
              upload.destination()
                  + " exists already: another job has written into the destination since this one"
                  + " began.");
        }
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /** The directories in which neither a new object nor an old one will be. */
  private static List<Path> markers(
      Set<Path> directories,
      Collection<PendingUpload> files,
      Map<Path, List<String>> kept,
      Set<String> replaced) {
    Set<Path> parents = new HashSet<>();
    files.forEach(file -> addAncestors(file.destination(), parents));
    return directories.stream()
        // The root of a bucket exists without an object.
        .filter(directory -> !ObjectKeys.prefixOf(directory).isEmpty())
        .filter(directory -> !parents.contains(directory))
        .filter(directory -> replaced.containsAll(kept.get(directory)))
        .sorted()
        .toList();
  }

  private static String located(Path inBucket, String key) {
    return inBucket.toUri().getAuthority() + "/" + key;
  }

  private static void addAncestors(Path path, Collection<Path> ancestors) {
    for (Path parent = path.getParent(); parent != null; parent = parent.getParent()) {
      if (!ancestors.add(parent)) {
        return;
      }
    }
  }

  /**
   * Lists what an overwrite of a directory replaces: as Hive does it, everything below it but what
   * begins with an underscore or a dot directly below it. Spared are also the logs of destinations
   * below it, the files of this commit and the markers of replaced directories.
   *
   * @return the places of the objects that this directory keeps
   */
  private List<String> list(Path directory, Set<String> spared, Map<String, OldObject> replaced)
      throws IOException {
    String prefix = ObjectKeys.prefixOf(directory);
    Path bucket = new Path(directory, "/");
    List<String> kept = new ArrayList<>();
    try {
      Iterator<ObjectSummary> objects = stores.forPath(directory).listObjects(prefix);
      while (objects.hasNext()) {
        ObjectSummary object = objects.next();
        String place = located(bucket, object.key());
        String below = object.key().substring(prefix.length());
        if (spared.contains(place)
            || below.startsWith("_")
            || below.startsWith(".")
            || below.contains("/" + CommitLogs.DEFAULT_NAME + "/")) {
          kept.add(place);
        } else {
          replaced.put(
              place, new OldObject(bucket, object.key(), object.etag(), object.lastModified()));
        }
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    return kept;
  }
}
