package io.zerorename.testing.localfs;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.util.Map;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

/** Permissions and links by Java's own calls, which change and see the same bits. */
final class RawUnforkedLocalFileSystem extends RawLocalFileSystem {
  private static final String MODE = "unix:mode";
  private static final int PERMISSIONS = 07777;

  @Override
  public void setPermission(Path path, FsPermission permission) throws IOException {
    try {
      Files.setAttribute(pathToFile(path).toPath(), MODE, (int) permission.toShort());
    } catch (NoSuchFileException e) {
      throw missing(path, e);
    }
  }

  @Override
  public FileStatus getFileStatus(Path path) throws IOException {
    FileStatus status = super.getFileStatus(path);
    try {
      Map<String, Object> attributes =
          Files.readAttributes(pathToFile(path).toPath(), MODE + ",owner,group");
      return new FileStatus(
          status.getLen(),
          status.isDirectory(),
          status.getReplication(),
          status.getBlockSize(),
          status.getModificationTime(),
          status.getAccessTime(),
          new FsPermission((short) ((int) attributes.get("mode") & PERMISSIONS)),
          attributes.get("owner").toString(),
          attributes.get("group").toString(),
          status.getPath());
    } catch (NoSuchFileException e) {
      throw missing(path, e);
    }
  }

  @Override
  public FileStatus getFileLinkStatus(Path path) throws IOException {
    return Files.isSymbolicLink(pathToFile(path).toPath())
        ? super.getFileLinkStatus(path)
        : getFileStatus(path);
  }

  private static FileNotFoundException missing(Path path, NoSuchFileException cause) {
    FileNotFoundException missing = new FileNotFoundException("File " + path + " does not exist");
    missing.initCause(cause);
    return missing;
  }
}
