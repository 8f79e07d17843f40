package io.zerorename.spark.checkpoint;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.fs.Path;

/** Directories that a process has made, and that S3 does not know of while nothing is in them. */
final class MadeDirectories {
  private final Set<Path> directories = ConcurrentHashMap.newKeySet();

  /** Adds a directory and those above it. */
  void add(Path directory) {
    for (Path made = directory; made != null; made = made.getParent()) {
      directories.add(made);
    }
  }

  boolean contains(Path directory) {
    return directories.contains(directory);
  }

  /** Those whose parent is this directory. */
  List<Path> in(Path directory) {
    return directories.stream().filter(made -> directory.equals(made.getParent())).toList();
  }

  /** Removes a directory and those below it. */
  void remove(Path directory) {
    directories.removeIf(
        made -> {
          Path above = made;
          while (above != null && !above.equals(directory)) {
            above = above.getParent();
          }
          return above != null;
        });
  }
}
