package io.zerorename.spark.checkpoint;

import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.PartBody;
import io.zerorename.core.store.StoreException;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.WeakHashMap;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Checks that a store refuses a conditional PUT where there is an object: without that two queries
 * could write the same batch.
 */
final class ConditionalWrites {
  /** The buckets that were checked: each query of a process would find the same. */
  private static final Set<FileSystem> CHECKED =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

  private ConditionalWrites() {}

  /**
   * Fails where the store overwrites objects. Three requests, once for each file system.
   *
   * @param directory for the object that is written twice, and then deleted
   */
  static void require(FileSystem fileSystem, ObjectStore store, Path directory) throws IOException {
    if (CHECKED.contains(fileSystem)) {
      return;
    }
    String key = ObjectKeys.prefixOf(directory) + ".zerorename-check-" + UUID.randomUUID();
    store.putObjectIfAbsent(key, PartBody.of(new byte[0]), Map.of());
    boolean refused = false;
    try {
      store.putObjectIfAbsent(key, PartBody.of(new byte[0]), Map.of());
    } catch (StoreException e) {
      if (e.kind() != StoreException.Kind.PRECONDITION_FAILED) {
        throw e;
      }
      refused = true;
    } finally {
      store.deleteObjects(List.of(key));
    }
    if (!refused) {
      throw new IOException(
          "ZR-7117: Cannot keep a checkpoint in "
              + directory
              + ": its store overwrites objects in spite of If-None-Match, so that two queries could"
              + " write the same batch. Use a store with conditional writes, or unset"
              + " spark.sql.streaming.checkpointFileManagerClass.");
    }
    CHECKED.add(fileSystem);
  }
}
