package io.zerorename.core.upload;

import io.zerorename.core.config.CoreKeys;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.LocalDirAllocator;

/**
 * Where the data of open files waits until it is sent: in memory as long as both limits allow it,
 * else on local disk. The memory is counted for all files that this process has open.
 *
 * <p>Not Hadoop's {@code DataBlocks}: they read a file into memory to send it, take the memory of a
 * whole part for one byte, and know no limit for all files.
 *
 * @param memoryLimit of all files of the process together, in bytes
 * @param memoryPerFile how long a file becomes before its data waits on disk although there is
 *     memory, in bytes
 * @param configuration names the local directories, which are S3A's
 */
public record Buffering(long memoryLimit, long memoryPerFile, Configuration configuration) {
  private static final String S3A_BUFFER = "fast.upload.buffer";
  private static final String S3A_DIRECTORIES = "fs.s3a.buffer.dir";

  /** Up to here a file is no file on disk: there may be very many. */
  private static final long SMALL = 512L << 10;

  /** Bytes that all files of the process hold. */
  private static final AtomicLong USED = new AtomicLong();

  private static final LocalDirAllocator DIRECTORIES = new LocalDirAllocator(S3A_DIRECTORIES);

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
        configuration);
  }

  /** Bytes of memory that unsent data of this process takes now. */
  public static long memoryUsed() {
    return USED.get();
  }

  /** Counts memory as taken, unless all files together would pass the limit. */
  boolean takeMemory(int size) {
    long most = memoryLimit - size;
    return USED.getAndUpdate(used -> used <= most ? used + size : used) <= most;
  }

  /** Counts memory that was taken as free. */
  void giveBackMemory(long size) {
    USED.addAndGet(-size);
  }

  /**
   * A new empty file, which only this process's user may read, in one of the directories in turn
   * that have room for it.
   *
   * @param size how large it may become, in bytes
   */
  File newFile(long size) throws IOException {
    try {
      // Not createTmpFileForWrite: it remembers each file until the JVM ends, which may be never.
      Path directory =
          Path.of(
              DIRECTORIES
                  .getLocalPathForWrite("zerorename", size, configuration, true)
                  .getParent()
                  .toUri()
                  .getPath());
      return Files.createTempFile(directory, "zerorename-", ".part").toFile();
    } catch (IOException e) {
      throw new IOException(
          ("ZR-2108: no local directory takes %s bytes of an upload that wait to be sent: %s. Give"
                  + " %s (now \"%s\") a writable directory with free space, or let data wait in"
                  + " memory: fs.s3a.fast.upload.buffer=bytebuffer, and %s as high as it takes.")
              .formatted(
                  size,
                  e.getMessage(),
                  S3A_DIRECTORIES,
                  configuration.get(S3A_DIRECTORIES),
                  CoreKeys.UPLOAD_MEMORY_LIMIT.name()),
          e);
    }
  }
}
