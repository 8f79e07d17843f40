package io.zerorename.core.upload;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.config.CoreKeys;
import org.apache.hadoop.conf.Configuration;

/**
 * Where the data of open files waits until it is sent: in memory as long as both limits allow it,
 * else on local disk.
 *
 * @param memoryLimit of all buffers that share an {@link UploadMemory}, in bytes
 * @param memoryPerFile how long a file becomes before its data waits on disk although there is
 *     memory, in bytes
 * @param directories on local disk
 */
public record Buffering(long memoryLimit, long memoryPerFile, SpillDirectories directories) {
  private static final String S3A_BUFFER = "fast.upload.buffer";

  /** More than what is called small by default; a writer of many partitions has many of those. */
  private static final long SMALL_FILE = 1L << 20;

  public Buffering {
    requireNonNull(directories, "directories");
    if (memoryLimit < 0 || memoryPerFile < 0) {
      throw new IllegalArgumentException(
          "memory limit "
              + memoryLimit
              + " and per file "
              + memoryPerFile
              + " must not be negative");
    }
  }

  /**
   * What the user has set. Whether large files wait on disk or in memory is what he has told S3A,
   * which knows three ways: <a
   * href="https://hadoop.apache.org/docs/r3.4.1/hadoop-aws/tools/hadoop-aws/index.html">{@code
   * disk}</a>, its default, {@code array} and {@code bytebuffer}.
   */
  static Buffering from(Configuration configuration, String bucket) {
    String all = configuration.getTrimmed("fs.s3a." + S3A_BUFFER, "disk");
    String buffer = configuration.getTrimmed("fs.s3a.bucket." + bucket + "." + S3A_BUFFER, all);
    boolean inMemory = buffer.equals("array") || buffer.equals("bytebuffer");
    return new Buffering(
        CoreKeys.UPLOAD_MEMORY_LIMIT.from(configuration),
        inMemory ? Long.MAX_VALUE : SMALL_FILE,
        SpillDirectories.from(configuration));
  }

  /** The same, with room in memory for a file of this length. */
  Buffering withFilesOf(long bytes) {
    return new Buffering(memoryLimit, Math.max(memoryPerFile, bytes), directories);
  }
}
