package io.zerorename.magic.fs;

import static java.util.Objects.requireNonNull;

import org.apache.hadoop.fs.Path;

/**
 * Whose output a session writes, and where to.
 *
 * @param bucket any fully qualified path in the destination's bucket, such as the table's location
 * @param jobId the job (in Hive: the execution of one query)
 * @param taskAttemptId the task attempt
 * @param jobDirectory where the job keeps its journal of uploads, on the cluster file system
 */
public record SessionSpec(Path bucket, String jobId, String taskAttemptId, Path jobDirectory) {
  public SessionSpec {
    requireNonNull(bucket, "bucket");
    requireNonNull(jobId, "jobId");
    requireNonNull(taskAttemptId, "taskAttemptId");
    requireNonNull(jobDirectory, "jobDirectory");
  }
}
