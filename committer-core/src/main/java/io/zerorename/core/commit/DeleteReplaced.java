package io.zerorename.core.commit;

import io.zerorename.core.log.OldObject;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.ObjectSummary;
import io.zerorename.core.store.Refusal;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.CallableRaisingIOE;

/**
 * Stage: deletes the old objects of an overwrite, exactly those that the plan lists. One request
 * per 1,000 of a bucket.
 */
final class DeleteReplaced {
  /** For how long a deletion is repeated of objects that were compared before it. */
  private static final Duration COMPARED = Duration.ofSeconds(20);

  /** So often they are compared while the store does not delete them, which takes minutes. */
  private static final int LOOKS = 5;

  private final ObjectStores stores;

  DeleteReplaced(ObjectStores stores) {
    this.stores = stores;
  }

  /**
   * Deletes what is still what was planned. While the plan is fresh that is known; later it is
   * checked: meanwhile another program may have written a file of that name. That takes one more
   * listing of each directory, however many documents the plan has. (S3 can make a deletion depend
   * on an ETag, other stores ignore or refuse the condition.)
   *
   * @param replaced the old objects, document by document
   * @param fresh whether what was planned a moment ago can be relied on
   */
  void run(
      RemoteIterator<List<OldObject>> replaced, CallableRaisingIOE<Boolean> fresh, Workers workers)
      throws IOException {
    StaleObjects old = new StaleObjects();
    while (replaced.hasNext()) {
      workers.forEach(
          batches(replaced.next()),
          batch -> {
            if (fresh.apply()) {
              deleteFresh(batch, fresh, old);
            } else {
              batch.forEach(old::add);
            }
          });
    }
    StaleObjects stale = old;
    for (int look = 1; !stale.directories().isEmpty(); look++) {
      stale = deleteUnchanged(stale, look == LOOKS, workers);
    }
  }

  /**
   * Deletes what a listing shows to be unchanged.
   *
   * @param last whether all has to be deleted
   * @return what the store had no time for while the listing could be relied on
   */
  private StaleObjects deleteUnchanged(StaleObjects stale, boolean last, Workers workers)
      throws IOException {
    StaleObjects left = new StaleObjects();
    UnchangedObjects unchanged =
        new UnchangedObjects(
            batch -> {
              ObjectStore store = stores.forPath(batch.get(0).bucket());
              Map<String, Refusal> refused =
                  store.deleteObjects(
                      batch.stream().map(OldObject::key).toList(), freshFromNow()::apply);
              if (last) {
                throwAny(refused, store);
              }
              addPassing(refused, batch, store, left);
            });
    workers.forEach(stale.directories(), directory -> list(directory, stale, unchanged));
    unchanged.deleteAll();
    return left;
  }

  private static CallableRaisingIOE<Boolean> freshFromNow() {
    long begun = System.nanoTime();
    return () -> System.nanoTime() - begun < COMPARED.toNanos();
  }

  /** What may yet be deleted is looked at again, and nothing else may be left. */
  private static void addPassing(
      Map<String, Refusal> refused, List<OldObject> batch, ObjectStore store, StaleObjects left)
      throws IOException {
    Map<String, Refusal> lasting = new LinkedHashMap<>(refused);
    lasting.values().removeIf(Refusal::passing);
    throwAny(lasting, store);
    batch.stream().filter(it -> refused.containsKey(it.key())).forEach(left::add);
  }

  /** By a listing: a HEAD has the time only to the second. */
  private void list(
      StaleObjects.Directory directory, StaleObjects stale, UnchangedObjects unchanged)
      throws IOException {
    RemoteIterator<ObjectSummary> listing =
        stores.forPath(directory.bucket()).listObjects(directory.prefix());
    for (int left = stale.countIn(directory); left > 0 && listing.hasNext(); ) {
      ObjectSummary now = listing.next();
      if (!now.hasEtag()) {
        // Each that was planned had one.
        continue;
      }
      OldObject object =
          new OldObject(directory.bucket(), now.key(), now.etag(), now.lastModified());
      if (stale.contains(directory, object)) {
        unchanged.add(object);
        left--;
      }
      unchanged.deleteOld();
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

  /** Deletes files that cannot become visible again. A plan may have millions. */
  void delete(Collection<FollowedPlan> plans, Workers workers) throws IOException {
    List<Path> batch = new ArrayList<>();
    for (FollowedPlan plan : plans) {
      RemoteIterator<PendingUpload> files = plan.uploads();
      while (files.hasNext() && plan.plainNames()) {
        deleteUnlessReplaced(files, workers);
      }
      while (files.hasNext()) {
        batch.add(files.next().destination());
        if (batch.size() == ObjectStore.PAGE_SIZE) {
          deleteKeys(batch);
          batch.clear();
        }
      }
    }
    deleteKeys(batch);
  }

  /**
   * Deletes the next files that carry their identity: what another program has written under a
   * plain name stays. One request more for each file; it is sent right before the deletion.
   */
  private void deleteUnlessReplaced(RemoteIterator<PendingUpload> files, Workers workers)
      throws IOException {
    List<PendingUpload> batch = new ArrayList<>();
    while (files.hasNext() && batch.size() < ObjectStore.PAGE_SIZE) {
      batch.add(files.next());
    }
    CallableRaisingIOE<Boolean> fresh = freshFromNow();
    Queue<Path> there = new ConcurrentLinkedQueue<>();
    workers.forEach(
        batch,
        file -> {
          if (CommittedFiles.isThere(file, stores)) {
            there.add(file.destination());
          }
        });
    deleteKeys(there, fresh);
  }

  private void deleteKeys(Collection<Path> paths) throws IOException {
    deleteKeys(paths, () -> true);
  }

  private void deleteKeys(Collection<Path> paths, CallableRaisingIOE<Boolean> fresh)
      throws IOException {
    Map<String, List<Path>> byBucket =
        paths.stream().collect(Collectors.groupingBy(ObjectKeys::bucketOf));
    for (List<Path> ofBucket : byBucket.values()) {
      for (int from = 0; from < ofBucket.size(); from += ObjectStore.PAGE_SIZE) {
        int to = Math.min(ofBucket.size(), from + ObjectStore.PAGE_SIZE);
        ObjectStore store = stores.forPath(ofBucket.get(0));
        throwAny(
            store.deleteObjects(
                ofBucket.subList(from, to).stream().map(ObjectKeys::of).toList(), fresh::apply),
            store);
      }
    }
  }

  /** Deletes objects, and what is left when they cannot be relied on any more is stale. */
  private void deleteFresh(
      List<OldObject> batch, CallableRaisingIOE<Boolean> fresh, StaleObjects stale)
      throws IOException {
    ObjectStore store = stores.forPath(batch.get(0).bucket());
    Map<String, Refusal> refused =
        store.deleteObjects(batch.stream().map(OldObject::key).toList(), fresh::apply);
    addPassing(refused, batch, store, stale);
  }

  private static void throwAny(Map<String, Refusal> refused, ObjectStore store) throws IOException {
    if (!refused.isEmpty()) {
      Map.Entry<String, Refusal> first = refused.entrySet().iterator().next();
      throw new IOException(
          ("ZR-1114: %s replaced objects of bucket %s could not be deleted and are still read"
                  + " beside the new ones, the first is %s: %s")
              .formatted(refused.size(), store.bucket(), first.getKey(), first.getValue()));
    }
  }
}
