package io.zerorename.core.document;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
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

  /** Writes a file, with the file system's own replication and block size. */
  public static void write(FileSystem fileSystem, Path file, byte[] document, boolean overwrite)
      throws IOException {
    try (OutputStream out =
        fileSystem instanceof LocalFileSystem local
            ? create(local, file, overwrite)
            : fileSystem.create(
                file,
                OWNER,
                overwrite,
                BUFFER,
                fileSystem.getDefaultReplication(file),
                fileSystem.getDefaultBlockSize(file),
                null)) {
      out.write(document);
    }
  }

  /**
   * Without Hadoop's native library, its local file system starts two processes for each file, to
   * set the modes of the file and of its checksum, which takes longer than all the rest.
   */
  private static OutputStream create(LocalFileSystem fileSystem, Path file, boolean overwrite)
      throws IOException {
    java.nio.file.Path path = fileSystem.pathToFile(file).toPath();
    Files.createDirectories(path.getParent());
    if (overwrite) {
      Files.deleteIfExists(path);
      // Of an earlier file that Hadoop has written.
      Files.deleteIfExists(fileSystem.pathToFile(fileSystem.getChecksumFile(file)).toPath());
    }
    return Channels.newOutputStream(
        Files.newByteChannel(
            path,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))));
  }
}
