package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.store.ObjectHead;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.util.Optional;

/**
 * Completes uploads, one request each. An answer that does not say whether the request took effect
 * is resolved by the identity that the object carries: an object of that name and length proves
 * nothing. May be used by several threads.
 */
final class UploadCompletion {
  private final ObjectStores stores;
  private final CompletedEtags etags;

  /**
   * @param etags gets the ETag of each object
   */
  UploadCompletion(ObjectStores stores, CompletedEtags etags) {
    this.stores = requireNonNull(stores, "stores");
    this.etags = requireNonNull(etags, "etags");
  }

  /**
   * Completes an upload.
   *
   * @return false where it is absent, neither pending nor there; the store may be at work on it
   * @throws StoreException where it is not known what became of it
   */
  boolean run(PendingUpload upload) throws IOException {
    ObjectStore store = stores.forPath(upload.destination());
    try {
      etags.note(
          upload.destination(),
          store.completeUpload(upload.key(), upload.uploadId(), upload.parts()));
      return true;
    } catch (StoreException e) {
      boolean absent =
          switch (e.kind()) {
            case NO_SUCH_UPLOAD, PRECONDITION_FAILED -> true;
            case AMBIGUOUS -> e.lastAnswer() == StoreException.Kind.NO_SUCH_UPLOAD;
            default -> throw e;
          };
      if (isThere(store, upload, e)) {
        return true;
      }
      if (!absent) {
        // The store has repeated it for as long as it may.
        throw e;
      }
      return false;
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
