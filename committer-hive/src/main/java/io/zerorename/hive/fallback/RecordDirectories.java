package io.zerorename.hive.fallback;

import io.zerorename.core.config.ConfigKey;
import io.zerorename.core.config.CoreKeys;
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
  static RecordDirectories of(Configuration conf) {
    SortedMap<String, Path> byKey = new TreeMap<>();
    String name = CoreKeys.COMMIT_DIR.name();
    CoreKeys.COMMIT_DIR.find(conf).ifPresent(it -> byKey.put(name, new Path(it)));
    String end = "." + name.substring(ConfigKey.PREFIX.length());
    // The names come without the prefix.
    for (String ofBucket : conf.getPropsWithPrefix(ConfigKey.BUCKET).keySet()) {
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

  /**
   * A clause that says which of them lies among the files of a replaced directory. No overwrite
   * replaces what begins with an underscore or a dot directly in the directory.
   */
  Optional<String> lostWith(Path replaced) {
    String prefix = ObjectKeys.prefixOf(replaced);
    return byKey.entrySet().stream()
        .filter(entry -> ObjectKeys.isAtOrBelow(entry.getValue(), replaced))
        .filter(entry -> !isHidden(ObjectKeys.prefixOf(entry.getValue()), prefix))
        .map(
            entry ->
                "%s is %s, and files in %s are replaced"
                    .formatted(entry.getKey(), entry.getValue(), replaced))
        .findFirst();
  }

  /** Not a partition's directory, which a dynamic overwrite replaces whatever its name is. */
  private static boolean isHidden(String key, String prefix) {
    String below = key.startsWith(prefix) ? key.substring(prefix.length()) : "";
    String first = below.substring(0, below.indexOf('/') + 1);
    return (first.startsWith("_") || first.startsWith(".")) && first.indexOf('=') < 0;
  }
}
