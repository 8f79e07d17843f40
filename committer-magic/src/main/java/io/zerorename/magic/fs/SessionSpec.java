package io.zerorename.magic.fs;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.job.JobRecords;
import io.zerorename.core.upload.InlineSettings;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.apache.hadoop.fs.Path;

/**
 * The owner and destination of a session.
 *
 * @param bucket any fully qualified path in the destination's bucket, such as the table's location
 * @param job the records of the job (in Hive: of the execution of one query)
 * @param taskAttemptId the task attempt
 * @param name of the session, which no other open one of the user in the JVM may have; in it
 *     everything but letters and digits becomes a hyphen
 * @param tasks of the job, which share the bytes that its commit takes inline; 1 if not known
 * @param attemptBytes how many bytes the attempt may inline by default, in all its sessions
 * @param inlinedBytes counts them
 * @param naming maps a file's fully qualified destination to its final one. Called once per file,
 *     by any thread.
 */
public record SessionSpec(
    Path bucket,
    JobRecords job,
    String taskAttemptId,
    String name,
    int tasks,
    long attemptBytes,
    AtomicLong inlinedBytes,
    UnaryOperator<Path> naming) {
  public SessionSpec {
    requireNonNull(bucket, "bucket");
    requireNonNull(job, "job");
    requireNonNull(taskAttemptId, "taskAttemptId");
    requireNonNull(name, "name");
    requireNonNull(inlinedBytes, "inlinedBytes");
    requireNonNull(naming, "naming");
  }

  /** A session for one record writer of an attempt that has many, under the names it is given. */
  public static SessionSpec ofWriter(
      Path bucket, JobRecords job, String taskAttemptId, int tasks, AtomicLong inlinedBytes) {
    return new SessionSpec(
        bucket,
        job,
        taskAttemptId,
        taskAttemptId + "-" + UUID.randomUUID(),
        tasks,
        InlineSettings.ATTEMPT_BYTES_BY_FILE,
        inlinedBytes,
        path -> path);
  }
}
