package io.zerorename.core.commit;

import io.zerorename.core.log.OldObject;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.ObjectSummary;
import io.zerorename.core.store.StoreException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.Path;

/**
 * Stage: deletes the old objects of an overwrite, exactly those that the plan lists. One request
 * per 1,000 of a bucket.
 */
final class DeleteReplaced {
  private final ObjectStores stores;

  DeleteReplaced(ObjectStores stores) {
    this.stores = stores;
  }

  /**
   * Deletes what is still what was planned. While the plan is fresh that is known; later it is
   * looked at: meanwhile somebody may have written a file of that name. That takes one more listing
   * of each directory, however many documents the plan has. (S3 can make a deletion depend on an
   * ETag, other stores ignore or refuse the condition.)
   *
   * @param replaced the old objects, document by document
   */
  void run(Iterable<List<OldObject>> replaced, CarryOut.Freshness fresh, Workers workers)
      throws IOException {
    StaleObjects stale = new StaleObjects();
    for (List<OldObject> part : replaced) {
      workers.forEach(
          batches(part),
          batch -> {
            if (!fresh.holds() || !deleteUnlessThrottled(batch)) {
              batch.forEach(stale::add);
            }
          });
    }
    UnchangedObjects unchanged = new UnchangedObjects(this::delete);
    workers.forEach(stale.directories(), directory -> list(directory, stale, unchanged));
    unchanged.deleteAll();
  }

  /** By a listing: a HEAD tells the time only to the second. */
  private void list(
      StaleObjects.Directory directory, StaleObjects stale, UnchangedObjects unchanged)
      throws IOException {
    try {
      Iterator<ObjectSummary> listing =
          stores.forPath(directory.bucket()).listObjects(directory.prefix());
      for (int left = stale.countIn(directory); left > 0 && listing.hasNext(); ) {
        ObjectSummary now = listing.next();
        OldObject object =
            new OldObject(directory.bucket(), now.key(), now.etag(), now.lastModified());
        if (stale.contains(directory, object)) {
          unchanged.add(object);
          left--;
        }
        unchanged.deleteOld();
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
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

  /**
   * @param batch of one bucket, and not empty
   */
  private void delete(List<OldObject> batch) throws IOException {
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
