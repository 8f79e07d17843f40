package io.zerorename.core.commit;

import io.zerorename.core.log.OldObject;
import io.zerorename.core.store.ObjectKeys;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.fs.Path;

/**
 * Objects that a plan replaces and that may have changed since: 32 bytes for each, and the
 * directories in which they lie. Several threads may add.
 */
final class StaleObjects {
  /** A prefix as the store has it: a path would lose slashes. */
  record Directory(Path bucket, String prefix) {
    private static Directory of(OldObject object) {
      // The object may be a marker, whose key ends in a slash.
      int slash = object.key().lastIndexOf('/', object.key().length() - 2);
      return new Directory(object.bucket(), object.key().substring(0, slash + 1));
    }
  }

  private final FingerprintSet objects = new FingerprintSet();
  private final Map<Directory, Integer> counts = new ConcurrentHashMap<>();

  void add(OldObject object) {
    if (objects.add(asPlanned(object))) {
      counts.merge(Directory.of(object), 1, Integer::sum);
    }
  }

  Set<Directory> directories() {
    return counts.keySet();
  }

  /** How many lie directly in a directory. */
  int countIn(Directory directory) {
    return counts.getOrDefault(directory, 0);
  }

  /** Whether an object that was found directly in the directory is one of them, unchanged. */
  boolean contains(Directory directory, OldObject found) {
    return Directory.of(found).equals(directory) && objects.contains(asPlanned(found));
  }

  private static String asPlanned(OldObject object) {
    return object.etag()
        + " "
        + object.lastModified()
        + " "
        + ObjectKeys.located(object.bucket(), object.key());
  }
}
