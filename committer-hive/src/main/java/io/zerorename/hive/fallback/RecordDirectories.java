package io.zerorename.hive.fallback;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.config.DeclaredKeys;
import io.zerorename.core.store.ObjectKeys;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/**
 * The directories that {@link CoreKeys#COMMIT_DIR} names for the records of commits, for all
 * buckets. Where one lies among a table's files, an overwrite would delete it with them.
 *
 * @param byKey by the key's name; empty where all records lie beside their tables
 */
record RecordDirectories(SortedMap<String, Path> byKey) {
  RecordDirectories {
    requireNonNull(byKey, "byKey");
  }

  static RecordDirectories of(Configuration conf) {
    SortedMap<String, Path> byKey = new TreeMap<>();
    String name = CoreKeys.COMMIT_DIR.name();
    CoreKeys.COMMIT_DIR.find(conf).ifPresent(it -> byKey.put(name, new Path(it)));
    String end = "." + name.substring(DeclaredKeys.PREFIX.length());
    // The names come without the prefix.
    for (String ofBucket : conf.getPropsWithPrefix(DeclaredKeys.BUCKET).keySet()) {
      if (ofBucket.endsWith(end) && ofBucket.length() > end.length()) {
        String bucket = ofBucket.substring(0, ofBucket.length() - end.length());
        String key = CoreKeys.COMMIT_DIR.nameIn(conf, bucket);
        CoreKeys.COMMIT_DIR.find(conf, bucket).ifPresent(it -> byKey.put(key, new Path(it)));
      }
    }
    return new RecordDirectories(byKey);
  }

  boolean isEmpty() {
    return byKey.isEmpty();
  }

  /** A clause that says which of them lies among the files of a replaced directory. */
  Optional<String> lostWith(Path replaced) {
    return byKey.entrySet().stream()
        .filter(
            entry ->
                ObjectKeys.isAtOrBelow(entry.getValue(), replaced)
                    && !isHidden(below(entry.getValue(), replaced)))
        .map(entry -> described(entry.getKey(), entry.getValue(), replaced))
        .findFirst();
  }

  /** The same for the partitions below a directory that are at their default locations. */
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

  /** No overwrite replaces what begins so directly in the directory. */
  private static boolean isHidden(String below) {
    return below.startsWith("_") || below.startsWith(".");
  }
}
