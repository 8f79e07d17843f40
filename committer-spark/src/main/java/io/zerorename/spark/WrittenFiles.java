package io.zerorename.spark;

import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.upload.OutputFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils;

/** What is to be known of all tasks before their files are read from the messages one by one. */
final class WrittenFiles {
  private final Set<Path> directories = new LinkedHashSet<>();
  private boolean retried;

  void add(TaskMessage message) {
    retried |= !message.first();
    for (OutputFile file : message.manifest().files()) {
      directories.add(file.destination().getParent());
    }
  }

  /**
   * @param messages a {@link TaskMessage} of each task
   */
  static WrittenFiles of(List<byte[]> messages) throws IOException {
    WrittenFiles files = new WrittenFiles();
    for (byte[] message : messages) {
      files.add(TaskMessage.of(message));
    }
    return files;
  }

  /** Those that have new files. */
  Set<Path> directories() {
    return directories;
  }

  /**
   * The values of a partition, in the order of the columns.
   *
   * @param path of its directory below the table's, as Spark and Hive name it
   */
  static List<String> partitionValues(String path) {
    List<String> values = new ArrayList<>();
    for (String level : path.split(Path.SEPARATOR, -1)) {
      values.add(ExternalCatalogUtils.unescapePathName(level.substring(level.indexOf('=') + 1)));
    }
    return values;
  }

  /** Whether a task was tried more than once. */
  boolean retried() {
    return retried;
  }

  /**
   * The destination, and directories outside of it: partitions may have locations of their own.
   *
   * @param replaced directories that are replaced besides those with new files
   */
  List<Path> roots(Path destination, Set<Path> replaced) {
    Set<Path> roots = new LinkedHashSet<>(List.of(destination));
    for (Set<Path> some : List.of(replaced, directories)) {
      for (Path directory : some) {
        if (!ObjectKeys.isAtOrBelow(directory, destination)) {
          roots.add(directory);
        }
      }
    }
    return List.copyOf(roots);
  }
}
