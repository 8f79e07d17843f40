package io.zerorename.cli.doctor;

import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/**
 * Finds the jar with a file, such as one of the committer's classes.
 *
 * @param classPath of this command
 * @param entry the file in the jar
 */
record JarSearch(ClassLoader classPath, String entry) {
  /** The elements of a property or a variable. */
  static List<String> listed(String list, String separator) {
    return Stream.of(list.split(separator, -1))
        .map(String::trim)
        .filter(location -> !location.isEmpty())
        .toList();
  }

  private static boolean isLocal(String location) {
    String scheme = uri(location).getScheme();
    return scheme == null || scheme.equals("file");
  }

  private static URI uri(String location) {
    return new org.apache.hadoop.fs.Path(location).toUri();
  }

  /**
   * The jars at locations on this machine. The last name of a location may be a pattern such as
   * {@code *}, and directories or other files may be named, which are no jars.
   */
  static List<Path> jars(List<String> locations) throws IOException {
    List<Path> jars = new ArrayList<>();
    for (String location : locations.stream().filter(JarSearch::isLocal).toList()) {
      Path path = Path.of(uri(location).getPath());
      Path directory = path.getParent();
      if (directory != null && Files.isDirectory(directory)) {
        try (DirectoryStream<Path> files =
            Files.newDirectoryStream(directory, String.valueOf(path.getFileName()))) {
          files.forEach(jars::add);
        }
      }
    }
    jars.removeIf(it -> !it.toString().endsWith(".jar") || !Files.isRegularFile(it));
    Collections.sort(jars);
    return jars;
  }

  /** The first jar with the file. */
  Optional<Path> at(List<String> locations) throws IOException {
    for (Path jar : jars(locations)) {
      try (JarFile file = new JarFile(jar.toFile())) {
        if (file.getEntry(entry) != null) {
          return Optional.of(jar);
        }
      }
    }
    return Optional.empty();
  }

  /**
   * Refuses locations on other file systems, where a jar may be.
   *
   * @throws NotChecked if there is one
   */
  static void requireLocal(List<String> locations) throws NotChecked {
    List<String> remote = locations.stream().filter(it -> !isLocal(it)).toList();
    if (!remote.isEmpty()) {
      throw new NotChecked(
          "this check cannot read other file systems: " + String.join(", ", remote));
    }
  }

  /** The jar from which this command runs, if it is one. */
  String ownJar() {
    URL url = classPath.getResource(entry);
    if (url == null || !url.getProtocol().equals("jar")) {
      return "<the committer's jar>";
    }
    return url.getPath().substring(0, url.getPath().indexOf("!/"));
  }
}
