package io.zerorename.core.store;

import java.io.IOException;
import org.apache.hadoop.fs.Path;

/** Finds the store of a path's bucket, with the settings that the user gave for that bucket. */
@FunctionalInterface
public interface ObjectStores {
  /**
   * @param path a fully qualified path on an S3A file system (whatever the scheme is called)
   * @throws IOException where the path is not on S3A or the bucket cannot be reached; the message
   *     says which setting to check
   */
  ObjectStore forPath(Path path) throws IOException;
}
