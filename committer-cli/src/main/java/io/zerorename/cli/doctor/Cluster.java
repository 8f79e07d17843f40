package io.zerorename.cli.doctor;

import java.io.IOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;

/**
 * What is installed: configuration files of the class path, and of the directories that the user
 * named, of which later ones win; and variables such as {@code HIVE_HOME}.
 *
 * @param conf with all settings of the files of Hadoop and Hive
 * @param namedHive the jar hive-exec, where the user has named it
 */
public record Cluster(
    Configuration conf,
    List<Path> directories,
    Map<String, String> environment,
    Optional<Path> namedHive) {
  ClassLoader classPath() {
    return conf.getClassLoader();
  }

  /**
   * The jar hive-exec: that which the user has named, or that of {@code HIVE_HOME}.
   *
   * @throws NotChecked if there is none
   */
  Path hiveExec() throws IOException {
    if (namedHive.isPresent()) {
      return namedHive.get();
    }
    Optional<Path> lib = home("HIVE_HOME").map(it -> it.resolve("lib"));
    if (lib.isEmpty()) {
      throw new NotChecked("HIVE_HOME is not set; --hive-exec names the jar of Hive");
    }
    return jars("HIVE_HOME", "lib").stream()
        .filter(it -> it.getFileName().toString().startsWith("hive-exec-"))
        .findFirst()
        .orElseThrow(() -> new NotChecked("there is no hive-exec-*.jar in " + lib.get()));
  }

  /** The jars in a directory below one that a variable names; none where it is not set. */
  List<Path> jars(String variable, String directory) throws IOException {
    return JarSearch.jars(
        home(variable).map(home -> home.resolve(directory) + "/*").stream().toList());
  }

  /** A directory that a variable names. */
  Optional<Path> home(String variable) {
    return Optional.ofNullable(environment.get(variable))
        .map(String::trim)
        .filter(home -> !home.isEmpty())
        .map(Path::of);
  }

  /**
   * One file over core-site.xml.
   *
   * @throws NotChecked if there is no such file
   */
  Configuration read(String name) throws NotChecked {
    Configuration read = new Configuration(false);
    addTo(read, "core-site.xml");
    if (!addTo(read, name)) {
      throw new NotChecked(
          "there is no " + name + " on the class path; name its directory by --conf-dir");
    }
    return read;
  }

  /** Returns whether there is such a file. */
  private boolean addTo(Configuration read, String name) {
    URL onClassPath = conf.getResource(name);
    if (onClassPath != null) {
      read.addResource(onClassPath);
    }
    List<Path> files =
        directories.stream().map(it -> it.resolve(name)).filter(Files::isRegularFile).toList();
    files.forEach(it -> read.addResource(new org.apache.hadoop.fs.Path(it.toUri())));
    return onClassPath != null || !files.isEmpty();
  }
}
