package io.zerorename.magic.job;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.hadoop.fs.statistics.IOStatisticsSetters;
import org.apache.hadoop.fs.statistics.MeanStatistic;
import org.apache.hadoop.fs.statistics.StoreStatisticNames;

/**
 * What a committer has done, under the names under which S3A's committers count it: whatever reads
 * their statistics, from {@code getIOStatistics} or from a {@code _SUCCESS}, reads ours.
 */
final class S3AStatistics {
  private static final String COMMIT_JOB = "committer_commit_job";

  private S3AStatistics() {}

  /** Of a job's commit that came to its end. */
  static SortedMap<String, Long> ofJob(long files, long bytes, long aborted) {
    return new TreeMap<>(
        Map.of(
            "committer_jobs_completed",
            1L,
            "committer_commits_completed",
            files,
            "committer_bytes_committed",
            bytes,
            "committer_commits_aborted",
            aborted,
            COMMIT_JOB,
            1L));
  }

  /** Of a job's commit that did not. */
  static SortedMap<String, Long> ofFailedJob() {
    return new TreeMap<>(Map.of("committer_jobs_failed", 1L));
  }

  /** Of the commit of a task attempt. */
  static SortedMap<String, Long> ofTask(long files, long bytes) {
    return new TreeMap<>(
        Map.of(
            "committer_tasks_completed", 1L,
            "committer_commits_created", files,
            "committer_bytes_uploaded", bytes));
  }

  /** Sets how long the commit of a job took, as S3A tells durations. */
  static void setCommitTime(IOStatisticsSetters statistics, long millis) {
    statistics.setMinimum(COMMIT_JOB + StoreStatisticNames.SUFFIX_MIN, millis);
    statistics.setMaximum(COMMIT_JOB + StoreStatisticNames.SUFFIX_MAX, millis);
    statistics.setMeanStatistic(
        COMMIT_JOB + StoreStatisticNames.SUFFIX_MEAN, new MeanStatistic(1, millis));
  }
}
