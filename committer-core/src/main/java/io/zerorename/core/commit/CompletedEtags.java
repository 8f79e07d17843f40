package io.zerorename.core.commit;

import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.fs.Path;

/**
 * The ETags that the store gave to the objects that a commit completed: of the first ones, by path,
 * because there may be millions. May be called from any thread.
 */
final class CompletedEtags {
  private final int limit;
  private final TreeMap<String, String> etags = new TreeMap<>();

  /**
   * @param limit of how many; 0 where none are wanted
   */
  CompletedEtags(int limit) {
    this.limit = limit;
  }

  void note(Path destination, String etag) {
    if (limit == 0) {
      return;
    }
    String path = destination.toString();
    synchronized (etags) {
      if (etags.size() < limit || path.compareTo(etags.lastKey()) < 0) {
        etags.put(path, etag);
        if (etags.size() > limit) {
          etags.pollLastEntry();
        }
      }
    }
  }

  Map<String, String> all() {
    synchronized (etags) {
      return Map.copyOf(etags);
    }
  }
}
