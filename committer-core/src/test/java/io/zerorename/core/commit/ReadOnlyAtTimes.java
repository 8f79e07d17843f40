package io.zerorename.core.commit;

import java.io.IOException;
import java.util.EnumSet;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/** A file system that can be made to refuse every change, as HDFS does in safe mode. */
final class ReadOnlyAtTimes extends FilterFileSystem {
  static final String REASON = "the file system is read-only";

  private volatile boolean readOnly;

  ReadOnlyAtTimes(FileSystem fileSystem) {
    super(fileSystem);
  }

  void readOnly(boolean now) {
    readOnly = now;
  }

  @Override
  public FSDataOutputStream create(
      Path path,
      FsPermission permission,
      boolean overwrite,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress)
      throws IOException {
    check(path);
    return super.create(path, permission, overwrite, bufferSize, replication, blockSize, progress);
  }

  @Override
  public FSDataOutputStream create(
      Path path,
      FsPermission permission,
      EnumSet<CreateFlag> flags,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress,
      Options.ChecksumOpt checksum)
      throws IOException {
    check(path);
    return super.create(
        path, permission, flags, bufferSize, replication, blockSize, progress, checksum);
  }

  @Override
  public FSDataOutputStream createNonRecursive(
      Path path,
      FsPermission permission,
      EnumSet<CreateFlag> flags,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress)
      throws IOException {
    check(path);
    return super.createNonRecursive(
        path, permission, flags, bufferSize, replication, blockSize, progress);
  }

  @Override
  public boolean mkdirs(Path path, FsPermission permission) throws IOException {
    check(path);
    return super.mkdirs(path, permission);
  }

  @Override
  public boolean mkdirs(Path path) throws IOException {
    check(path);
    return super.mkdirs(path);
  }

  @Override
  public boolean rename(Path source, Path target) throws IOException {
    check(source);
    return super.rename(source, target);
  }

  @Override
  public boolean delete(Path path, boolean recursive) throws IOException {
    check(path);
    return super.delete(path, recursive);
  }

  private void check(Path path) throws IOException {
    if (readOnly) {
      throw new IOException("cannot change " + path + ": " + REASON);
    }
  }
}
