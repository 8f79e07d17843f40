package io.zerorename.core.commit;

import io.zerorename.core.parallel.Pauses;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectHead;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.fs.Path;

/** Stage: makes every file of a plan visible. One request per file. */
final class CompleteUploads {
  /** So many missing files are looked at repeatedly, which takes seconds for each. */
  static final int PATIENTLY = 200;

  private final ObjectStores stores;
  private final CommitSettings settings;
  private final LongAdder made;
  private final EtagNotes etags;
  private final AtomicBoolean uncertain = new AtomicBoolean();
  private final AtomicInteger vanished = new AtomicInteger();

  /**
   * Completions for a commit.
   *
   * @param made counts the files that are visible
   * @param etags is told of each object
   */
  CompleteUploads(ObjectStores stores, CommitSettings settings, LongAdder made, EtagNotes etags) {
    this.stores = stores;
    this.settings = settings;
    this.made = made;
    this.etags = etags;
  }

  /**
   * Files that are missing.
   *
   * @param paths of uploads that have vanished, and whose objects are not there; in order
   * @param uncertain whether one of them may appear even if this process alone has sent requests:
   *     the store may be at work on its own, or was not looked at repeatedly
   */
  record Missing(List<Path> paths, boolean uncertain) {}

  /**
   * Completes all that can be completed.
   *
   * @param count how many uploads there are
   * @param visible files that are in place already
   */
  Missing run(Iterable<PendingUpload> uploads, int count, PlaceSet visible, Workers workers)
      throws IOException {
    Queue<Path> missing = new ConcurrentLinkedQueue<>();
    workers.forEach(
        uploads,
        count,
        upload -> {
          if (visible.contains(upload.destination().toString()) || complete(upload)) {
            made.increment();
          } else {
            missing.add(upload.destination());
          }
        });
    return new Missing(missing.stream().sorted().toList(), uncertain.get());
  }

  /**
   * Completes one upload. An answer that does not say whether the upload took effect is resolved by
   * the identity that the object carries: an object of that name and length proves nothing.
   *
   * @return false where it is missing
   */
  private boolean complete(PendingUpload upload) throws IOException {
    ObjectStore store = stores.forPath(upload.destination());
    Duration delay = settings.firstDelay();
    boolean mayStillTakeEffect = false;
    int looks = 0;
    for (int attempt = 1; ; attempt++) {
      try {
        etags.note(
            upload.destination(),
            store.completeUpload(upload.key(), upload.uploadId(), upload.parts()));
        return true;
      } catch (StoreException e) {
        boolean resolvable =
            switch (e.kind()) {
              case AMBIGUOUS, NO_SUCH_UPLOAD, PRECONDITION_FAILED -> true;
              default -> false;
            };
        if (!resolvable) {
          throw e;
        }
        boolean gone = e.kind() == StoreException.Kind.NO_SUCH_UPLOAD;
        // S3 may work on a Complete for minutes; an upload that it is just joining is neither there
        // any more nor is its object there yet.
        mayStillTakeEffect |= !gone;
        try {
          if (isComplete(store, upload)) {
            return true;
          }
          looks++;
        } catch (StoreException headFailed) {
          e.addSuppressed(headFailed);
          gone = false;
        }
        // Looked at several times in any case: the store's client repeats requests by itself, and a
        // recovery may be at work that takes this process for dead. But where all uploads of a
        // large commit were aborted, the pauses would last for hours.
        boolean hopeless = gone && !mayStillTakeEffect && vanished.get() >= PATIENTLY;
        if (attempt == settings.attempts() || hopeless) {
          if (!gone) {
            throw e;
          }
          if (mayStillTakeEffect || looks < settings.attempts()) {
            uncertain.set(true);
          }
          vanished.incrementAndGet();
          return false;
        }
      }
      Pauses.pause(delay, "Interrupted before a request was repeated");
      delay = delay.multipliedBy(2);
    }
  }

  private boolean isComplete(ObjectStore store, PendingUpload upload) throws IOException {
    Optional<ObjectHead> there = store.headObject(upload.key()).filter(upload::isIdentityOf);
    there.ifPresent(object -> etags.note(upload.destination(), object.etag()));
    return there.isPresent();
  }
}
