package io.zerorename.core.log;

import io.zerorename.core.store.ObjectKeys;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.fs.Path;

/** Directories with all that lies below them, by whatever scheme each is written. */
public final class DirectorySet {
  private final List<Path> paths;
  private final Set<Location> directories = new HashSet<>();

  /** Those above the directories. */
  private final Set<Location> above = new HashSet<>();

  private record Location(String bucket, String prefix) {
    static Location of(Path directory) {
      return new Location(ObjectKeys.bucketOf(directory), ObjectKeys.prefixOf(directory));
    }
  }

  public DirectorySet(Collection<Path> directories) {
    this.paths = directories.stream().sorted().distinct().toList();
    for (Path directory : paths) {
      this.directories.add(Location.of(directory));
      for (Path it = directory.getParent(); it != null; it = it.getParent()) {
        if (!above.add(Location.of(it))) {
          break;
        }
      }
    }
  }

  public static DirectorySet none() {
    return new DirectorySet(List.of());
  }

  /** These and some others. */
  public DirectorySet and(Collection<Path> others) {
    List<Path> all = new ArrayList<>(paths);
    all.addAll(others);
    return new DirectorySet(all);
  }

  /** Adds a path and all above it, up to the first that is there already. */
  public static void addWithAncestors(Path path, Collection<Path> all) {
    for (Path it = path; it != null; it = it.getParent()) {
      if (!all.add(it)) {
        return;
      }
    }
  }

  /** In ascending order. */
  List<Path> paths() {
    return paths;
  }

  boolean isEmpty() {
    return paths.isEmpty();
  }

  /** Whether a directory is one of them or lies below one. */
  public boolean contains(Path directory) {
    for (Path it = directory; it != null; it = it.getParent()) {
      if (directories.contains(Location.of(it))) {
        return true;
      }
    }
    return false;
  }

  /** Whether a directory contains one of them, or lies in one. */
  boolean overlaps(Path directory) {
    return above.contains(Location.of(directory)) || contains(directory);
  }
}
