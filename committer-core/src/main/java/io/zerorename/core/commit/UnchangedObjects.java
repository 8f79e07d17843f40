package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.log.OldObject;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectStore;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.Path;

/**
 * Collects objects that were just seen unchanged, and has them deleted as many at once as one
 * request takes. Several threads may add; the one that completes a batch deletes it.
 */
final class UnchangedObjects {
  /** How long a listing is trusted. */
  private static final Duration FRESH = Duration.ofSeconds(10);

  private static final class Batch {
    private final long begun = System.nanoTime();
    private final List<OldObject> objects = new ArrayList<>();

    boolean isOld() {
      return System.nanoTime() - begun > FRESH.toNanos();
    }
  }

  private final Workers.Action<List<OldObject>> deletion;
  private final Map<Path, Batch> open = new HashMap<>();

  /**
   * @param deletion of objects of one bucket
   */
  UnchangedObjects(Workers.Action<List<OldObject>> deletion) {
    this.deletion = requireNonNull(deletion, "deletion");
  }

  void add(OldObject object) throws IOException {
    Batch batch;
    boolean due;
    synchronized (open) {
      batch = open.computeIfAbsent(object.bucket(), bucket -> new Batch());
      batch.objects.add(object);
      due = batch.objects.size() == ObjectStore.PAGE_SIZE || batch.isOld();
      if (due) {
        open.remove(object.bucket());
      }
    }
    if (due) {
      deletion.on(batch.objects);
    }
  }

  /** Deletes what was seen a while ago. */
  void deleteOld() throws IOException {
    delete(false);
  }

  /** Deletes all that is left. */
  void deleteAll() throws IOException {
    delete(true);
  }

  private void delete(boolean all) throws IOException {
    List<Batch> due = new ArrayList<>();
    synchronized (open) {
      for (Iterator<Batch> batches = open.values().iterator(); batches.hasNext(); ) {
        Batch batch = batches.next();
        if (all || batch.isOld()) {
          batches.remove();
          due.add(batch);
        }
      }
    }
    for (Batch batch : due) {
      deletion.on(batch.objects);
    }
  }
}
