package io.zerorename.benchmark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * Hadoop's local file system, without the processes that it starts where its native library is
 * absent: {@code chmod} twice for each new file, and {@code ls} for its permissions. Here it stands
 * for HDFS, and a thousand small records would cost more time in those processes than in S3.
 */
public final class UnforkedLocalFileSystem extends LocalFileSystem {
  /** The settings by which Hadoop uses this. */
  static final Map<String, String> SETTINGS =
      Map.of("fs.file.impl", UnforkedLocalFileSystem.class.getName());

  /** For Hadoop. */
  public UnforkedLocalFileSystem() {
    super(new Raw());
  }

  private static final class Raw extends RawLocalFileSystem {
    @Override
    public void setPermission(Path path, FsPermission permission) throws IOException {
      Set<PosixFilePermission> bits =
          PosixFilePermissions.fromString(
              permission.getUserAction().SYMBOL
                  + permission.getGroupAction().SYMBOL
                  + permission.getOtherAction().SYMBOL);
      Files.setPosixFilePermissions(pathToFile(path).toPath(), bits);
    }

    @Override
    public FileStatus getFileStatus(Path path) throws IOException {
      FileStatus status = super.getFileStatus(path);
      String bits =
          PosixFilePermissions.toString(Files.getPosixFilePermissions(pathToFile(path).toPath()));
      String user = System.getProperty("user.name");
      return new FileStatus(
          status.getLen(),
          status.isDirectory(),
          status.getReplication(),
          status.getBlockSize(),
          status.getModificationTime(),
          status.getAccessTime(),
          FsPermission.valueOf("-" + bits),
          user,
          user,
          status.getPath());
    }
  }
}
