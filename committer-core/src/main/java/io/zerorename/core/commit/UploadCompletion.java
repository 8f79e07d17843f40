package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.parallel.Pauses;
import io.zerorename.core.store.ObjectHead;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Completes uploads, one request each. An answer that does not say whether the request took effect
 * is resolved by the identity that the object carries: an object of that name and length proves
 * nothing. May be used by several threads.
 */
final class UploadCompletion {
  /** How many absent files are checked repeatedly, which takes seconds for each. */
  static final int MOST_CHECKED = 200;

  private final ObjectStores stores;
  private final CommitSettings settings;
  private final CompletedEtags etags;
  private final AtomicBoolean uncertain = new AtomicBoolean();
  private final AtomicInteger vanished = new AtomicInteger();

  /**
   * @param etags gets the ETag of each object
   */
  UploadCompletion(ObjectStores stores, CommitSettings settings, CompletedEtags etags) {
    this.stores = requireNonNull(stores, "stores");
    this.settings = requireNonNull(settings, "settings");
    this.etags = requireNonNull(etags, "etags");
  }

  /**
   * Whether an absent file may appear although this process alone has sent requests: the store may
   * be at work on one of them, or it was not repeated.
   */
  boolean isUncertain() {
    return uncertain.get();
  }

  /**
   * Completes an upload.
   *
   * @return false where it is absent: neither pending nor there
   * @throws StoreException where it is not known what became of it
   */
  boolean run(PendingUpload upload) throws IOException {
    ObjectStore store = stores.forPath(upload.destination());
    Duration delay = settings.firstDelay();
    boolean mayStillTakeEffect = false;
    for (int look = 1; ; look++) {
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
        if (isThere(store, upload, e)) {
          return true;
        }
        boolean gone = e.lastAnswer() == StoreException.Kind.NO_SUCH_UPLOAD;
        if (!gone && e.kind() == StoreException.Kind.AMBIGUOUS) {
          // The store has repeated it for as long as it may.
          throw e;
        }
        // S3 may work on a Complete for minutes, in which there is neither upload nor object.
        mayStillTakeEffect |= e.kind() != StoreException.Kind.NO_SUCH_UPLOAD;
        // Several looks in any case: another process may execute the entry. But where all uploads
        // of a large commit were aborted, the pauses would last for hours.
        boolean hopeless = !mayStillTakeEffect && vanished.get() >= MOST_CHECKED;
        if (look == settings.attempts() || hopeless) {
          if (!gone) {
            throw e;
          }
          if (mayStillTakeEffect || look < settings.attempts()) {
            uncertain.set(true);
          }
          vanished.incrementAndGet();
          return false;
        }
      }
      Pauses.pause(delay, "Interrupted before a file was looked for again");
      delay = delay.multipliedBy(2);
    }
  }

  private boolean isThere(ObjectStore store, PendingUpload upload, StoreException failure)
      throws IOException {
    try {
      return isThere(store, upload);
    } catch (StoreException e) {
      failure.addSuppressed(e);
      throw failure;
    }
  }

  /** What one try has found out about a file. */
  enum Found {
    THERE,
    /** Neither pending nor there. */
    ABSENT,
    /** The answer does not say, and the request may take effect yet. */
    OPEN
  }

  /** One try, for a file that may be absent. */
  Found retry(PendingUpload upload) throws IOException {
    ObjectStore store = stores.forPath(upload.destination());
    try {
      store.completeUpload(upload.key(), upload.uploadId(), upload.parts());
      return Found.THERE;
    } catch (StoreException e) {
      return switch (e.kind()) {
        case NO_SUCH_UPLOAD -> isThere(store, upload) ? Found.THERE : Found.ABSENT;
        case AMBIGUOUS, PRECONDITION_FAILED -> isThere(store, upload) ? Found.THERE : Found.OPEN;
        default -> throw e;
      };
    }
  }

  /** Aborts an upload, which no process can complete then. Returns false if it was not pending. */
  boolean abort(PendingUpload upload) throws IOException {
    try {
      stores.forPath(upload.destination()).abortUpload(upload.key(), upload.uploadId());
      return true;
    } catch (StoreException e) {
      if (e.kind() != StoreException.Kind.NO_SUCH_UPLOAD) {
        throw e;
      }
      return false;
    }
  }

  private boolean isThere(ObjectStore store, PendingUpload upload) throws IOException {
    Optional<ObjectHead> there = store.headObject(upload.key()).filter(upload::isIdentityOf);
    there.ifPresent(object -> etags.note(upload.destination(), object.etag()));
    return there.isPresent();
  }
}
