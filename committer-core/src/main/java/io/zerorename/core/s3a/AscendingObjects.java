package io.zerorename.core.s3a;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import io.zerorename.core.store.ObjectSummary;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.StoreException.Kind;
import java.io.IOException;
import java.util.Arrays;
import org.apache.hadoop.fs.RemoteIterator;

/**
 * A listing of objects that fails where a key does not come after the one before it, in the order
 * of their UTF-8 bytes. The tail of a commit log is read from the newest entry on, and a listing
 * goes on after its last key: what comes out of order would be missed in silence.
 */
final class AscendingObjects implements RemoteIterator<ObjectSummary> {
  private final RemoteIterator<ObjectSummary> objects;
  private final String location;
  private ObjectSummary last;
  private byte[] lastKey = {};

  /**
   * @param location whose objects are listed, for messages
   */
  AscendingObjects(RemoteIterator<ObjectSummary> objects, String location) {
    this.objects = requireNonNull(objects, "objects");
    this.location = requireNonNull(location, "location");
  }

  @Override
  public boolean hasNext() throws IOException {
    return objects.hasNext();
  }

  @Override
  public ObjectSummary next() throws IOException {
    ObjectSummary object = objects.next();
    byte[] key = object.key().getBytes(UTF_8);
    if (last != null && Arrays.compareUnsigned(lastKey, key) >= 0) {
      throw new StoreException(
          Kind.REJECTED,
          ("ZR-4221: The listing of %s cannot be relied on: the store lists the key %s behind %s."
                  + " S3 lists keys in ascending order of their UTF-8 bytes; of a listing in another"
                  + " order the committer could miss entries of the commit log. Use a store that"
                  + " lists as S3 does; docs/stores.md has those that were tested")
              .formatted(location, object.key(), last.key()));
    }
    last = object;
    lastKey = key;
    return object;
  }
}
