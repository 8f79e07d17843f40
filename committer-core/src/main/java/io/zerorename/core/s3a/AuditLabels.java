package io.zerorename.core.s3a;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.audit.AuditConstants;
import org.apache.hadoop.fs.audit.CommonAuditContext;

/**
 * The query or job, and the task attempt, that send the requests of a store.
 *
 * <p>S3A sends what its audit context holds in the {@code Referer} header of each request, which S3
 * writes into the bucket's access log. The context belongs to a thread, and the threads that upload
 * and commit have none, so each request brings its own.
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

  /** Puts them into the audit context of the calling thread, until the result is closed. */
  Active activate() {
    CommonAuditContext context = CommonAuditContext.currentAuditContext();
    Map<String, String> before = new HashMap<>();
    entries.keySet().forEach(name -> before.put(name, context.get(name)));
    entries.forEach(context::put);
    return () ->
        before.forEach(
            (name, value) -> {
              if (value == null) {
                context.remove(name);
              } else {
                context.put(name, value);
              }
            });
  }

  /** What the context of a thread held before comes back when this is closed. */
  interface Active extends AutoCloseable {
    @Override
    void close();
  }
}
