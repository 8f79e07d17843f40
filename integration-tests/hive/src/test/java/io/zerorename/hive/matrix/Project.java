package io.zerorename.hive.matrix;

import io.zerorename.testing.docs.SourceTree;
import java.nio.file.Path;

/** Where the files of this build are. */
final class Project {
  private static final Path MODULE =
      Path.of(System.getProperty("basedir", "")).toAbsolutePath().normalize();

  private Project() {}

  /** A path of this module. */
  static Path directory(String relative) {
    return MODULE.resolve(relative);
  }

  /** A path of the whole project. */
  static Path root(String relative) {
    return SourceTree.root().resolve(relative);
  }
}
