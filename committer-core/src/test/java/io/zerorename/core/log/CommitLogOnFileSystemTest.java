package io.zerorename.core.log;

import io.zerorename.core.recordstore.FileRecords;
import io.zerorename.core.recordstore.RecordStore;
import java.io.IOException;
import java.io.OutputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

class CommitLogOnFileSystemTest extends CommitLogContract {
  private FileSystem fileSystem;
  private Path directory;

  /** Refuses to rename onto a file, as HDFS does. */
  private static final class LikeHdfs extends FilterFileSystem {
    LikeHdfs() throws IOException {
      super(FileSystem.getLocal(new Configuration(false)).getRawFileSystem());
    }

    @Override
    public synchronized boolean rename(Path from, Path to) throws IOException {
      return !exists(to) && super.rename(from, to);
    }
  }

  @BeforeEach
  void open(@TempDir java.nio.file.Path temporary) throws IOException {
    fileSystem = new LikeHdfs();
    directory = new Path(new Path(temporary.toUri()), "t-1");
  }

  @Override
  RecordStore records() {
    return new FileRecords(fileSystem, directory);
  }

  @Override
  void damage(String name, byte[] document) throws IOException {
    try (OutputStream out = fileSystem.create(new Path(directory, name), true)) {
      out.write(document);
    }
  }
}
