package io.zerorename.magic.mapred;

import io.zerorename.core.config.S3AFileSystems;
import io.zerorename.magic.job.DeferredCommitter;
import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;
import org.apache.hadoop.mapred.FileOutputCommitter;
import org.apache.hadoop.mapred.JobContext;
import org.apache.hadoop.mapred.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;

/**
 * Makes jobs of Hadoop's old API, and Tez DAGs that use it, commit to S3 without renames. Name it
 * in {@code mapred.output.committer.class}, which may hold for a whole cluster: output that is not
 * on S3A is committed by Hadoop's {@link FileOutputCommitter}, and without output nothing is done.
 *
 * <p>It extends that class because Hadoop asks no other one for the path that record writers get
 * (mapred.FileOutputFormat.getTaskOutputPath, mapred.Task.initialize).
 */
public final class MagicOutputCommitter extends FileOutputCommitter implements IOStatisticsSource {
  private DeferredCommitter committer;

  /** For Hadoop. */
  public MagicOutputCommitter() {}

  /** Ours where the job's output is on S3A. An instance serves one output. */
  private Optional<DeferredCommitter> ours(org.apache.hadoop.mapreduce.JobContext context)
      throws IOException {
    String output = context.getConfiguration().get(FileOutputFormat.OUTDIR);
    return ours(output == null ? null : new Path(output), context);
  }

  private synchronized Optional<DeferredCommitter> ours(
      Path output, org.apache.hadoop.mapreduce.JobContext context) throws IOException {
    if (committer == null
        && output != null
        && S3AFileSystems.holds(output, context.getConfiguration())) {
      committer = new DeferredCommitter(output);
    }
    return Optional.ofNullable(committer);
  }

  @Override
  public Path getWorkPath(TaskAttemptContext context, Path outputPath) throws IOException {
    Optional<DeferredCommitter> ours = ours(outputPath, context);
    return ours.isPresent() ? ours.get().workPath(context) : super.getWorkPath(context, outputPath);
  }

  @Override
  public Path getTaskAttemptPath(TaskAttemptContext context) throws IOException {
    Optional<DeferredCommitter> ours = ours(context);
    return ours.isPresent() ? ours.get().workPath(context) : super.getTaskAttemptPath(context);
  }

  @Override
  public void setupJob(JobContext context) throws IOException {
    Optional<DeferredCommitter> ours = ours(context);
    if (ours.isPresent()) {
      ours.get().setupJob(context);
    } else {
      super.setupJob(context);
    }
  }

  @Override
  public void commitJob(JobContext context) throws IOException {
    Optional<DeferredCommitter> ours = ours(context);
    if (ours.isPresent()) {
      ours.get().commitJob(context);
    } else {
      super.commitJob(context);
    }
  }

  @Override
  @Deprecated
  public void cleanupJob(JobContext context) throws IOException {
    if (ours(context).isEmpty()) {
      super.cleanupJob(context);
    }
  }

  @Override
  public void abortJob(JobContext context, int runState) throws IOException {
    Optional<DeferredCommitter> ours = ours(context);
    if (ours.isPresent()) {
      ours.get().abortJob(context);
    } else {
      super.abortJob(context, runState);
    }
  }

  @Override
  public void setupTask(TaskAttemptContext context) throws IOException {
    Optional<DeferredCommitter> ours = ours(context);
    if (ours.isPresent()) {
      ours.get().setupTask(context);
    } else {
      super.setupTask(context);
    }
  }

  @Override
  public boolean needsTaskCommit(TaskAttemptContext context) throws IOException {
    Optional<DeferredCommitter> ours = ours(context);
    return ours.isPresent() ? ours.get().needsTaskCommit(context) : super.needsTaskCommit(context);
  }

  @Override
  public void commitTask(TaskAttemptContext context) throws IOException {
    Optional<DeferredCommitter> ours = ours(context);
    if (ours.isPresent()) {
      ours.get().commitTask(context);
    } else {
      super.commitTask(context);
    }
  }

  @Override
  public void abortTask(TaskAttemptContext context) throws IOException {
    Optional<DeferredCommitter> ours = ours(context);
    if (ours.isPresent()) {
      ours.get().abortTask(context);
    } else {
      super.abortTask(context);
    }
  }

  /**
   * No: only Tez asks in this way, and then calls {@code recoverTask} with a context of the new
   * API, which a final method of Hadoop casts to one of the old API. Tez runs the task again.
   * MapReduce asks {@link #isRecoverySupported(JobContext)}.
   */
  @Override
  @Deprecated
  @SuppressWarnings("InlineMeSuggester")
  public boolean isRecoverySupported() {
    return false;
  }

  @Override
  public boolean isRecoverySupported(JobContext context) throws IOException {
    return ours(context).isPresent() || super.isRecoverySupported(context);
  }

  @Override
  public boolean isCommitJobRepeatable(JobContext context) throws IOException {
    return ours(context).isPresent() || super.isCommitJobRepeatable(context);
  }

  @Override
  public void recoverTask(TaskAttemptContext context) throws IOException {
    Optional<DeferredCommitter> ours = ours(context);
    if (ours.isPresent()) {
      ours.get().recoverTask(context);
    } else {
      super.recoverTask(context);
    }
  }

  @Override
  public synchronized IOStatistics getIOStatistics() {
    return committer == null ? null : committer.getIOStatistics();
  }
}
