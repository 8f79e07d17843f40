package io.zerorename.core.job;

import io.zerorename.core.document.TaskManifest;
import io.zerorename.core.parallel.Workers;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.ConsumerRaisingIOE;

/**
 * Where the manifests of the chosen task attempts come from: files, or, in engines that carry
 * messages from tasks to the job, those.
 */
@FunctionalInterface
public interface ManifestSource {
  /**
   * Passes on all manifests of the job, each once and in any order, so that only those are in
   * memory which the workers have at hand.
   *
   * @param workers to read with
   * @param action may be called by several threads at once
   */
  void forEach(Workers workers, ConsumerRaisingIOE<TaskManifest> action) throws IOException;

  /**
   * Every file below some directories, each of which must be a manifest; none if they do not exist.
   * No directory lies in another.
   */
  static ManifestSource filesBelow(FileSystem fileSystem, List<Path> directories) {
    List<Path> roots = List.copyOf(directories);
    return (workers, action) -> {
      Queue<Path> rest = new ConcurrentLinkedQueue<>();
      for (Path root : roots) {
        if (fileSystem.exists(root)) {
          rest.add(root);
        }
      }
      while (!rest.isEmpty()) {
        // Not all directories at once: their files would be in memory together.
        List<Path> next = new ArrayList<>();
        while (next.size() < DIRECTORIES_AT_ONCE && !rest.isEmpty()) {
          next.add(rest.remove());
        }
        Queue<Path> files = new ConcurrentLinkedQueue<>();
        workers.forEach(
            next,
            parent -> {
              // Not listFiles: it asks for permissions, which cost a process per file on a local
              // file system.
              Path first = null;
              for (FileStatus child : fileSystem.listStatus(parent)) {
                if (child.isDirectory()) {
                  rest.add(child.getPath());
                } else if (first == null) {
                  first = child.getPath();
                } else {
                  files.add(child.getPath());
                }
              }
              // Most partitions have one, which need not wait until all of them are listed.
              if (first != null) {
                action.accept(TaskManifest.read(fileSystem, first));
              }
            });
        workers.forEach(files, file -> action.accept(TaskManifest.read(fileSystem, file)));
      }
    };
  }

  /** Of {@link #filesBelow}. */
  int DIRECTORIES_AT_ONCE = 1_000;
}
