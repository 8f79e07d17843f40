package io.zerorename.magic.mapreduce;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.config.S3AFileSystems;
import io.zerorename.magic.job.DeferredCommitter;
import java.io.IOException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter;

/**
 * Commits a job of Hadoop's new API to S3 without renames; created by {@link
 * MagicCommitterFactory}.
 *
 * <p>It is a {@link FileOutputCommitter}, whose code it does not use, because some callers ask no
 * other class for a work path: Spark's default commit protocol
 * (HadoopMapReduceCommitProtocol.newTaskTempFile) and Avro's output formats.
 */
public final class MagicCommitter extends FileOutputCommitter implements IOStatisticsSource {
  private final Path output;
  private final Path workPath;
  private final DeferredCommitter committer;

  /**
   * A committer for a task attempt, or, with any attempt's context, for a job.
   *
   * @param output a directory on S3A
   * @throws IOException where it is the root of a bucket, or not on S3A
   */
  public MagicCommitter(Path output, TaskAttemptContext context) throws IOException {
    // Without a path, the superclass creates none of its own.
    super(null, context);
    this.output = requireNonNull(output, "output");
    if (!S3AFileSystems.holds(output, context.getConfiguration())) {
      // Spark SQL can be configured to use this class for all Parquet.
      throw new IOException(
          ("ZR-6121: Cannot commit to %s: it is not on S3A, and MagicCommitter commits nowhere"
                  + " else. Let Hadoop or Spark ask MagicCommitterFactory for a committer; for"
                  + " Parquet in Spark SQL, set spark.sql.parquet.output.committer.class to"
                  + " org.apache.spark.internal.io.cloud.BindingParquetOutputCommitter.")
              .formatted(output));
    }
    this.committer = new DeferredCommitter(output);
    this.workPath = committer.workPath(context);
  }

  @Override
  public Path getOutputPath() {
    return output;
  }

  @Override
  public Path getWorkPath() {
    return workPath;
  }

  @Override
  public Path getTaskAttemptPath(TaskAttemptContext context) {
    return workPath;
  }

  @Override
  public void setupJob(JobContext context) throws IOException {
    committer.setupJob(context);
  }

  @Override
  public void commitJob(JobContext context) throws IOException {
    committer.commitJob(context);
  }

  @Override
  public void abortJob(JobContext context, JobStatus.State state) throws IOException {
    committer.abortJob(context);
  }

  @Override
  @Deprecated
  public void cleanupJob(JobContext context) {}

  @Override
  public void setupTask(TaskAttemptContext context) throws IOException {
    committer.setupTask(context);
  }

  @Override
  public boolean needsTaskCommit(TaskAttemptContext context) throws IOException {
    return committer.needsTaskCommit(context);
  }

  @Override
  public void commitTask(TaskAttemptContext context) throws IOException {
    committer.commitTask(context);
  }

  @Override
  public void abortTask(TaskAttemptContext context) throws IOException {
    committer.abortTask(context);
  }

  /** Ignores the path: all files of an attempt are below its work path. */
  @Override
  public void commitTask(TaskAttemptContext context, Path taskAttemptPath) throws IOException {
    commitTask(context);
  }

  @Override
  public void abortTask(TaskAttemptContext context, Path taskAttemptPath) throws IOException {
    abortTask(context);
  }

  @Override
  public boolean needsTaskCommit(TaskAttemptContext context, Path taskAttemptPath)
      throws IOException {
    return needsTaskCommit(context);
  }

  /** There is none, so this throws: files below the destination are visible at once. */
  @Override
  public Path getJobAttemptPath(JobContext context) {
    throw noTemporaryDirectory();
  }

  /** There is none, so this throws: a committed attempt's files are at their final keys. */
  @Override
  public Path getCommittedTaskPath(TaskAttemptContext context) {
    throw noTemporaryDirectory();
  }

  private static UnsupportedOperationException noTemporaryDirectory() {
    return new UnsupportedOperationException(
        "ZR-6122: a job that commits without renames has no temporary directory; use"
            + " getWorkPath()");
  }

  @Override
  @Deprecated
  @SuppressWarnings("InlineMeSuggester")
  public boolean isRecoverySupported() {
    return true;
  }

  @Override
  public boolean isRecoverySupported(JobContext context) {
    return true;
  }

  @Override
  public boolean isCommitJobRepeatable(JobContext context) {
    return true;
  }

  @Override
  public void recoverTask(TaskAttemptContext context) throws IOException {
    committer.recoverTask(context);
  }

  @Override
  public IOStatistics getIOStatistics() {
    return committer.getIOStatistics();
  }

  @Override
  public String toString() {
    return "MagicCommitter{output=" + output + ", workPath=" + workPath + "}";
  }
}
