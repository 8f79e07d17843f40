package io.zerorename.core.commit;

import io.zerorename.core.log.DirectorySet;
import io.zerorename.core.log.OldObject;
import io.zerorename.core.log.PlanWriter;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.ObjectSummary;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.RemoteIterators;

/**
 * Stage {@link CommitStage#PLAN}: adds to the plan what the new files replace, and the directories
 * that would be left without an object.
 */
record ListReplaced(
    ObjectStores stores, CommitRequest request, NewFiles files, PlanWriter plan, Workers workers) {
  /**
   * @param directories whose old files are replaced; they are listed
   * @param check of each old object; it may fail
   */
  void run(Set<Path> directories, GroupedListing.Visitor check) throws IOException {
    if (request.job().plainNames() && !files.isEmpty()) {
      workers.forEach(request.job().roots(), this::refuseExisting);
    }
    for (OldObject object : request.overwrite().objects()) {
      plan.replace(object);
    }
    PlanChecks checks = new PlanChecks(request.job());
    Set<String> markers = new HashSet<>();
    for (Path directory : directories) {
      checks.check(directory);
      markers.add(ObjectKeys.located(directory, ObjectKeys.prefixOf(directory)));
    }
    Set<Path> notEmpty = ConcurrentHashMap.newKeySet();
    new GroupedListing(
            stores,
            request.job().roots(),
            (directory, object) -> found(directory, object, markers, notEmpty, check))
        .visitReplaced(directories, workers);
    Set<Path> filled = new HashSet<>();
    files.directories().forEach(directory -> DirectorySet.addWithAncestors(directory, filled));
    for (Path directory : directories.stream().sorted().toList()) {
      // The root of a bucket exists without an object.
      if (!ObjectKeys.prefixOf(directory).isEmpty()
          && !filled.contains(directory)
          && !notEmpty.contains(directory)) {
        plan.keep(directory);
      }
    }
  }

  private void refuseExisting(Path root) throws IOException {
    RemoteIterators.foreach(
        stores.forPath(root).listObjects(ObjectKeys.prefixOf(root)),
        object -> {
          if (files.contains(ObjectKeys.located(root, object.key()))) {
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
  private void found(
      Path directory,
      ObjectSummary object,
      Set<String> markers,
      Set<Path> notEmpty,
      GroupedListing.Visitor check)
      throws IOException {
    Path bucket = new Path(directory, "/");
    String location = ObjectKeys.located(bucket, object.key());
    if (files.contains(location)
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
      check.found(directory, object);
      plan.replace(new OldObject(bucket, object.key(), object.etag(), object.lastModified()));
    }
  }
}
