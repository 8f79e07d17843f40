package io.zerorename.core.commit;

import io.zerorename.core.manifest.ManifestFiles;
import io.zerorename.core.manifest.TaskManifest;
import java.io.IOException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Where the manifests of the chosen task attempts come from: files, or, in engines that carry
 * messages from tasks to the job, those.
 */
@FunctionalInterface
public interface ManifestSource {
  /**
   * All manifests of the job, in any order.
   *
   * @param workers to read with
   */
  List<TaskManifest> load(Workers workers) throws IOException;

  /** Manifests that are at hand. */
  static ManifestSource of(List<TaskManifest> manifests) {
    List<TaskManifest> copy = List.copyOf(manifests);
    return workers -> copy;
  }

  /** Every file below a directory, each of which must be a manifest; none if it does not exist. */
  static ManifestSource filesBelow(FileSystem fileSystem, Path directory) {
    return workers -> {
      Queue<Path> files = new ConcurrentLinkedQueue<>();
      List<Path> level = fileSystem.exists(directory) ? List.of(directory) : List.of();
      while (!level.isEmpty()) {
        Queue<Path> below = new ConcurrentLinkedQueue<>();
        workers.forEach(
            level,
            parent -> {
              // Not listFiles: it asks for permissions, which cost a process per file on a local
              // file system.
              for (FileStatus child : fileSystem.listStatus(parent)) {
                (child.isDirectory() ? below : files).add(child.getPath());
              }
            });
        level = List.copyOf(below);
      }
      Queue<TaskManifest> manifests = new ConcurrentLinkedQueue<>();
      workers.forEach(files, file -> manifests.add(ManifestFiles.read(fileSystem, file)));
      return List.copyOf(manifests);
    };
  }
}
