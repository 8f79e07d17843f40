package io.zerorename.testing.localfs;

import org.apache.hadoop.fs.LocalFileSystem;

/**
 * Hadoop's local file system without the processes that it starts where its native library is
 * absent. Clusters have that library. Without it an INSERT of three rows starts hundreds of {@code
 * chmod}, {@code readlink} and {@code ls}, which cost more time than the INSERT.
 *
 * <p>{@code core-site.xml} beside this class sets it for every test, the demo and the benchmark.
 */
public class UnforkedLocalFileSystem extends LocalFileSystem {
  /** For Hadoop. */
  public UnforkedLocalFileSystem() {
    super(new RawUnforkedLocalFileSystem());
  }
}
