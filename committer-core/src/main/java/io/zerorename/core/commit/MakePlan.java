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
import java.util.Collections;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
    Map<Path, PendingUpload> uploads = new LinkedHashMap<>();
    for (TaskManifest manifest : manifests) {
      for (PendingUpload upload : manifest.uploads()) {
        check(request, upload);
        PendingUpload other = uploads.put(upload.destination(), upload);
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
    Set<Path> directories = request.overwrite().directories(uploads.values());
    Set<String> newKeys = new HashSet<>();
    uploads.values().forEach(upload -> newKeys.add(located(upload.destination(), upload.key())));
    // By place, because replaced directories may lie in one another.
    Map<String, OldObject> replaced = Collections.synchronizedMap(new LinkedHashMap<>());
    List<Path> markers = Collections.synchronizedList(new ArrayList<>());
    Set<Path> parents = new HashSet<>();
    uploads.keySet().forEach(path -> addAncestors(path, parents));
    workers.forEach(
        directories,
        directory -> {
          Listing listing = list(directory);
          for (OldObject object : listing.replaceable()) {
            String place = located(object.bucket(), object.key());
            if (!newKeys.contains(place)) {
              replaced.put(place, object);
            }
          }
          if (!listing.anyOtherLeft() && !parents.contains(directory)) {
            markers.add(directory);
          }
        });
    return new CommitPlan(
        request.jobId(),
        request.description(),
        List.copyOf(uploads.values()),
        List.copyOf(replaced.values()),
        markers);
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

  private static boolean isBelow(Path path, Path root) {
    return path.toUri().getScheme().equals(root.toUri().getScheme())
        && path.toUri().getAuthority().equals(root.toUri().getAuthority())
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
   * What stands below a directory.
   *
   * @param anyOtherLeft whether an object stays that keeps the directory in existence: its own
   *     marker, or a hidden one
   */
  private record Listing(List<OldObject> replaceable, boolean anyOtherLeft) {}

  /**
   * Lists what an overwrite of a directory replaces: as Hive does it, everything below it but what
   * begins with an underscore or a dot directly below it. The directory's own marker stays.
   */
  private Listing list(Path directory) throws IOException {
    String prefix = ObjectKeys.prefixOf(directory);
    Path bucket = new Path(directory, "/");
    List<OldObject> replaceable = new ArrayList<>();
    boolean anyOther = false;
    try {
      Iterator<ObjectSummary> objects = stores.forPath(directory).listObjects(prefix);
      while (objects.hasNext()) {
        ObjectSummary object = objects.next();
        String below = object.key().substring(prefix.length());
        if (below.isEmpty() || below.startsWith("_") || below.startsWith(".")) {
          anyOther = true;
        } else {
          replaceable.add(
              new OldObject(bucket, object.key(), object.etag(), object.lastModified()));
        }
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    return new Listing(replaceable, anyOther);
  }
}
