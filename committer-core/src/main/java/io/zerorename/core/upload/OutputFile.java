package io.zerorename.core.upload;

import io.zerorename.core.store.ObjectHead;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.fs.Path;

/** A file that a task attempt has written and that job commit makes visible. */
public sealed interface OutputFile permits PendingUpload, InlineFile {
  /** Name of the user metadata that holds {@link #identity}. */
  String IDENTITY_METADATA = "zerorename-id";

  /** The fully qualified path at which the object will appear. */
  Path destination();

  /** The job (in Hive: the execution of one query) that the file belongs to. */
  String jobId();

  /** The task attempt that wrote it. */
  String taskAttemptId();

  /**
   * A UUID of this file alone, which the object carries as metadata {@value #IDENTITY_METADATA}: it
   * proves that an object is this file, which neither existence nor length can.
   */
  String identity();

  /** Length of the object in bytes. */
  long length();

  /** The object's key in its bucket. */
  default String key() {
    return ObjectKeys.of(destination());
  }

  /** The object where the file is or was to be, which may be another program's. One request. */
  default Optional<ObjectHead> head(ObjectStores stores) throws IOException {
    return stores.forPath(destination()).headObject(key());
  }

  /** Whether the file is there. One request. */
  default boolean isThere(ObjectStores stores) throws IOException {
    return head(stores).filter(this::isIdentityOf).isPresent();
  }

  /** Whether an object is the one that this file becomes. */
  default boolean isIdentityOf(ObjectHead object) {
    return identity().equals(object.metadata().get(IDENTITY_METADATA));
  }
}
