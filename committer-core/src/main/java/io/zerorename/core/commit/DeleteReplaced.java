package io.zerorename.core.commit;

import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.ObjectSummary;
import io.zerorename.core.store.StoreException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.hadoop.fs.Path;

/**
 * Stage: deletes the old objects of an overwrite, exactly those that the plan lists. One request
 * per 1,000 of a bucket.
 */
final class DeleteReplaced {
  /** A prefix as the store has it: a path would lose slashes. */
  private record Directory(Path bucket, String prefix) {
    static Directory of(OldObject object) {
      // The object may be a marker, whose key ends in a slash.
      int slash = object.key().lastIndexOf('/', object.key().length() - 2);
      return new Directory(object.bucket(), object.key().substring(0, slash + 1));
    }
  }

  private final ObjectStores stores;

  DeleteReplaced(ObjectStores stores) {
    this.stores = stores;
  }

  /**
   * Deletes what is still what was planned. While the plan is fresh that is known; later it is
   * looked at, batch by batch: meanwhile somebody may have written a file of that name. That takes
   * one more listing per directory or 1,000 objects. (S3 can make a deletion depend on an ETag,
   * other stores ignore or refuse the condition.)
   */
  void run(List<OldObject> replaced, CarryOut.Freshness fresh, Workers workers) throws IOException {
    Queue<List<OldObject>> stale = new ConcurrentLinkedQueue<>();
    workers.forEach(
        batches(replaced),
        batch -> {
          if (!fresh.holds() || !deleteUnlessThrottled(batch)) {
            stale.add(batch);
          }
        });
    for (List<OldObject> batch : stale) {
      delete(unchanged(batch, workers));
    }
  }

  private List<OldObject> unchanged(List<OldObject> planned, Workers workers) throws IOException {
    Map<Directory, List<OldObject>> directories = new LinkedHashMap<>();
    for (OldObject object : planned) {
      directories.computeIfAbsent(Directory.of(object), it -> new ArrayList<>()).add(object);
    }
    Queue<OldObject> unchanged = new ConcurrentLinkedQueue<>();
    workers.forEach(
        directories.entrySet(),
        directory -> unchanged.addAll(unchanged(directory.getKey(), directory.getValue())));
    return List.copyOf(unchanged);
  }

  /** By a listing: a HEAD tells the time only to the second. */
  private List<OldObject> unchanged(Directory directory, List<OldObject> planned)
      throws IOException {
    Map<String, OldObject> byKey = new HashMap<>();
    planned.forEach(object -> byKey.put(object.key(), object));
    List<OldObject> unchanged = new ArrayList<>();
    try {
      Iterator<ObjectSummary> listing =
          stores.forPath(directory.bucket()).listObjects(directory.prefix());
      while (listing.hasNext() && unchanged.size() < byKey.size()) {
        ObjectSummary now = listing.next();
        OldObject then = byKey.get(now.key());
        if (then != null
            && now.etag().equals(then.etag())
            && now.lastModified().equals(then.lastModified())) {
          unchanged.add(then);
        }
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    return unchanged;
  }

  /** Of one bucket each. */
  private static List<List<OldObject>> batches(List<OldObject> replaced) {
    Map<Path, List<OldObject>> open = new LinkedHashMap<>();
    List<List<OldObject>> batches = new ArrayList<>();
    for (OldObject object : replaced) {
      List<OldObject> batch = open.get(object.bucket());
      if (batch == null || batch.size() == ObjectStore.PAGE_SIZE) {
        batch = new ArrayList<>();
        open.put(object.bucket(), batch);
        batches.add(batch);
      }
      batch.add(object);
    }
    return batches;
  }

  /** False where the store took too few requests: by the next try it may not be fresh any more. */
  private boolean deleteUnlessThrottled(List<OldObject> batch) throws IOException {
    try {
      delete(batch);
      return true;
    } catch (StoreException e) {
      if (e.kind() != StoreException.Kind.THROTTLED) {
        throw e;
      }
      return false;
    }
  }

  private void delete(List<OldObject> batch) throws IOException {
    if (batch.isEmpty()) {
      return;
    }
    ObjectStore store = stores.forPath(batch.get(0).bucket());
    Map<String, String> refused = store.deleteObjects(batch.stream().map(OldObject::key).toList());
    if (!refused.isEmpty()) {
      Map.Entry<String, String> first = refused.entrySet().iterator().next();
      throw new IOException(
          refused.size()
              + " replaced objects of bucket "
              + store.bucket()
              + " could not be deleted and are still read beside the new ones, the first is "
              + first.getKey()
              + ": "
              + first.getValue());
    }
  }
}
