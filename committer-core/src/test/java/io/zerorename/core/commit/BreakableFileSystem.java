package io.zerorename.core.commit;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/**
 * The local file system, which refuses as HDFS does to rename onto a file, and on which something
 * can be made to happen around each rename, or each one that decides a job.
 */
public final class BreakableFileSystem extends FilterFileSystem {
  /** What happens instead of doing nothing. */
  public interface Event {
    void happen() throws IOException;
  }

  private Event beforeRename = () -> {};
  private Event beforeDecision = () -> {};
  private Event afterDecision = () -> {};
  private boolean broken;
  private boolean readOnly;

  public BreakableFileSystem() throws IOException {
    super(FileSystem.getLocal(new Configuration(false)));
  }

  public void beforeRename(Event event) {
    beforeRename = event;
  }

  public void beforeDecision(Event event) {
    beforeDecision = event;
  }

  public void afterDecision(Event event) {
    afterDecision = event;
  }

  /** From now on look-ups fail. */
  public void breakDown() {
    broken = true;
  }

  public void repair() {
    broken = false;
    readOnly = false;
    beforeRename = () -> {};
    beforeDecision = () -> {};
    afterDecision = () -> {};
  }

  @Override
  public boolean rename(Path source, Path target) throws IOException {
    boolean decision = target.getName().matches("_\\d{12}");
    beforeRename.happen();
    if (decision) {
      beforeDecision.happen();
    }
    boolean renamed = !super.exists(target) && super.rename(source, target);
    if (decision) {
      afterDecision.happen();
    }
    return renamed;
  }

  @Override
  public boolean exists(Path path) throws IOException {
    refuseIfBroken();
    return super.exists(path);
  }

  @Override
  public FSDataInputStream open(Path path, int bufferSize) throws IOException {
    refuseIfBroken();
    return super.open(path, bufferSize);
  }

  /** From now on no file is written. */
  public void refuseWrites() {
    readOnly = true;
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
    if (readOnly) {
      throw new IOException("quota exceeded");
    }
    return super.create(path, permission, overwrite, bufferSize, replication, blockSize, progress);
  }

  private void refuseIfBroken() throws IOException {
    if (broken) {
      throw new IOException("the cluster file system does not answer");
    }
  }
}
