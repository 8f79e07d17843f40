package io.zerorename.magic.job;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.zerorename.core.commit.CommitFailedException;
import io.zerorename.core.commit.CommitReport;
import io.zerorename.core.commit.OpenCommit;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsSnapshot;
import org.apache.hadoop.fs.statistics.MeanStatistic;
import org.apache.hadoop.fs.statistics.StoreStatisticNames;
import org.apache.hadoop.net.NetUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The outcome of a job, in the format of the {@code _SUCCESS} files of S3A's committers, which
 * Hadoop's {@code SuccessData} (3.4) reads.
 */
final class JobReport {
  private static final Logger LOG = LoggerFactory.getLogger(JobReport.class);
  private static final String FORMAT = "org.apache.hadoop.fs.s3a.commit.files.SuccessData/1";
  private static final String COMMIT_JOB = "committer_commit_job";

  private final SortedMap<String, Long> metrics = new TreeMap<>();

  /** Under the names of S3A's committers. */
  private final IOStatisticsSnapshot statistics = new IOStatisticsSnapshot();

  private final SortedMap<String, String> diagnostics = new TreeMap<>();

  /** The first files by key, each with what {@code zerorename verify} compares. */
  private final NavigableMap<String, Map<String, Object>> files = new TreeMap<>();

  private final Map<String, Object> document = new LinkedHashMap<>();

  private JobReport(String jobId, EngineJobId engine, String description, String state) {
    Instant now = Instant.now();
    document.put("name", FORMAT);
    document.put("success", state.equals("committed"));
    document.put("timestamp", now.toEpochMilli());
    document.put("date", now.toString());
    document.put("hostname", NetUtils.getLocalHostname());
    document.put("committer", "zerorename");
    document.put("description", description);
    document.put("jobId", engine.id());
    document.put("jobIdSource", engine.source());
    document.put("zerorenameJobId", jobId);
    document.put("state", state);
    document.put("metrics", metrics);
    document.put("diagnostics", diagnostics);
    // Keys only, with a slash at the beginning, as in S3A's.
    document.put("filenames", files.keySet());
    document.put("objects", files.values());
    document.put("iostatistics", statistics);
  }

  /** Of a commit that is complete. */
  private JobReport(OutputJob job, int tasks, long files, long bytes, long replaced) {
    this(job.id(), EngineJobId.of(job), job.description(), "committed");
    metrics.putAll(Map.of("files", files, "bytes", bytes, "files_replaced", replaced));
    statistics.setCounter("committer_jobs_completed", 1);
    statistics.setCounter("committer_tasks_completed", tasks);
    statistics.setCounter("committer_commits_completed", files);
    statistics.setCounter("committer_bytes_committed", bytes);
    statistics.setCounter(COMMIT_JOB, 1);
  }

  /**
   * Of a commit.
   *
   * @param requests of the commit, with those for its records
   * @param fileLimit how many files to name
   */
  static JobReport committed(
      OutputJob job, CommitReport commit, Map<RequestType, Long> requests, int fileLimit)
      throws IOException {
    Optional<CommitPlan> plan = commit.open().map(OpenCommit::plan);
    JobReport report =
        new JobReport(
            job,
            plan.map(it -> it.attempts().size()).orElse(0),
            commit.files(),
            commit.bytes(),
            commit.replaced());
    if (plan.isPresent()) {
      report.name(plan.get(), fileLimit, commit.etags());
    }
    commit.open().ifPresent(it -> report.diagnostics.put("entry", Long.toString(it.number())));
    report.measure(commit, requests);
    return report;
  }

  private void name(CommitPlan plan, int limit, Map<String, String> etags) throws IOException {
    for (RemoteIterator<PendingUpload> all = plan.uploads(); limit > 0 && all.hasNext(); ) {
      PendingUpload file = all.next();
      String key = file.destination().toUri().getPath();
      if (files.size() < limit || key.compareTo(files.lastKey()) < 0) {
        files.put(key, described(file, etags));
        if (files.size() > limit) {
          files.pollLastEntry();
        }
      }
    }
  }

  private static Map<String, Object> described(PendingUpload file, Map<String, String> etags) {
    String path = file.destination().toString();
    Map<String, Object> object = new TreeMap<>();
    object.put("path", path);
    object.put("size", file.length());
    object.put("identity", file.identity());
    object.computeIfAbsent("etag", it -> etags.get(path));
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

  /** Of a commit that another process has completed. */
  static JobReport recovered(CommitPlan plan) {
    JobReport report =
        new JobReport(
            plan.job(),
            plan.attempts().size(),
            plan.fileCount(),
            plan.bytes(),
            plan.replacedCount());
    report.diagnostics.put(
        "recovered", "the commit was interrupted and completed by another process");
    return report;
  }

  /** Of a commit that failed: nothing is visible, or that is not known. */
  static JobReport failed(JobOutput job, Exception failure) {
    JobReport report =
        new JobReport(
            job.jobId(),
            job.engine(),
            job.description(),
            failure instanceof CommitFailedException ? "failed" : "unknown");
    report.statistics.setCounter("committer_jobs_failed", 1);
    report.diagnostics.put("exception", String.valueOf(failure.getMessage()));
    return report;
  }

  Map<String, Long> metrics() {
    return metrics;
  }

  IOStatistics statistics() {
    return statistics;
  }

  byte[] toJson() throws IOException {
    return new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsBytes(document);
  }

  /** Writes it where a directory for reports is set; the commit does not depend on that. */
  void keep(JobOutput output) {
    Optional<String> directory = MapReduceKeys.REPORT_DIR.find(output.conf(), output.bucket());
    if (directory.isEmpty()) {
      return;
    }
    try {
      Path file = new Path(directory.get(), output.jobId() + ".json");
      try (OutputStream out = file.getFileSystem(output.conf()).create(file, true)) {
        out.write(toJson());
      }
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "ZR-6104: Cannot write a report of {} into {} (see {})",
          output.description(),
          directory.get(),
          MapReduceKeys.REPORT_DIR.nameIn(output.conf(), output.bucket()),
          e);
    }
  }
}
