package io.zerorename.cli;

import io.zerorename.core.store.ObjectKeys;
import io.zerorename.hive.TableLocations.Located;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.fs.Path;

/**
 * What a command is about.
 *
 * @param path a directory on S3A, perhaps a table's location
 * @param elsewhere locations of the table's partitions that are not below it, if it was named
 */
record Target(Path path, List<Path> elsewhere) {
  /** What a user may type. */
  static final String LABEL = "<path or table>";

  Target {
    elsewhere = List.copyOf(elsewhere);
  }

  /** Whether a word is {@code database.table}, and no path. */
  static boolean isTable(String word) {
    return word.matches("\\w+\\.\\w+");
  }

  /**
   * A path on S3A, or {@code database.table}.
   *
   * @throws InputException if it is neither
   */
  static Target of(String text, Session session) throws IOException {
    if (!isTable(text)) {
      return new Target(S3Paths.read(text, session.conf()), List.of());
    }
    Located table = MetastoreNames.find(text, session.conf());
    if (!S3Paths.isOnS3a(table.location(), session.conf())) {
      throw new InputException(
          "ZR-9120: " + text + " is at " + table.location() + ", which is not on S3A");
    }
    List<Path> elsewhere = new ArrayList<>();
    for (Path partition : table.elsewhere()) {
      if (S3Paths.isOnS3a(partition, session.conf())) {
        elsewhere.add(partition);
      }
    }
    return new Target(table.location(), elsewhere);
  }

  /** The directories to which jobs write, without those below others. */
  List<Path> directories() {
    Set<Path> all = new LinkedHashSet<>(elsewhere);
    all.add(path);
    return all.stream()
        .filter(
            it ->
                all.stream()
                    .noneMatch(other -> !other.equals(it) && ObjectKeys.isAtOrBelow(it, other)))
        .toList();
  }
}
