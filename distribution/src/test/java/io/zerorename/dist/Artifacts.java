package io.zerorename.dist;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** What the build has made of this module. */
final class Artifacts {
  static final String VERSION = System.getProperty("zerorename.dist.version");

  /** Of the jar and the archive, without what follows the dot; and the archive's top directory. */
  static final String NAME = System.getProperty("zerorename.dist.name");

  private static final Path ROOT = Path.of(System.getProperty("basedir", "")).resolve("..");

  private Artifacts() {}

  static Path jar() {
    return target("distribution", NAME + ".jar");
  }

  static Path archive() {
    return target("distribution", NAME + ".tar.gz");
  }

  /** The jars of the modules that the one jar is made of. */
  static List<Path> modules() {
    return Stream.of("committer-core", "committer-magic", "committer-hive", "committer-spark")
        .map(module -> target(module, module + "-" + VERSION + ".jar"))
        .toList();
  }

  private static Path target(String module, String file) {
    return ROOT.resolve(module).resolve("target").resolve(file);
  }
}
