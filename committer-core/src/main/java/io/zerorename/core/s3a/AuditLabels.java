package io.zerorename.core.s3a;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.audit.AuditConstants;

/**
 * The query or job, and the task attempt, that send the requests of a store.
 *
 * <p>S3A sends them in the {@code Referer} header of each request, which S3 writes into the
 * bucket's access log. Its own context of them belongs to a thread: the threads that upload and
 * commit have none, and where a caller's has one, that goes before.
 *
 * @param entries by the names that S3A gives them ({@link AuditConstants})
 */
public record AuditLabels(Map<String, String> entries) {
  /** What engines call one execution: Hive a query, Tez a DAG, Spark a write, MapReduce a job. */
  private static final List<String> JOBS =
      List.of(
          "hive.query.id",
          "job.committer.uuid",
          "spark.sql.sources.writeJobUUID",
          "mapreduce.job.id");

  private static final String TASK_ATTEMPT = "mapreduce.task.attempt.id";

  public AuditLabels {
    entries = Map.copyOf(entries);
  }

  /** The job and the task attempt that the configuration names, if it does. */
  public static AuditLabels of(Configuration configuration) {
    Map<String, String> entries = new HashMap<>();
    JOBS.stream()
        .map(key -> configuration.getTrimmed(key, ""))
        .filter(job -> !job.isEmpty())
        .findFirst()
        .ifPresent(job -> entries.put(AuditConstants.PARAM_JOB_ID, job));
    String attempt = configuration.getTrimmed(TASK_ATTEMPT, "");
    if (!attempt.isEmpty()) {
      entries.put(AuditConstants.PARAM_TASK_ATTEMPT_ID, attempt);
    }
    return new AuditLabels(entries);
  }

  /** These, with a job where the configuration has named none. */
  public AuditLabels ofJob(String jobId) {
    return entries.containsKey(AuditConstants.PARAM_JOB_ID)
        ? this
        : with(AuditConstants.PARAM_JOB_ID, jobId);
  }

  /** These, with another task attempt. */
  public AuditLabels ofTaskAttempt(String taskAttemptId) {
    return with(AuditConstants.PARAM_TASK_ATTEMPT_ID, taskAttemptId);
  }

  private AuditLabels with(String name, String value) {
    Map<String, String> more = new HashMap<>(entries);
    more.put(name, value);
    return new AuditLabels(more);
  }
}
