package io.zerorename.core.upload;

import io.zerorename.core.config.CoreKeys;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.LocalDirAllocator;

/** Local directories for data that does not wait in memory; used in turn, full ones left out. */
public final class SpillDirectories {
  private static final String S3A_BUFFER_DIR = "fs.s3a.buffer.dir";

  private static final FileAttribute<Set<PosixFilePermission>> PRIVATE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private final Configuration configuration;
  private final LocalDirAllocator allocator = new LocalDirAllocator(S3A_BUFFER_DIR);

  private SpillDirectories(Configuration configuration) {
    this.configuration = configuration;
  }

  /** Those of S3A, else the JVM's. */
  public static SpillDirectories from(Configuration configuration) {
    if (!configuration.getTrimmed(S3A_BUFFER_DIR, "").isEmpty()) {
      return new SpillDirectories(configuration);
    }
    Configuration withDefault = new Configuration(configuration);
    withDefault.set(S3A_BUFFER_DIR, System.getProperty("java.io.tmpdir"));
    return new SpillDirectories(withDefault);
  }

  /**
   * A new empty file in a directory with room for it, which only this process's user may read.
   *
   * @param size how large it may become, in bytes
   */
  File createFile(long size) throws IOException {
    // Not createTmpFileForWrite: it remembers each file until the JVM ends, which may be never.
    String name = "zerorename-" + UUID.randomUUID() + ".part";
    try {
      Path path =
          Path.of(
              allocator.getLocalPathForWrite(name, size, configuration, true).toUri().getPath());
      boolean posix = Files.getFileStore(path.getParent()).supportsFileAttributeView("posix");
      return (posix ? Files.createFile(path, PRIVATE) : Files.createFile(path)).toFile();
    } catch (IOException e) {
      throw new IOException(
          ("ZR-2108: no local directory takes %s bytes of an upload that wait to be sent: %s. Give"
                  + " %s (now \"%s\") a writable directory with free space, or let data wait in"
                  + " memory: fs.s3a.fast.upload.buffer=bytebuffer, and %s as high as it takes.")
              .formatted(
                  size,
                  e.getMessage(),
                  S3A_BUFFER_DIR,
                  configuration.get(S3A_BUFFER_DIR),
                  CoreKeys.UPLOAD_MEMORY_LIMIT.name()),
          e);
    }
  }
}
