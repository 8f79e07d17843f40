package io.zerorename.core.store;

import java.io.Closeable;
import java.io.IOException;
import java.util.Map;
import org.apache.hadoop.fs.Path;

/** Finds the store of a path's bucket, with the settings that the user gave for that bucket. */
@FunctionalInterface
public interface ObjectStores extends Closeable {
  /**
   * @param path a fully qualified path on an S3A file system (whatever the scheme is called)
   * @throws IOException where the path is not on S3A or the bucket cannot be reached; the message
   *     says which setting to check
   */
  ObjectStore forPath(Path path) throws IOException;

  /** The requests to all stores so far, whatever their outcome; a repeated one counts each time. */
  default Map<RequestType, Long> requests() {
    return Map.of();
  }

  /** Frees what was opened for the stores, after which none works. */
  @Override
  default void close() throws IOException {}
}
