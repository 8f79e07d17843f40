package io.zerorename.cli;

import io.zerorename.core.commit.WorkDirectory;
import io.zerorename.core.config.S3AFileSystems;
import io.zerorename.magic.job.MapReduceKeys;
import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/** Finds what the committer keeps on the cluster file system. */
final class ClusterRecords {
  private ClusterRecords() {}

  /**
   * The user's directory; empty where there is none, or no cluster file system.
   *
   * @throws IOException where it cannot be seen, or must not be trusted
   */
  static Optional<WorkDirectory> find(Configuration conf) throws IOException {
    Path directory = MapReduceKeys.workDir(conf);
    if (S3AFileSystems.holds(directory, conf)) {
      return Optional.empty();
    }
    WorkDirectory work = WorkDirectory.of(directory, conf);
    return work.exists() ? Optional.of(work) : Optional.empty();
  }

  /** Like {@link #find}; the cluster file system may be gone, with the cluster. */
  static Optional<WorkDirectory> findOrWarn(Session session) {
    try {
      return find(session.conf());
    } catch (IOException | RuntimeException e) {
      session
          .output()
          .warn("What is kept on the cluster file system cannot be seen: " + e.getMessage());
      return Optional.empty();
    }
  }
}
