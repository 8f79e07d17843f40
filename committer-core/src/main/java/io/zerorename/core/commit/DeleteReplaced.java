package io.zerorename.core.commit;

import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.DirectorySet;
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
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.CallableRaisingIOE;

/**
 * Stage: deletes the old objects of an overwrite, exactly those that the plan lists. One request
 * per 1,000 of a bucket.
 */
record DeleteReplaced(ObjectStores stores, Workers workers) {
  /** For how long a deletion is repeated of objects that were compared before it. */
  private static final Duration COMPARED = Duration.ofSeconds(20);

  /** For how long objects are collected that a listing has shown, before they are deleted. */
  private static final Duration SEEN = Duration.ofSeconds(10);

  /** So often they are compared while the store deletes none of them, which takes minutes. */
  private static final int LOOKS = 5;

  /**
   * Deletes what is still what was planned. While the plan is fresh that is known; later it is
   * checked: meanwhile another program may have written a file of that name. That takes one more
   * listing of each directory, however many documents the plan has. (S3 can make a deletion depend
   * on an ETag, other stores ignore or refuse the condition.)
   *
   * @param replaced the old objects, document by document
   * @param fresh whether what was planned a moment ago can be relied on
   */
  void run(RemoteIterator<List<OldObject>> replaced, CallableRaisingIOE<Boolean> fresh)
      throws IOException {
    Uncertain first = new Uncertain();
    while (replaced.hasNext()) {
      workers.forEach(
          batches(replaced.next(), OldObject::bucket), batch -> delete(batch, fresh, false, first));
    }
    Uncertain left = first;
    int looks = 0;
    while (!left.counts.isEmpty()) {
      looks++;
      Uncertain uncertain = left;
      // What the store has no time for while the listings can be relied on.
      Uncertain next = new Uncertain();
      boolean last = looks == LOOKS;
      workers.forEach(uncertain.counts.keySet(), it -> deleteUnchanged(it, uncertain, last, next));
      if (next.objects.size() < left.objects.size()) {
        looks = 0;
      }
      left = next;
    }
  }

  /**
   * Deletes what a listing of a directory shows to be unchanged: a HEAD has the time only to the
   * second.
   *
   * @param last whether all has to be deleted
   */
  private void deleteUnchanged(
      Directory directory, Uncertain uncertain, boolean last, Uncertain left) throws IOException {
    // When the store was asked, at the earliest, for the answer that shows an object: no answer is
    // longer than a page. When the object is looked at says nothing: this process may have slept.
    Moment shown = Moment.now();
    Moment begun = shown;
    Moment first = shown;
    RemoteIterator<ObjectSummary> listing =
        stores.forPath(directory.bucket()).listObjects(directory.prefix());
    List<OldObject> batch = new ArrayList<>();
    int rest = uncertain.counts.get(directory);
    for (int count = 1; rest > 0 && listing.hasNext(); count++) {
      ObjectSummary now = listing.next();
      OldObject object =
          new OldObject(directory.bucket(), now.key(), now.etag(), now.lastModified());
      if (uncertain.contains(directory, object)) {
        if (!last && !shown.isWithin(SEEN)) {
          left.add(object);
        } else {
          first = batch.isEmpty() ? shown : first;
          batch.add(object);
        }
        rest--;
      }
      if (batch.size() == ObjectStore.PAGE_SIZE || !first.isWithin(SEEN)) {
        delete(batch, comparedAt(first), last, left);
        batch.clear();
      }
      if (count % ObjectStore.PAGE_SIZE == 0) {
        shown = begun;
        begun = Moment.now();
      }
    }
    delete(batch, comparedAt(first), last, left);
  }

  private static CallableRaisingIOE<Boolean> comparedAt(Moment moment) {
    return () -> moment.isWithin(COMPARED);
  }

  /** By two clocks: one stands still while the machine sleeps, the other may be set. */
  private record Moment(long nanos, Instant machine) {
    static Moment now() {
      return new Moment(System.nanoTime(), Instant.now());
    }

    /** Whether less than a time has passed since. */
    boolean isWithin(Duration time) {
      return System.nanoTime() - nanos < time.toNanos()
          && Instant.now().isBefore(machine.plus(time));
    }
  }

  /**
   * Deletes objects of one bucket.
   *
   * @param last whether nothing may be left
   * @param left gets those that may yet be deleted, and could not while they were relied on
   */
  private void delete(
      List<OldObject> batch, CallableRaisingIOE<Boolean> fresh, boolean last, Uncertain left)
      throws IOException {
    if (batch.isEmpty()) {
      return;
    }
    ObjectStore store = stores.forPath(batch.get(0).bucket());
    Map<String, Refusal> refused =
        store.deleteObjects(batch.stream().map(OldObject::key).toList(), fresh);
    Map<String, Refusal> lasting = new LinkedHashMap<>(refused);
    lasting.values().removeIf(it -> it.passing() && !last);
    throwAny(lasting, store);
    batch.stream().filter(it -> refused.containsKey(it.key())).forEach(left::add);
  }

  /** A prefix as the store has it: a path would lose slashes. */
  private record Directory(Path bucket, String prefix) {
    static Directory of(Path bucket, String key) {
      // The object may be a marker, whose key ends in a slash.
      int slash = key.lastIndexOf('/', key.length() - 2);
      return new Directory(bucket, key.substring(0, slash + 1));
    }
  }

  /**
   * Objects that may have changed since they were planned, and the directories in which they lie.
   * Several threads may add.
   */
  private static final class Uncertain {
    private final FingerprintSet objects = new FingerprintSet();

    /** How many lie directly in each directory. */
    private final Map<Directory, Integer> counts = new ConcurrentHashMap<>();

    void add(OldObject object) {
      if (objects.add(asPlanned(object))) {
        counts.merge(Directory.of(object.bucket(), object.key()), 1, Integer::sum);
      }
    }

    /** Whether an object that was found directly in the directory is one of them, unchanged. */
    boolean contains(Directory directory, OldObject found) {
      return Directory.of(found.bucket(), found.key()).equals(directory)
          && objects.contains(asPlanned(found));
    }

    private static String asPlanned(OldObject it) {
      return it.etag() + " " + it.lastModified() + " " + ObjectKeys.located(it.bucket(), it.key());
    }
  }

  /** As many as one request takes, of one bucket each. */
  private static <T> List<List<T>> batches(Collection<T> all, Function<T, ?> bucket) {
    List<List<T>> batches = new ArrayList<>();
    for (List<T> inBucket : all.stream().collect(Collectors.groupingBy(bucket)).values()) {
      for (int from = 0; from < inBucket.size(); from += ObjectStore.PAGE_SIZE) {
        int end = Math.min(inBucket.size(), from + ObjectStore.PAGE_SIZE);
        batches.add(inBucket.subList(from, end));
      }
    }
    return batches;
  }

  /** Deletes files of plans that cannot become visible again. There may be millions. */
  void deleteFollowed(Collection<CommitPlan> plans, DirectorySet directories) throws IOException {
    List<Path> batch = new ArrayList<>();
    for (CommitPlan plan : plans) {
      RemoteIterator<PendingUpload> files = FinalizeFollowed.filesIn(directories, plan);
      while (files.hasNext() && plan.job().plainNames()) {
        deleteUnlessReplaced(files);
      }
      while (files.hasNext()) {
        batch.add(files.next().destination());
        if (batch.size() == ObjectStore.PAGE_SIZE) {
          delete(batch, () -> true);
          batch.clear();
        }
      }
    }
    delete(batch, () -> true);
  }

  /**
   * Deletes the next files that carry their identity: what another program has written under a
   * plain name stays. One request more for each file; it is sent right before the deletion.
   */
  private void deleteUnlessReplaced(RemoteIterator<PendingUpload> files) throws IOException {
    List<PendingUpload> batch = new ArrayList<>();
    while (files.hasNext() && batch.size() < ObjectStore.PAGE_SIZE) {
      batch.add(files.next());
    }
    CallableRaisingIOE<Boolean> fresh = comparedAt(Moment.now());
    Queue<Path> there = new ConcurrentLinkedQueue<>();
    workers.forEach(
        batch,
        file -> {
          if (file.isThere(stores)) {
            there.add(file.destination());
          }
        });
    delete(there, fresh);
  }

  private void delete(Collection<Path> paths, CallableRaisingIOE<Boolean> fresh)
      throws IOException {
    for (List<Path> batch : batches(paths, ObjectKeys::bucketOf)) {
      ObjectStore store = stores.forPath(batch.get(0));
      throwAny(store.deleteObjects(batch.stream().map(ObjectKeys::of).toList(), fresh), store);
    }
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
