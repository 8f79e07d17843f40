package io.zerorename.cli.doctor;

import java.io.IOException;
import java.net.URI;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

/** Jars on this machine, as settings and variables list them. */
final class JarSearch {
  private JarSearch() {}

  /** The elements of a property or a variable. */
  static List<String> listed(String list, String separator) {
    return Stream.of(list.split(separator, -1))
        .map(String::trim)
        .filter(location -> !location.isEmpty())
        .toList();
  }

  static boolean isLocal(String location) {
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
}
