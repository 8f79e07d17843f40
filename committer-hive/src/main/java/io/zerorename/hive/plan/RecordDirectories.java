package io.zerorename.hive.plan;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.store.ObjectKeys;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/**
 * The directories that the configuration names for the records of commits, of whichever bucket's
 * tables. Where one lies among a table's files, an overwrite deletes it with them, be it ours or
 * Hive's.
 *
 * @param byKey by the name that each is set by; none where all records lie beside their tables
 */
record RecordDirectories(SortedMap<String, Path> byKey) {
  RecordDirectories {
    requireNonNull(byKey, "byKey");
  }

  static RecordDirectories of(Configuration conf) {
    SortedMap<String, Path> byKey = new TreeMap<>();
    CoreKeys.COMMIT_DIR.findAll(conf).forEach((key, value) -> byKey.put(key, new Path(value)));
    return new RecordDirectories(byKey);
  }

  boolean isEmpty() {
    return byKey.isEmpty();
  }

  /** Which of them is deleted with the files of a directory that is replaced, as a clause. */
  Optional<String> lostWith(Path replaced) {
    return byKey.entrySet().stream()
        .filter(
            entry ->
                ObjectKeys.isAtOrBelow(entry.getValue(), replaced)
                    && !isHidden(below(entry.getValue(), replaced)))
        .map(entry -> described(entry.getKey(), entry.getValue(), replaced))
        .findFirst();
  }

  /** The same, of partitions that rows may choose and that are where they are by default. */
  Optional<String> lostWithPartitionsOf(Path directory) {
    return byKey.entrySet().stream()
        .filter(
            entry ->
                ObjectKeys.isAtOrBelow(entry.getValue(), directory)
                    && below(entry.getValue(), directory).matches("[^/]+=.*"))
        .map(entry -> described(entry.getKey(), entry.getValue(), directory))
        .findFirst();
  }

  private static String described(String key, Path records, Path replaced) {
    return key + " is " + records + ", and files in " + replaced + " are replaced";
  }

  private static String below(Path path, Path directory) {
    String prefix = ObjectKeys.prefixOf(directory);
    String key = ObjectKeys.prefixOf(path);
    return key.substring(Math.min(prefix.length(), key.length()));
  }

  /** Neither Hive nor we replace what begins so directly in the directory. */
  private static boolean isHidden(String below) {
    return below.startsWith("_") || below.startsWith(".");
  }
}
