package io.zerorename.testing.s3acommitters;

import io.zerorename.magic.job.MagicCommitter;
import io.zerorename.magic.mapreduce.MagicCommitterFactory;
import java.io.IOException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.s3a.commit.AbstractS3ACommitter;
import org.apache.hadoop.fs.s3a.commit.CommitterFaultInjection;
import org.apache.hadoop.fs.s3a.commit.CommitterFaultInjectionImpl;
import org.apache.hadoop.fs.s3a.commit.PathCommitException;
import org.apache.hadoop.fs.s3a.commit.impl.CommitContext;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.TaskAttemptContext;

/**
 * Our committer, made by our factory, in the type that Hadoop's tests take. The superclass only
 * finds the UUID that S3A's committers would take for the job's.
 */
final class AsS3ACommitter extends AbstractS3ACommitter implements CommitterFaultInjection {
  private final MagicCommitter committer;
  private final CommitterFaultInjectionImpl faults;
  private boolean isOfJob;

  AsS3ACommitter(Path output, TaskAttemptContext context) throws IOException {
    super(output, context);
    committer = (MagicCommitter) new MagicCommitterFactory().createOutputCommitter(output, context);
    faults = new CommitterFaultInjectionImpl(output, context, true);
    setWorkPath(committer.getWorkPath());
  }

  @Override
  public void setFaults(Faults... planned) {
    faults.setFaults(planned);
  }

  /** The superclass notes the UUID for the tasks. */
  @Override
  public void setupJob(JobContext context) throws IOException {
    super.setupJob(context);
    isOfJob = true;
    committer.setupJob(context);
  }

  @Override
  public void setupTask(TaskAttemptContext context) throws IOException {
    // A rule of S3A's, whose committers may give their jobs ids themselves.
    if (getUUIDSource() == JobUUIDSource.GeneratedLocally && !isOfJob) {
      throw new PathCommitException(getOutputPath(), E_SELF_GENERATED_JOB_UUID);
    }
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

  @Override
  public void commitJob(JobContext context) throws IOException {
    faults.commitJob(context);
    committer.commitJob(context);
  }

  @Override
  public void abortJob(JobContext context, JobStatus.State state) throws IOException {
    committer.abortJob(context, state);
  }

  @Override
  @Deprecated
  @SuppressWarnings("InlineMeSuggester")
  public boolean isRecoverySupported() {
    return committer.isRecoverySupported();
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
  public String getName() {
    return "zerorename";
  }

  @Override
  protected Path getBaseTaskAttemptPath(TaskAttemptContext context) {
    return committer.getTaskAttemptPath(context);
  }

  @Override
  public Path getTempTaskAttemptPath(TaskAttemptContext context) {
    return getBaseTaskAttemptPath(context);
  }

  /** Where it would be: there is none. */
  @Override
  protected Path getJobPath() {
    return new Path(getOutputPath(), "_temporary/" + getUUID());
  }

  @Override
  protected Path getJobAttemptPath(int applicationAttempt) {
    return new Path(getJobPath(), Integer.toString(applicationAttempt));
  }

  @Override
  public void cleanupStagingDirs() {}

  @Override
  protected ActiveCommit listPendingUploadsToCommit(CommitContext context) {
    throw new UnsupportedOperationException();
  }
}
