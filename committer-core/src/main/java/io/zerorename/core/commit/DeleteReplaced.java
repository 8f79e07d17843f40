package io.zerorename.core.commit;

import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
