package io.zerorename.hive;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.DelegateToFileSystem;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FsConstants;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * The local disk without what Hadoop is slow at where its native library is missing: a process per
 * permission that is set or asked for and per link that could be one, a hundred per DAG.
 *
 * <p>And without a copy of Hive's jar, 90 MB, per MapReduce job, which runs in this JVM.
 */
public final class QuickLocalFileSystem extends LocalFileSystem {
  private static final String JAR_OF_JOB = "job.jar";

  /** As Hadoop makes it, from {@code fs.file.impl}. */
  public QuickLocalFileSystem() {
    super(new Disk());
  }

  @Override
  public void copyFromLocalFile(boolean deleteSource, Path source, Path target) throws IOException {
    if (target.getName().equals(JAR_OF_JOB)) {
      create(target).close();
    } else {
      super.copyFromLocalFile(deleteSource, source, target);
    }
  }

  /** The same for Tez, which asks for {@code fs.AbstractFileSystem.file.impl}. */
  public static final class Quick extends DelegateToFileSystem {
    /** As Hadoop makes it. */
    public Quick(URI root, Configuration conf) throws IOException, URISyntaxException {
      super(root, new Disk(), conf, FsConstants.LOCAL_FS_URI.getScheme(), false);
    }

    @Override
    public int getUriDefaultPort() {
      return -1;
    }

    @Override
    public boolean isValidName(String name) {
      return true;
    }
  }

  private static final class Disk extends RawLocalFileSystem {
    @Override
    public void setPermission(Path path, FsPermission permission) throws IOException {
      if (permission.getStickyBit()) {
        super.setPermission(path, permission);
      } else {
        Files.setPosixFilePermissions(
            pathToFile(path).toPath(), PosixFilePermissions.fromString(permission.toString()));
      }
    }

    @Override
    public FileStatus getFileLinkStatus(Path path) throws IOException {
      return Files.isSymbolicLink(pathToFile(path).toPath())
          ? super.getFileLinkStatus(path)
          : getFileStatus(path);
    }

    @Override
    public FileStatus getFileStatus(Path path) throws IOException {
      FileStatus status = super.getFileStatus(path);
      try {
        PosixFileAttributes attributes =
            Files.readAttributes(pathToFile(path).toPath(), PosixFileAttributes.class);
        return new FileStatus(
            status.getLen(),
            status.isDirectory(),
            status.getReplication(),
            status.getBlockSize(),
            status.getModificationTime(),
            status.getAccessTime(),
            FsPermission.valueOf(
                (status.isDirectory() ? "d" : "-")
                    + PosixFilePermissions.toString(attributes.permissions())),
            attributes.owner().getName(),
            attributes.group().getName(),
            status.getPath());
      } catch (NoSuchFileException e) {
        throw (IOException) new FileNotFoundException("No file " + path).initCause(e);
      }
    }
  }
}
