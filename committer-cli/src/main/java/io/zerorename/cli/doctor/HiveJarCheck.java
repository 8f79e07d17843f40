package io.zerorename.cli.doctor;

import java.io.IOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.jar.JarFile;

/**
 * Checks that HiveServer2 and its tasks will find the hook's class. Tasks get the jars that {@code
 * hive.aux.jars.path} names when HiveServer2 starts. {@code bin/hive} replaces that property by the
 * jars of {@code HIVE_AUX_JARS_PATH} and of auxlib, if there are any.
 */
record HiveJarCheck(Cluster cluster) implements Check.Test {
  private static final String PROPERTY = "hive.aux.jars.path";
  private static final String VARIABLE = "HIVE_AUX_JARS_PATH";
  private static final String FILE = "hive-site.xml";
  private static final String HOOK = "io/zerorename/hive/ZeroRenameHook.class";

  @Override
  public Finding run() throws IOException {
    cluster.read(FILE);
    List<String> replacement = replacement();
    List<String> locations =
        replacement.isEmpty()
            ? JarSearch.listed(cluster.conf().getTrimmed(PROPERTY, ""), ",")
            : replacement;
    Optional<Path> jar = withHook(locations);
    if (jar.isPresent() && replacement.isEmpty()) {
      return Finding.warning(
          ("%s is named by %s alone, so that each session of HiveServer2 loads it for itself. A"
                  + " query whose client leaves loses its classes before it has committed or cleaned"
                  + " up. Put the jar into Hive's auxlib, or name it by %s")
              .formatted(jar.get(), PROPERTY, VARIABLE));
    }
    if (jar.isPresent()) {
      return Finding.ok(jar.get().toString());
    }
    List<String> remote = locations.stream().filter(it -> !JarSearch.isLocal(it)).toList();
    if (!remote.isEmpty()) {
      throw new NotChecked(
          "this check cannot read other file systems: " + String.join(", ", remote));
    }
    return Finding.warning(
        ("no jar on this machine that tasks get has the class of the hooks; without it every INSERT"
                + " fails. Tasks get the jars of %s and of Hive's auxlib or, if there are none,"
                + " those that %s names: not directories, and not the jars of Hive's lib. Put %s"
                + " into Hive's auxlib")
            .formatted(VARIABLE, PROPERTY, ownJar()));
  }

  /** The first jar with the class. */
  private static Optional<Path> withHook(List<String> locations) throws IOException {
    for (Path jar : JarSearch.jars(locations)) {
      try (JarFile file = new JarFile(jar.toFile())) {
        if (file.getEntry(HOOK) != null) {
          return Optional.of(jar);
        }
      }
    }
    return Optional.empty();
  }

  /** The jar from which this command runs, if it is one. */
  private String ownJar() {
    URL url = cluster.classPath().getResource(HOOK);
    if (url == null || !url.getProtocol().equals("jar")) {
      return "<the committer's jar>";
    }
    return url.getPath().substring(0, url.getPath().indexOf("!/"));
  }

  /** What {@code bin/hive} sets in place of the property; empty if it does not. */
  private List<String> replacement() throws IOException {
    String variable = cluster.environment().getOrDefault(VARIABLE, "").trim();
    List<String> locations = new ArrayList<>();
    if (!variable.isEmpty() && Files.isDirectory(Path.of(variable))) {
      locations.add(variable + "/*");
    } else {
      locations.addAll(JarSearch.listed(variable, "[,:]"));
    }
    if (!cluster.jars("HIVE_HOME", "auxlib").isEmpty()) {
      locations.add(cluster.home("HIVE_HOME").orElseThrow() + "/auxlib/*");
    }
    return locations;
  }
}
