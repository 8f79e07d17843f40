package io.zerorename.core.commit;

import io.zerorename.core.manifest.TaskManifest;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.ObjectSummary;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.apache.hadoop.fs.Path;

/**
 * Stage: fixes what the commit will do. One listing per replaced directory, and none without an
 * overwrite.
 */
final class MakePlan {
  private final ObjectStores stores;

  MakePlan(ObjectStores stores) {
    this.stores = stores;
  }

  CommitPlan run(CommitRequest request, List<TaskManifest> manifests, Workers workers)
      throws IOException {
    Map<String, PendingUpload> uploads = uploads(request, manifests);
    if (request.refuseExisting() && !uploads.isEmpty()) {
      workers.forEach(request.roots(), root -> refuseExisting(root, uploads));
    }
    Set<Path> directories = request.overwrite().directories(uploads.values());
    Set<String> spared = new HashSet<>(uploads.keySet());
    for (Path directory : directories) {
      check(request, directory);
      spared.add(located(directory, ObjectKeys.prefixOf(directory)));
    }
    // By place and in its order, because replaced directories may lie in one another.
    Map<String, OldObject> replaced = new ConcurrentSkipListMap<>();
    Map<Path, List<String>> kept = new ConcurrentHashMap<>();
    workers.forEach(
        directories, directory -> kept.put(directory, list(directory, spared, replaced)));
    return new CommitPlan(
        request.jobId(),
        request.description(),
        List.copyOf(uploads.values()),
        List.copyOf(replaced.values()),
        markers(directories, uploads.values(), kept, replaced.keySet()));
  }

  /** The uploads by their places. */
  private static Map<String, PendingUpload> uploads(
      CommitRequest request, List<TaskManifest> manifests) throws IOException {
    Map<String, PendingUpload> uploads = new LinkedHashMap<>();
    for (TaskManifest manifest : manifests) {
      for (PendingUpload upload : manifest.uploads()) {
        check(request, upload);
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

  /**
   * Checks that a decision which was found is one that this job can have made. Whoever can write to
   * the work directory must not be able to delete what the job's user may delete.
   */
  static void check(CommitRequest request, CommitPlan plan) throws IOException {
    for (PendingUpload upload : plan.uploads()) {
      check(request, upload);
    }
    for (OldObject object : plan.replaced()) {
      if (request.roots().stream()
          .noneMatch(
              root ->
                  root.toUri().getAuthority().equals(object.bucket().toUri().getAuthority())
                      && object.key().startsWith(ObjectKeys.prefixOf(root)))) {
        throw new IOException(
            "The decision that was found wants to delete "
                + object.bucket()
                + object.key()
                + ", which is not below "
                + request.roots()
                + ". It was changed or is not of this job; nothing was done.");
      }
    }
    for (Path directory : plan.markers()) {
      check(request, directory);
    }
    if (!request.jobId().equals(plan.jobId())) {
      throw new IOException(
          "the decision that was found is of job " + plan.jobId() + ", not " + request.jobId());
    }
  }

  private static void check(CommitRequest request, PendingUpload upload) throws IOException {
    if (!request.jobId().equals(upload.jobId())) {
      throw new IOException(
          "The upload to "
              + upload.destination()
              + " belongs to job "
              + upload.jobId()
              + " and not to "
              + request.jobId()
              + "; two jobs seem to share a staging directory.");
    }
    if (request.roots().stream().noneMatch(root -> isBelow(upload.destination(), root))) {
      throw new IOException(
          "A task manifest names "
              + upload.destination()
              + ", which is not below "
              + request.roots()
              + ". The manifest was changed or is not of this job; nothing was committed.");
    }
  }

  private static void check(CommitRequest request, Path directory) throws IOException {
    if (request.roots().stream()
        .noneMatch(root -> root.equals(directory) || isBelow(directory, root))) {
      throw new IOException(
          "The directory "
              + directory
              + " is to be overwritten, but is not below "
              + request.roots()
              + "; nothing was committed.");
    }
  }

  private static boolean isBelow(Path path, Path root) {
    return Objects.equals(path.toUri().getScheme(), root.toUri().getScheme())
        && Objects.equals(path.toUri().getAuthority(), root.toUri().getAuthority())
        && ObjectKeys.of(path).startsWith(ObjectKeys.prefixOf(root));
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
   * begins with an underscore or a dot directly below it. Spared are also the files of this commit
   * and the markers of replaced directories.
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
        if (spared.contains(place) || below.startsWith("_") || below.startsWith(".")) {
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
