package io.zerorename.core.manifest;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;

/** Files that only their owner may read, from their first byte on: they may hold data of tables. */
public final class PrivateFiles {
  private static final FsPermission OWNER = new FsPermission((short) 0600);

  /** Of what is not on its way to the file system yet; HDFS has buffers of its own. */
  private static final int BUFFER = 4 << 10;

  private PrivateFiles() {}

  /** Creates a file, with the file system's own replication and block size. */
  public static OutputStream create(FileSystem fileSystem, Path file, boolean overwrite)
      throws IOException {
    if (fileSystem instanceof LocalFileSystem local) {
      // Without Hadoop's native library it would start a process for each file to set its mode.
      OutputStream out = local.create(file, overwrite);
      try {
        Files.setPosixFilePermissions(
            local.pathToFile(file).toPath(), PosixFilePermissions.fromString("rw-------"));
        return out;
      } catch (IOException | RuntimeException e) {
        try (out) {
          throw e;
        }
      }
    }
    return fileSystem.create(
        file,
        OWNER,
        overwrite,
        BUFFER,
        fileSystem.getDefaultReplication(file),
        fileSystem.getDefaultBlockSize(file),
        null);
  }
}
