package io.zerorename.magic.job;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.zerorename.core.commit.CommitFailedException;
import io.zerorename.core.commit.CommitReport;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.upload.PendingUpload;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;

/**
 * The outcome of a job, in the format of the {@code _SUCCESS} files of S3A's committers, which
 * Hadoop's {@code SuccessData} (3.4) reads.
 *
 * @param jobId the job's UUID in the commit log
 * @param engine the job's id in its engine
 * @param description the job in a person's words
 * @param state how the commit ended
 * @param metrics names and values
 * @param statistics the same under the names of S3A's committers
 * @param diagnostics other facts for a person
 * @param files the first files, by key
 */
record JobReport(
    String jobId,
    EngineJobId engine,
    String description,
    State state,
    SortedMap<String, Long> metrics,
    SortedMap<String, Long> statistics,
    SortedMap<String, String> diagnostics,
    List<NamedFile> files) {
  /**
   * A file that the report names, with what {@code zerorename verify} compares. S3A's reports have
   * keys only.
   */
  record NamedFile(Path path, long size, String identity, Optional<String> etag) {
    static NamedFile of(PendingUpload file, Map<String, String> etags) {
      return new NamedFile(
          file.destination(),
          file.length(),
          file.identity(),
          Optional.ofNullable(etags.get(file.destination().toString())));
    }

    /** With a slash at the beginning as in S3A's. */
    String key() {
      return path.toUri().getPath();
    }
  }

  /** How a commit ended. */
  enum State {
    COMMITTED,
    /** Nothing is visible. */
    FAILED,
    /** Files may be visible, or all of them are and something else went wrong. */
    UNKNOWN
  }

  private static final String FORMAT = "org.apache.hadoop.fs.s3a.commit.files.SuccessData/1";
  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * Of a commit.
   *
   * @param requests of the commit, with those for its records
   * @param fileLimit how many files to name
   */
  static JobReport committed(
      OutputJob job, CommitReport report, Map<RequestType, Long> requests, int fileLimit)
      throws IOException {
    SortedMap<String, Long> metrics = new TreeMap<>();
    metrics.put("files", (long) report.files());
    metrics.put("bytes", report.bytes());
    metrics.put("files_replaced", (long) report.replaced());
    metrics.put("uploads_aborted", (long) report.aborted());
    metrics.put("job_commit_millis", report.duration().toMillis());
    report
        .stages()
        .forEach(
            (stage, time) -> metrics.put("job_commit_millis_" + lower(stage), time.toMillis()));
    requests.forEach((type, count) -> metrics.put("job_commit_requests_" + lower(type), count));
    metrics.put("job_commit_requests", requests.values().stream().mapToLong(Long::longValue).sum());
    SortedMap<String, String> diagnostics = new TreeMap<>();
    report.open().ifPresent(open -> diagnostics.put("entry", Long.toString(open.number())));
    return new JobReport(
        job.id(),
        EngineJobId.of(job),
        job.description(),
        State.COMMITTED,
        metrics,
        S3AStatistics.ofJob(
            report.open().map(open -> open.plan().attempts().size()).orElse(0),
            report.files(),
            report.bytes(),
            report.aborted()),
        diagnostics,
        report.open().isPresent()
            ? firstFiles(report.open().get().plan(), fileLimit, report.etags())
            : List.of());
  }

  private static List<NamedFile> firstFiles(CommitPlan plan, int limit, Map<String, String> etags)
      throws IOException {
    if (limit == 0) {
      return List.of();
    }
    NavigableMap<String, NamedFile> first = new TreeMap<>();
    for (RemoteIterator<PendingUpload> files = plan.uploads(); files.hasNext(); ) {
      PendingUpload file = files.next();
      String key = file.destination().toUri().getPath();
      if (first.size() < limit || key.compareTo(first.lastKey()) < 0) {
        first.put(key, NamedFile.of(file, etags));
        if (first.size() > limit) {
          first.pollLastEntry();
        }
      }
    }
    return List.copyOf(first.values());
  }

  /** Of a commit that another process has completed. */
  static JobReport recovered(CommitPlan plan) {
    SortedMap<String, Long> metrics = new TreeMap<>();
    metrics.put("files", (long) plan.fileCount());
    metrics.put("bytes", plan.bytes());
    metrics.put("files_replaced", (long) plan.replacedCount());
    SortedMap<String, String> diagnostics = new TreeMap<>();
    diagnostics.put("recovered", "the commit was interrupted and completed by another process");
    return new JobReport(
        plan.job().id(),
        EngineJobId.of(plan.job()),
        plan.description(),
        State.COMMITTED,
        metrics,
        S3AStatistics.ofJob(plan.attempts().size(), plan.fileCount(), plan.bytes(), 0),
        diagnostics,
        List.of());
  }

  /** Of a commit that failed. */
  static JobReport failed(JobOutput job, Exception failure) {
    SortedMap<String, String> diagnostics = new TreeMap<>();
    diagnostics.put("exception", String.valueOf(failure.getMessage()));
    return new JobReport(
        job.jobId(),
        job.engine(),
        job.description(),
        failure instanceof CommitFailedException ? State.FAILED : State.UNKNOWN,
        new TreeMap<>(),
        S3AStatistics.ofFailedJob(),
        diagnostics,
        List.of());
  }

  private static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  byte[] toJson() throws IOException {
    Instant now = Instant.now();
    Map<String, Map<String, Long>> ioStatistics = new LinkedHashMap<>();
    SortedMap<String, Long> counters = new TreeMap<>(metrics);
    counters.putAll(statistics);
    ioStatistics.put("counters", counters);
    for (String none : List.of("gauges", "minimums", "maximums", "meanstatistics")) {
      ioStatistics.put(none, Map.of());
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (JsonGenerator json = JSON.getFactory().createGenerator(out).useDefaultPrettyPrinter()) {
      json.writeStartObject();
      json.writeStringField("name", FORMAT);
      json.writeBooleanField("success", state == State.COMMITTED);
      json.writeNumberField("timestamp", now.toEpochMilli());
      json.writeStringField("date", now.toString());
      json.writeStringField("hostname", hostName());
      json.writeStringField("committer", "zerorename");
      json.writeStringField("description", description);
      json.writeStringField("jobId", engine.id());
      json.writeStringField("jobIdSource", engine.source());
      json.writeStringField("zerorenameJobId", jobId);
      json.writeStringField("state", lower(state));
      json.writeObjectField("metrics", metrics);
      json.writeObjectField("diagnostics", diagnostics);
      json.writeObjectField("filenames", files.stream().map(NamedFile::key).toList());
      json.writeArrayFieldStart("objects");
      for (NamedFile file : files) {
        json.writeStartObject();
        json.writeStringField("path", file.path().toString());
        json.writeNumberField("size", file.size());
        json.writeStringField("identity", file.identity());
        if (file.etag().isPresent()) {
          json.writeStringField("etag", file.etag().get());
        }
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeObjectField("iostatistics", ioStatistics);
      json.writeEndObject();
    }
    return out.toByteArray();
  }

  private static String hostName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "unknown";
    }
  }
}
