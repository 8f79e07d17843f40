package io.zerorename.testing.s3acommitters;

import io.zerorename.testing.s3a.PromptRetries;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.s3a.commit.AbstractITCommitProtocol;
import org.apache.hadoop.fs.s3a.commit.AbstractS3ACommitter;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitter;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitterFactory;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.assertj.core.api.Assertions;
import org.junit.Test;

/**
 * Hadoop's tests of the life of a job, for JUnit 4. Overridden are those of what we do otherwise on
 * purpose, and what concerns the insides of S3A's committers.
 */
public final class CommitProtocolOfS3A extends AbstractITCommitProtocol {
  static final String BUCKET = "commit-protocol";

  static {
    // Has the name of the bucket, which a superclass asks for before a subclass can set it.
    Configuration.addDefaultResource("s3a-commit-protocol.xml");
  }

  private static EmbeddedS3Server server;

  /** For JUnit. */
  public CommitProtocolOfS3A() {}

  static void use(EmbeddedS3Server started) {
    server = started;
  }

  /** What Hadoop's output formats call. */
  public static final class Factory extends PathOutputCommitterFactory {
    /** For Hadoop. */
    public Factory() {}

    @Override
    public PathOutputCommitter createOutputCommitter(Path output, TaskAttemptContext context)
        throws IOException {
      return new AsS3ACommitter(output, context);
    }
  }

  @Override
  protected Configuration createConfiguration() {
    Configuration conf = super.createConfiguration();
    server.hadoopSettings().forEach(conf::set);
    conf.set("fs.contract.test.fs.s3a", "s3a://" + BUCKET + "/");
    conf.set("fs.s3a.s3.client.factory.impl", PromptRetries.class.getName());
    // Tests count pending uploads of a few bytes.
    return conf;
  }

  @Override
  protected String suitename() {
    return "zerorename";
  }

  @Override
  protected String getCommitterFactoryName() {
    return Factory.class.getName();
  }

  @Override
  protected String getCommitterName() {
    return "";
  }

  @Override
  protected AbstractS3ACommitter createCommitter(Path output, TaskAttemptContext context)
      throws IOException {
    return new AsS3ACommitter(output, context);
  }

  @Override
  protected AbstractS3ACommitter createFailingCommitter(TaskAttemptContext context)
      throws IOException {
    return createCommitter(getOutDir(), context);
  }

  /** S3A's must refuse. This one recovers the task, and aborts its upload with the job. */
  @Test
  @Override
  public void testRecoveryAndCleanup() throws Exception {
    JobData first = startJob(true);
    first.getCommitter().commitTask(first.getTContext());
    Configuration conf = first.getJob().getConfiguration();
    conf.setInt(MRJobConfig.APPLICATION_ATTEMPT_ID, 2);
    TaskAttemptContext task = new TaskAttemptContextImpl(conf, getTaskAttempt0());

    AbstractS3ACommitter second = createCommitter(getOutDir(), task);
    second.setupJob(task);
    Assertions.assertThat(second.isRecoverySupported(task)).isTrue();
    second.recoverTask(task);
    second.abortTask(task);
    assertMultipartUploadsPending(getOutDir());
    second.abortJob(task, JobStatus.State.KILLED);
    assertNoMultipartUploadsPending(getOutDir());
  }

  /**
   * S3A's aborts all uploads below the destination. This one leaves those that may be another's.
   */
  @Test
  @Override
  public void testCommitJobButNotTask() throws Exception {
    JobData job = startJob(true);
    createCommitter(getOutDir(), job.getTContext()).commitJob(job.getJContext());
    assertPart0000DoesNotExist(getOutDir());
    // It would have been found by its id, had the attempt published it, or by the job's in its
    // name.
    job.getCommitter().abortTask(job.getTContext());
    assertNoMultipartUploadsPending(getOutDir());
  }

  /** The application master has another committer than the attempt, which alone knows the id. */
  @Test
  @Override
  public void testAMWorkflow() throws Throwable {
    JobData job = startJob(true);
    TaskAttemptContext master =
        new TaskAttemptContextImpl(
            job.getConf(), new TaskAttemptID(getTaskAttempt0().getTaskID(), 1));
    createCommitter(getOutDir(), master).abortTask(job.getTContext());
    job.getCommitter().abortTask(job.getTContext());
    assertNoMultipartUploadsPending(getOutDir());
  }

  /** S3A's fails, because its records are gone. This one's commit may be repeated. */
  @Override
  protected void expectJobCommitToFail(JobContext job, AbstractS3ACommitter committer)
      throws IOException {
    committer.commitJob(job);
  }

  /** S3A's factory knows its own committers only: Hadoop's finds the one that is set. */
  @Test
  @Override
  public void testS3ACommitterFactoryBinding() throws IOException {
    TaskAttemptContext task =
        new TaskAttemptContextImpl(newJob().getConfiguration(), getTaskAttempt0());
    Assertions.assertThat(PathOutputCommitterFactory.createCommitter(getOutDir(), task))
        .isInstanceOf(AsS3ACommitter.class);
  }

  /** A directory of S3A's committers; this one keeps nothing below the destination. */
  @Override
  protected void assertJobAttemptPathExists(AbstractS3ACommitter committer, JobContext job)
      throws IOException {
    assertJobAttemptPathDoesNotExist(committer, job);
  }
}
