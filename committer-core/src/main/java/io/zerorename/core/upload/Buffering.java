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

  /** Up to here a file is no file on disk: there may be very many. */
  private static final long SMALL = 512L << 10;

  public Buffering {
    requireNonNull(directories, "directories");
  }

  /**
   * What the user has set. Whether files that are uploaded wait on disk or in memory is what S3A
   * does, which has three settings: <a
   * href="https://hadoop.apache.org/docs/r3.4.1/hadoop-aws/tools/hadoop-aws/index.html">{@code
   * disk}</a>, its default, {@code array} and {@code bytebuffer}.
   */
  static Buffering from(Configuration configuration, String bucket) {
    String all = configuration.getTrimmed("fs.s3a." + S3A_BUFFER, "disk");
    String buffer = configuration.getTrimmed("fs.s3a.bucket." + bucket + "." + S3A_BUFFER, all);
    boolean inMemory = buffer.equals("array") || buffer.equals("bytebuffer");
    return new Buffering(
        CoreKeys.UPLOAD_MEMORY_LIMIT.from(configuration),
        inMemory ? Long.MAX_VALUE : SMALL,
        SpillDirectories.from(configuration));
  }
}
