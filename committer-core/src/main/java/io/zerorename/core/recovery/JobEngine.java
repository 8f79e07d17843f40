package io.zerorename.core.recovery;

import io.zerorename.core.commit.CommitProgress;
import io.zerorename.core.commit.OpenCommit;
import io.zerorename.core.log.OutputJob;
import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.fs.Path;

/** What the recovery of a commit must know of the engine whose job it was. */
public interface JobEngine {
  /**
   * Whether jobs that write to the destination may write below a directory. A plan that names
   * another was changed, and is refused.
   */
  boolean mayWrite(Path root) throws IOException;

  /**
   * Why a job must not be completed here although it was committed, such as that its table was
   * dropped since; empty where nothing speaks against it. Not asked of what is given up.
   */
  default Optional<String> refuses(OutputJob job) throws IOException {
    return Optional.empty();
  }

  /** Whether {@link #afterFiles} registers partitions in the metastore. */
  default boolean hasMetastore() {
    return false;
  }

  /** What shows how many files of an entry are visible by now. */
  default CommitProgress progress() {
    return CommitProgress.NONE;
  }

  /**
   * Does what the engine would have done after the files were in place. May be repeated.
   *
   * @param commit whose files are in place, but for those that are lost; what later entries replace
   *     is their business
   * @return false where the metastore is left to Hive
   * @throws IOException where it cannot be done now; the entry does not end
   */
  boolean afterFiles(OpenCommit commit) throws IOException;
}
