package io.zerorename.magic.job;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.hadoop.fs.statistics.IOStatisticsSetters;
import org.apache.hadoop.fs.statistics.MeanStatistic;
import org.apache.hadoop.fs.statistics.StoreStatisticNames;

/**
 * The statistics of a commit under the names of S3A's committers, for readers of {@code
 * getIOStatistics} and of a {@code _SUCCESS}.
 */
final class S3AStatistics {
  private static final String COMMIT_JOB = "committer_commit_job";
  private static final String TASKS = "committer_tasks_completed";

  private S3AStatistics() {}

  /**
   * Of a job's commit that succeeded.
   *
   * @param tasks that have written the files
   */
  static SortedMap<String, Long> ofJob(long tasks, long files, long bytes, long aborted) {
    return new TreeMap<>(
        Map.of(
            "committer_jobs_completed",
            1L,
            TASKS,
            tasks,
            "committer_commits_completed",
            files,
            "committer_bytes_committed",
            bytes,
            "committer_commits_aborted",
            aborted,
            COMMIT_JOB,
            1L));
  }

  /** Of a job's commit that failed. */
  static SortedMap<String, Long> ofFailedJob() {
    return new TreeMap<>(Map.of("committer_jobs_failed", 1L));
  }

  /** Of the commit of a task attempt. */
  static SortedMap<String, Long> ofTask(long files, long bytes) {
    return new TreeMap<>(
        Map.of(TASKS, 1L, "committer_commits_created", files, "committer_bytes_uploaded", bytes));
  }

  /** Sets the duration of a job's commit in S3A's form. */
  static void setCommitTime(IOStatisticsSetters statistics, long millis) {
    statistics.setMinimum(COMMIT_JOB + StoreStatisticNames.SUFFIX_MIN, millis);
    statistics.setMaximum(COMMIT_JOB + StoreStatisticNames.SUFFIX_MAX, millis);
    statistics.setMeanStatistic(
        COMMIT_JOB + StoreStatisticNames.SUFFIX_MEAN, new MeanStatistic(1, millis));
  }
}
