package io.zerorename.core.commit;

import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.ObjectSummary;
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
  private record Batch(Path bucket, List<String> keys) {}

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

  /** For a plan that was made a moment ago, by this process. */
  void run(List<OldObject> replaced, Workers workers) throws IOException {
    workers.forEach(batches(replaced), this::delete);
  }

  /**
   * Like {@link #run}, but leaves out what is no longer the object that was planned: meanwhile
   * somebody may have written a file of that name. One more listing per directory or 1,000 objects.
   * (S3 can make a deletion depend on an ETag, other stores ignore or refuse the condition.)
   */
  void runVerified(List<OldObject> replaced, Workers workers) throws IOException {
    Map<Directory, List<OldObject>> directories = new LinkedHashMap<>();
    for (OldObject object : replaced) {
      directories.computeIfAbsent(Directory.of(object), it -> new ArrayList<>()).add(object);
    }
    Queue<OldObject> unchanged = new ConcurrentLinkedQueue<>();
    workers.forEach(
        directories.entrySet(),
        directory -> unchanged.addAll(unchanged(directory.getKey(), directory.getValue())));
    run(List.copyOf(unchanged), workers);
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

  private static List<Batch> batches(List<OldObject> replaced) {
    Map<Path, Batch> open = new LinkedHashMap<>();
    List<Batch> batches = new ArrayList<>();
    for (OldObject object : replaced) {
      Batch batch = open.get(object.bucket());
      if (batch == null || batch.keys().size() == ObjectStore.PAGE_SIZE) {
        batch = new Batch(object.bucket(), new ArrayList<>());
        open.put(object.bucket(), batch);
        batches.add(batch);
      }
      batch.keys().add(object.key());
    }
    return batches;
  }

  private void delete(Batch batch) throws IOException {
    ObjectStore store = stores.forPath(batch.bucket());
    Map<String, String> refused = store.deleteObjects(batch.keys());
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
