package io.zerorename.core.parallel;

import io.zerorename.core.store.ObjectHead;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.StoreException.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;

/** A conditional PUT whose answer was lost, and whose repetition was refused. */
final class LostPut {
  private LostPut() {}

  /**
   * The ETag of the object that an earlier copy of the PUT has written.
   *
   * @throws StoreException the failure, also where the look for the object fails; or that another's
   *     object is there
   */
  static String etag(
      ObjectStore store,
      String key,
      RepeatableBody body,
      Map<String, String> metadata,
      StoreException failure)
      throws IOException {
    if (failure.kind() != Kind.AMBIGUOUS || failure.lastAnswer() != Kind.PRECONDITION_FAILED) {
      throw failure;
    }
    Optional<ObjectHead> there;
    boolean own;
    try {
      there = store.headObject(key);
      own =
          there.isPresent()
              && there.get().size() == body.length()
              && (metadata.isEmpty()
                  ? Arrays.equals(store.getObject(key), bytes(body))
                  : there.get().metadata().entrySet().containsAll(metadata.entrySet()));
    } catch (StoreException e) {
      // A look that is refused says nothing of the PUT.
      failure.addSuppressed(e);
      throw failure;
    }
    if (there.isEmpty()) {
      throw failure;
    }
    if (!own) {
      throw new StoreException(Kind.PRECONDITION_FAILED, failure.getMessage(), failure);
    }
    return there.get().etag();
  }

  private static byte[] bytes(RepeatableBody body) throws IOException {
    try (InputStream in = body.open()) {
      return in.readAllBytes();
    }
  }
}
