package io.zerorename.magic.job;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.zerorename.core.commit.CommitReport;
import io.zerorename.core.commit.OpenCommit;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsSnapshot;
import org.apache.hadoop.fs.statistics.MeanStatistic;
import org.apache.hadoop.fs.statistics.StoreStatisticNames;
import org.apache.hadoop.net.NetUtils;

/**
 * The outcome of a committed job, in the format of the {@code _SUCCESS} files of S3A's committers,
 * which Hadoop's {@code SuccessData} (3.4) reads.
 */
final class JobReport {
  private static final String FORMAT = "org.apache.hadoop.fs.s3a.commit.files.SuccessData/1";
  private static final String COMMIT_JOB = "committer_commit_job";

  private final OutputJob job;
  private final SortedMap<String, Long> metrics = new TreeMap<>();

  /** Under the names of S3A's committers. */
  private final IOStatisticsSnapshot statistics = new IOStatisticsSnapshot();

  private final SortedMap<String, String> diagnostics = new TreeMap<>();

  /** The first files by key, each with what {@code zerorename verify} compares. */
  private final NavigableMap<String, Map<String, Object>> files = new TreeMap<>();

  private JobReport(CommitPlan plan) {
    job = plan.job();
    metrics.put("files", (long) plan.fileCount());
    metrics.put("bytes", plan.bytes());
    metrics.put("files_replaced", (long) plan.replacedCount());
    statistics.setCounter("committer_jobs_completed", 1);
    statistics.setCounter("committer_tasks_completed", plan.attempts().size());
    statistics.setCounter("committer_commits_completed", plan.fileCount());
    statistics.setCounter("committer_bytes_committed", plan.bytes());
    statistics.setCounter(COMMIT_JOB, 1);
    job.run().ifPresent(run -> diagnostics.put("run", run.id()));
  }

  /** Of a commit that another process has completed. */
  static JobReport recovered(CommitPlan plan) {
    JobReport report = new JobReport(plan);
    report.diagnostics.put(
        "recovered", "the commit was interrupted and completed by another process");
    return report;
  }

  /**
   * Of a commit that this process has executed.
   *
   * @param requests of the commit, with those for its records
   * @param fileLimit how many files to name
   */
  static JobReport committed(
      OpenCommit open, CommitReport commit, Map<RequestType, Long> requests, int fileLimit)
      throws IOException {
    JobReport report = new JobReport(open.plan());
    report.name(open.plan(), fileLimit);
    report.diagnostics.put("entry", Long.toString(open.entry().number()));
    report.measure(commit, requests);
    return report;
  }

  private void name(CommitPlan plan, int limit) throws IOException {
    for (RemoteIterator<PendingUpload> all = plan.uploads(); limit > 0 && all.hasNext(); ) {
      PendingUpload file = all.next();
      String key = file.destination().toUri().getPath();
      if (files.size() < limit || key.compareTo(files.lastKey()) < 0) {
        files.put(key, described(file));
        if (files.size() > limit) {
          files.pollLastEntry();
        }
      }
    }
  }

  private static Map<String, Object> described(PendingUpload file) {
    Map<String, Object> object = new TreeMap<>();
    object.put("path", file.destination().toString());
    object.put("size", file.length());
    object.put("identity", file.identity());
    return object;
  }

  private void measure(CommitReport commit, Map<RequestType, Long> requests) {
    long millis = commit.duration().toMillis();
    metrics.put("uploads_aborted", (long) commit.aborted());
    metrics.put("job_commit_millis", millis);
    metrics.put("job_commit_requests", requests.values().stream().mapToLong(it -> it).sum());
    commit
        .stages()
        .forEach((it, time) -> metrics.put("job_commit_millis_" + lower(it), time.toMillis()));
    requests.forEach((it, count) -> metrics.put("job_commit_requests_" + lower(it), count));
    statistics.setCounter("committer_commits_aborted", commit.aborted());
    statistics.setMinimum(COMMIT_JOB + StoreStatisticNames.SUFFIX_MIN, millis);
    statistics.setMaximum(COMMIT_JOB + StoreStatisticNames.SUFFIX_MAX, millis);
    statistics.setMeanStatistic(
        COMMIT_JOB + StoreStatisticNames.SUFFIX_MEAN, new MeanStatistic(1, millis));
  }

  private static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  boolean hasFiles() {
    return metrics.get("files") > 0;
  }

  /** For the job's committer, with the metrics. */
  IOStatistics statistics() {
    IOStatisticsSnapshot all = new IOStatisticsSnapshot(statistics);
    metrics.forEach((name, value) -> all.setCounter("zerorename_" + name, value));
    return all;
  }

  byte[] toJson() throws IOException {
    Instant now = Instant.now();
    EngineJobId engine = EngineJobId.of(job);
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("name", FORMAT);
    document.put("success", true);
    document.put("timestamp", now.toEpochMilli());
    document.put("date", now.toString());
    document.put("hostname", NetUtils.getLocalHostname());
    document.put("committer", "zerorename");
    document.put("description", job.description());
    document.put("jobId", engine.id());
    document.put("jobIdSource", engine.source());
    document.put("zerorenameJobId", job.id());
    document.put("metrics", metrics);
    document.put("diagnostics", diagnostics);
    // Keys only, with a slash at the beginning, as in S3A's.
    document.put("filenames", files.keySet());
    document.put("objects", files.values());
    document.put("iostatistics", statistics);
    return new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsBytes(document);
  }
}
