package io.zerorename.core.commit;

import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.ObjectSummary;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
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

  private final ObjectStores stores;

  DeleteReplaced(ObjectStores stores) {
    this.stores = stores;
  }

  void run(List<OldObject> replaced, Workers workers) throws IOException {
    workers.forEach(batches(replaced), this::delete);
  }

  /**
   * Like {@link #run}, but leaves out what is no longer the object that was planned. A commit that
   * is carried on after a break needs that: meanwhile somebody may have written a file of that
   * name. One more request per object.
   */
  void runAfterBreak(List<OldObject> replaced, Workers workers) throws IOException {
    Queue<OldObject> unchanged = new ConcurrentLinkedQueue<>();
    workers.forEach(
        replaced,
        object -> {
          if (isUnchanged(object)) {
            unchanged.add(object);
          }
        });
    run(List.copyOf(unchanged), workers);
  }

  /** By a listing: a HEAD tells the time only to the second. */
  private boolean isUnchanged(OldObject object) throws IOException {
    try {
      Iterator<ObjectSummary> listing = stores.forPath(object.bucket()).listObjects(object.key());
      if (!listing.hasNext()) {
        return false;
      }
      // The key itself comes before all keys that it is a prefix of.
      ObjectSummary now = listing.next();
      return now.key().equals(object.key())
          && now.etag().equals(object.etag())
          && now.lastModified().equals(object.lastModified());
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
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
