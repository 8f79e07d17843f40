package io.zerorename.core.commit;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Path;

/**
 * The local file system, which refuses as HDFS does to rename onto a file, and on which something
 * can be made to happen before each rename.
 */
public final class BreakableFileSystem extends FilterFileSystem {
  /** What happens instead of doing nothing. */
  public interface Event {
    void happen() throws IOException;
  }

  private Event beforeRename = () -> {};

  public BreakableFileSystem() throws IOException {
    super(FileSystem.getLocal(new Configuration(false)));
  }

  public void beforeRename(Event event) {
    beforeRename = event;
  }

  @Override
  public boolean rename(Path source, Path target) throws IOException {
    beforeRename.happen();
    return !super.exists(target) && super.rename(source, target);
  }
}
