package io.zerorename.report;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Removes directories. */
public final class Trees {
  private Trees() {}

  /**
   * Deletes a directory with all below, as far as that goes; what stays is in the temp directory.
   */
  public static void delete(Path root) {
    List<Path> paths;
    try (Stream<Path> walk = Files.walk(root)) {
      paths = walk.sorted(Comparator.reverseOrder()).toList();
    } catch (IOException | UncheckedIOException e) {
      System.err.println("cannot list " + root + ", which stays: " + e);
      return;
    }
    for (Path path : paths) {
      try {
        Files.deleteIfExists(path);
      } catch (IOException e) {
        System.err.println("cannot delete " + path + ", which stays: " + e);
      }
    }
  }
}
