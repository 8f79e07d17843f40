package io.zerorename.magic.mapred;

import io.zerorename.core.config.S3AFileSystems;
import io.zerorename.magic.job.MagicCommitter;
import java.io.IOException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;
import org.apache.hadoop.mapred.FileOutputCommitter;
import org.apache.hadoop.mapred.JobContext;
import org.apache.hadoop.mapred.TaskAttemptContext;
import org.apache.hadoop.mapreduce.JobStatus.State;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;

/**
 * Commits jobs of Hadoop's old API, and Tez DAGs that use it, to S3 without renames. Name it in
 * {@code mapred.output.committer.class}, also for a whole cluster: {@link FileOutputCommitter}
 * commits output that is not on S3A, and that of HCatalog.
 *
 * <p>It extends that class because Hadoop asks no other class for the path of record writers
 * (mapred.FileOutputFormat.getTaskOutputPath, mapred.Task.initialize).
 */
public final class MagicOutputCommitter extends FileOutputCommitter implements IOStatisticsSource {
  /**
   * Set in the configuration of an output of HCatalog. Its output format makes a committer of
   * Hadoop's for the path of its files, and asks the job's committer only to commit them
   * (FileOutputFormatContainer.setWorkOutputPath, DynamicPartitionFileRecordWriterContainer).
   */
  private static final String HCATALOG_OUTPUT = "mapreduce.lib.hcatoutput.info";

  private final FileOutputCommitter hadoops = new FileOutputCommitter();
  private MagicCommitter ours;

  /**
   * Whether this commits the job's output: it is on S3A, and not HCatalog's. Creates the committer.
   * An instance serves one output.
   */
  private synchronized boolean isOurs(Path output, org.apache.hadoop.mapreduce.JobContext context)
      throws IOException {
    if (ours == null
        && output != null
        && context.getConfiguration().get(HCATALOG_OUTPUT) == null
        && S3AFileSystems.holds(output, context.getConfiguration())) {
      ours = new MagicCommitter(output, context);
    }
    return ours != null;
  }

  private OutputCommitter of(org.apache.hadoop.mapreduce.JobContext context) throws IOException {
    return isOurs(output(context), context) ? ours : hadoops;
  }

  private static Path output(org.apache.hadoop.mapreduce.JobContext context) {
    String output = context.getConfiguration().get(FileOutputFormat.OUTDIR);
    return output == null ? null : new Path(output);
  }

  @Override
  public Path getWorkPath(TaskAttemptContext context, Path outputPath) throws IOException {
    return isOurs(outputPath, context)
        ? ours.workPath(context)
        : hadoops.getWorkPath(context, outputPath);
  }

  @Override
  public Path getTaskAttemptPath(TaskAttemptContext context) throws IOException {
    return isOurs(output(context), context)
        ? ours.workPath(context)
        : hadoops.getTaskAttemptPath(context);
  }

  @Override
  public void setupJob(JobContext context) throws IOException {
    of(context).setupJob(context);
  }

  @Override
  public void commitJob(JobContext context) throws IOException {
    of(context).commitJob(context);
  }

  @Override
  public void abortJob(JobContext context, int runState) throws IOException {
    // Neither of the two distinguishes a job that was killed.
    of(context).abortJob(context, State.FAILED);
  }

  @Override
  public void setupTask(TaskAttemptContext context) throws IOException {
    of(context).setupTask(context);
  }

  @Override
  public boolean needsTaskCommit(TaskAttemptContext context) throws IOException {
    return of(context).needsTaskCommit(context);
  }

  @Override
  public void commitTask(TaskAttemptContext context) throws IOException {
    of(context).commitTask(context);
  }

  @Override
  public void abortTask(TaskAttemptContext context) throws IOException {
    of(context).abortTask(context);
  }

  /**
   * False: only Tez calls this, and then {@code recoverTask} with a context of the new API, which a
   * final method of Hadoop casts to the old API. Tez runs the task again. MapReduce calls {@link
   * #isRecoverySupported(JobContext)}.
   */
  @Override
  @Deprecated
  @SuppressWarnings("InlineMeSuggester")
  public boolean isRecoverySupported() {
    return false;
  }

  @Override
  public boolean isRecoverySupported(JobContext context) throws IOException {
    return of(context).isRecoverySupported(context);
  }

  @Override
  public boolean isCommitJobRepeatable(JobContext context) throws IOException {
    return of(context).isCommitJobRepeatable(context);
  }

  @Override
  public void recoverTask(TaskAttemptContext context) throws IOException {
    of(context).recoverTask(context);
  }

  @Override
  public synchronized IOStatistics getIOStatistics() {
    return ours == null ? null : ours.getIOStatistics();
  }
}
