package io.zerorename.cli.doctor;

import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/**
 * Finds the jar with a file, such as one of the committer's classes.
 *
 * @param classPath of this command
 * @param entry the file in the jar
 */
record JarSearch(ClassLoader classPath, String entry) {
  /** Schemes of paths on this machine; Spark names those that every machine has by "local". */
  private static final Set<String> LOCAL = Set.of("file", "local");

  /** The elements of a property or a variable. */
  static List<String> listed(String list, String separator) {
    return Stream.of(list.split(separator, -1))
        .map(String::trim)
        .filter(location -> !location.isEmpty())
        .toList();
  }

  /** The paths on this machine. */
  static List<Path> local(List<String> locations) {
    return locations.stream().flatMap(it -> local(it).stream()).toList();
  }

  /** Empty on another file system. */
  static Optional<Path> local(String location) {
    URI uri = new org.apache.hadoop.fs.Path(location).toUri();
    return uri.getScheme() == null || LOCAL.contains(uri.getScheme())
        ? Optional.of(Path.of(uri.getPath()))
        : Optional.empty();
  }

  /** The locations on other file systems. */
  static List<String> remote(List<String> locations) {
    return locations.stream().filter(it -> local(it).isEmpty()).toList();
  }

  static List<Path> jarsIn(Optional<Path> directory) throws IOException {
    if (directory.filter(Files::isDirectory).isEmpty()) {
      return List.of();
    }
    try (Stream<Path> children = Files.list(directory.get())) {
      return children.filter(child -> child.toString().endsWith(".jar")).sorted().toList();
    }
  }

  /** The first jar with the file. */
  Optional<Path> in(List<Path> jars) throws IOException {
    for (Path jar : jars) {
      if (Files.isRegularFile(jar)) {
        try (JarFile file = new JarFile(jar.toFile())) {
          if (file.getEntry(entry) != null) {
            return Optional.of(jar);
          }
        }
      }
    }
    return Optional.empty();
  }

  /**
   * The same, where the last name of a location may be a pattern such as {@code *}, and other files
   * than jars may be named.
   */
  Optional<Path> at(List<String> locations) throws IOException {
    List<Path> jars = new ArrayList<>();
    for (Path path : local(locations)) {
      Path directory = path.getParent();
      if (directory != null && Files.isDirectory(directory)) {
        try (DirectoryStream<Path> files =
            Files.newDirectoryStream(directory, String.valueOf(path.getFileName()))) {
          files.forEach(file -> jars.add(file));
        }
      }
    }
    return in(jars.stream().filter(it -> it.toString().endsWith(".jar")).sorted().toList());
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
