package io.zerorename.magic.job;

import java.util.Set;
import java.util.function.UnaryOperator;
import org.apache.hadoop.fs.Path;

/**
 * Puts the job's id into the names of its files, so that none replaces an existing file: before the
 * first dot, because readers find format and codec in what follows.
 */
record UniqueNames(Path destination, String jobId) implements UnaryOperator<Path> {
  /** A map file is a directory of files whose names are fixed (MapFile, BloomMapFile). */
  private static final Set<String> IN_MAP_FILES = Set.of("data", "index", "bloom");

  @Override
  public Path apply(Path file) {
    Path directory = file.getParent();
    return IN_MAP_FILES.contains(file.getName()) && mayBeMapFile(directory)
        ? new Path(unique(directory), file.getName())
        : unique(file);
  }

  /** The name of a partition ({@code ds=2026-11-21}) must stay. */
  private boolean mayBeMapFile(Path directory) {
    return !directory.equals(destination) && !directory.getName().contains("=");
  }

  private Path unique(Path path) {
    String name = path.getName();
    // A dot at the beginning only hides a file.
    int dot = name.indexOf('.', 1);
    int end = dot < 0 ? name.length() : dot;
    return new Path(path.getParent(), name.substring(0, end) + "-" + jobId + name.substring(end));
  }
}
