package io.zerorename.cli.doctor;

import io.zerorename.hive.fallback.EngineLinks;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;

/** Checks that the jar hive-exec has all that the committer uses of Hive. */
record HiveLinksCheck(Cluster cluster) implements Check.Test {
  private static final int SHOWN = 20;

  @Override
  public Finding run() throws IOException {
    Path jar = cluster.hiveExec();
    EngineLinks links;
    try (URLClassLoader hive = new URLClassLoader(new URL[] {jar.toUri().toURL()}, null)) {
      links =
          EngineLinks.of(
              "io/zerorename/hive/ZeroRenameHook",
              "org/apache/hadoop/hive/",
              hive,
              cluster.classPath());
    }
    if (links.missing().isEmpty()) {
      return Finding.ok(
          "%s has all that the committer uses of it: %s uses".formatted(jar, links.checked()));
    }
    return Finding.wrong(
        ("%s lacks %s of %s classes and members that the committer uses, so that INSERTs keep Hive's"
                + " own path (HIVE_VERSION): %s%s")
            .formatted(
                jar,
                links.missing().size(),
                links.checked(),
                String.join(", ", links.missing().stream().limit(SHOWN).toList()),
                links.missing().size() > SHOWN ? ", …" : ""));
  }
}
