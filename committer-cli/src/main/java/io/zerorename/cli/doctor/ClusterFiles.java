package io.zerorename.cli.doctor;

import java.net.MalformedURLException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;

/**
 * The cluster's configuration files: those of the class path, and those of the directories that the
 * user named, of which later ones win.
 *
 * @param conf whose class path is searched
 */
record ClusterFiles(Configuration conf, List<Path> directories) {
  boolean has(String name) {
    return !find(name).isEmpty();
  }

  /** The finding of a check whose file does not exist. */
  static Finding missing(String name) {
    return Finding.notChecked(
        "there is no " + name + " on the class path; name its directory by --conf-dir");
  }

  /**
   * One file over core-site.xml.
   *
   * @return empty if there is no such file
   */
  Optional<Configuration> read(String name) {
    List<URL> found = find(name);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    Configuration read = new Configuration(false);
    find("core-site.xml").forEach(read::addResource);
    found.forEach(read::addResource);
    return Optional.of(read);
  }

  private List<URL> find(String name) {
    List<URL> found = new ArrayList<>();
    URL onClassPath = conf.getResource(name);
    if (onClassPath != null) {
      found.add(onClassPath);
    }
    for (Path directory : directories) {
      Path file = directory.resolve(name);
      if (Files.isRegularFile(file)) {
        try {
          found.add(file.toUri().toURL());
        } catch (MalformedURLException e) {
          throw new IllegalArgumentException(file + " has a name that is no URL", e);
        }
      }
    }
    return found;
  }
}
