package io.zerorename.core.commit;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.apache.hadoop.util.functional.CallableRaisingIOE;
import org.apache.hadoop.util.functional.InvocationRaisingIOE;

/**
 * The stages of a job commit, in their order, and what runs each. Reports, log lines and
 * documentation name them so.
 */
public enum CommitStage {
  /** {@code JobCommit} lists the commit log: which entries an overwrite has to follow. */
  READ_LOG,
  /**
   * {@code NewFiles} reads the manifests of the chosen task attempts; {@code SmallFiles} uploads
   * those whose bytes have come with a manifest.
   */
  LOAD_MANIFESTS,
  /** {@code ListReplaced} lists the old objects that an overwrite replaces. */
  PLAN,
  /** {@code PlanWriter} writes the rest of the plan; {@code NewFiles} lists the uploads. */
  WRITE_PLAN,
  /** {@code CommitLog} writes the entry. */
  DECIDE,
  /** {@code CompleteUploads} completes the uploads. */
  COMPLETE,
  /**
   * {@code FinalizeFollowed} finalizes the files of followed entries, and {@code DeleteReplaced}
   * deletes these and old objects.
   */
  REPLACE,
  /** {@code EntryExecutor} writes markers of directories that are empty now. */
  PUBLISH,
  /** {@code UploadSweep} aborts uploads of attempts that were not chosen. */
  CLEAN_UP;

  /** Does the work of the stage, and notes how long it took. */
  <T> T measure(Map<CommitStage, Duration> times, CallableRaisingIOE<T> work) throws IOException {
    long start = System.nanoTime();
    try {
      return work.apply();
    } finally {
      times.put(this, Duration.ofNanos(System.nanoTime() - start));
    }
  }

  /** The same, where the work has no result. */
  void measure(Map<CommitStage, Duration> times, InvocationRaisingIOE work) throws IOException {
    measure(
        times,
        () -> {
          work.apply();
          return null;
        });
  }
}
