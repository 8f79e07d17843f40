package io.zerorename.cli.doctor;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;

/**
 * Whether HiveServer2 and its tasks will find the hook's class: in {@code hive.aux.jars.path}, or
 * where Hive looks by itself.
 */
final class HiveJarCheck {
  private static final String PROPERTY = "hive.aux.jars.path";
  private static final String HOOK = "io/zerorename/hive/ZeroRenameHook.class";

  private final Configuration conf;
  private final ClusterFiles files;
  private final Map<String, String> environment;
  private final ClassLoader classPath;

  HiveJarCheck(
      Configuration conf,
      ClusterFiles files,
      Map<String, String> environment,
      ClassLoader classPath) {
    this.conf = requireNonNull(conf, "conf");
    this.files = requireNonNull(files, "files");
    this.environment = Map.copyOf(environment);
    this.classPath = requireNonNull(classPath, "classPath");
  }

  Check check() {
    return new Check("hive-jar", this::find);
  }

  private Finding find() throws IOException {
    if (!files.has("hive-site.xml")) {
      return ClusterFiles.missing("hive-site.xml");
    }
    List<String> elsewhere = new ArrayList<>();
    for (String place : places()) {
      URI uri = new org.apache.hadoop.fs.Path(place).toUri();
      if (uri.getScheme() != null && !uri.getScheme().equals("file")) {
        elsewhere.add(place);
        continue;
      }
      Optional<Path> jar = jarWithHook(Path.of(uri.getPath()));
      if (jar.isPresent()) {
        return Finding.ok(jar.get().toString());
      }
    }
    if (!elsewhere.isEmpty()) {
      return Finding.notChecked("no look is taken into " + String.join(", ", elsewhere));
    }
    return Finding.warning(
        "no jar of "
            + PROPERTY
            + " or of Hive's lib and auxlib on this machine has the class of the hooks; without it"
            + " every statement of HiveServer2 fails",
        new Remedy.SetProperty(PROPERTY, ownJar(), "hive-site.xml"));
  }

  private List<String> places() {
    List<String> places = new ArrayList<>();
    for (String list :
        new String[] {
          conf.getTrimmed(PROPERTY, ""), environment.getOrDefault("HIVE_AUX_JARS_PATH", "")
        }) {
      // Both are lists: hive-site.xml separates by commas, the variable by colons as well.
      Stream.of(list.split(",|:(?!/)", -1)).filter(place -> !place.isBlank()).forEach(places::add);
    }
    String home = environment.get("HIVE_HOME");
    if (home != null) {
      places.add(home + "/auxlib");
      places.add(home + "/lib");
    }
    return places;
  }

  private static Optional<Path> jarWithHook(Path place) throws IOException {
    List<Path> jars = new ArrayList<>();
    if (Files.isDirectory(place)) {
      try (Stream<Path> children = Files.list(place)) {
        children.filter(child -> child.toString().endsWith(".jar")).sorted().forEach(jars::add);
      }
    } else if (Files.isRegularFile(place)) {
      jars.add(place);
    }
    for (Path jar : jars) {
      try (JarFile file = new JarFile(jar.toFile())) {
        if (file.getEntry(HOOK) != null) {
          return Optional.of(jar);
        }
      }
    }
    return Optional.empty();
  }

  /** The jar that this command runs from, where it is one. */
  private String ownJar() {
    URL url = classPath.getResource(HOOK);
    if (url == null || !url.getProtocol().equals("jar")) {
      return "<the committer's jar>";
    }
    return url.getPath().substring(0, url.getPath().indexOf("!/"));
  }
}
