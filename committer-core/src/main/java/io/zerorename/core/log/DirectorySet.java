package io.zerorename.core.log;

import io.zerorename.core.store.ObjectKeys;
import java.util.Collection;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Path;

/** Directories with all that lies below them, by whatever scheme each is written. */
public final class DirectorySet {
  private final Set<String> directories = new HashSet<>();

  /** Those above the directories. */
  private final Set<String> above = new HashSet<>();

  public DirectorySet(Collection<Path> directories) {
    for (Path directory : directories) {
      this.directories.add(located(directory));
      for (Path it = directory.getParent(); it != null; it = it.getParent()) {
        if (!above.add(located(it))) {
          break;
        }
      }
    }
  }

  /** Adds a path and all above it, up to the first that is there already. */
  public static void addWithAncestors(Path path, Collection<Path> all) {
    for (Path it = path; it != null; it = it.getParent()) {
      if (!all.add(it)) {
        return;
      }
    }
  }

  boolean isEmpty() {
    return directories.isEmpty();
  }

  /** Whether a directory is one of them or lies below one. */
  public boolean contains(Path directory) {
    return Stream.iterate(directory, Objects::nonNull, Path::getParent)
        .anyMatch(it -> directories.contains(located(it)));
  }

  /** Whether a directory contains one of them, or lies in one. */
  boolean overlaps(Path directory) {
    return above.contains(located(directory)) || contains(directory);
  }

  private static String located(Path directory) {
    return ObjectKeys.located(directory, ObjectKeys.prefixOf(directory));
  }
}
