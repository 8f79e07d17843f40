package io.zerorename.magic.fs;

import static java.util.Objects.requireNonNull;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;

/**
 * The configuration with which a session creates its file system instance, and passes on its state.
 * It begins empty: copies of a query's configuration for hundreds of record writers would need more
 * memory than their buffers.
 */
final class SessionConfiguration extends Configuration {

  private final PendingFiles files;
  private final FileSystem.Statistics statistics;

  SessionConfiguration(PendingFiles files, FileSystem.Statistics statistics) {
    super(false);
    this.files = requireNonNull(files, "files");
    this.statistics = requireNonNull(statistics, "statistics");
    PendingFileSystem.register(this);
    // The jar may have come by ADD JAR, to a class loader that Hadoop's does not know.
    setClassLoader(PendingFileSystem.class.getClassLoader());
  }

  PendingFiles files() {
    return files;
  }

  /** Where the session counts what it writes. */
  FileSystem.Statistics statistics() {
    return statistics;
  }
}
