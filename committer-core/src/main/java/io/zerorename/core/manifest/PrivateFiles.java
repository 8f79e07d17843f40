package io.zerorename.core.manifest;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;

/** Files that only their owner may read, from their first byte on. */
public final class PrivateFiles {
  private static final FsPermission OWNER = new FsPermission((short) 0600);

  private PrivateFiles() {}

  /** Creates a file. */
  public static OutputStream create(FileSystem fileSystem, Path file, boolean overwrite)
      throws IOException {
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
