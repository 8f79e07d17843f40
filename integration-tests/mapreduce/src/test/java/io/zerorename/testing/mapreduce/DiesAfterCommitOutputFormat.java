package io.zerorename.testing.mapreduce;

import java.io.IOException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.output.BindingPathOutputCommitter;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;

/**
 * Text, by the committer that the factory makes. The first attempt of each task dies when it has
 * committed, before it can tell its AM.
 */
public final class DiesAfterCommitOutputFormat extends TextOutputFormat<Text, Text> {
  private OutputCommitter committer;

  @Override
  public synchronized OutputCommitter getOutputCommitter(TaskAttemptContext context)
      throws IOException {
    if (committer == null) {
      committer = new DiesAfterCommit(getOutputPath(context), context);
    }
    return committer;
  }

  private static final class DiesAfterCommit extends BindingPathOutputCommitter {
    DiesAfterCommit(Path output, TaskAttemptContext context) throws IOException {
      super(output, context);
    }

    @Override
    public void commitTask(TaskAttemptContext context) throws IOException {
      super.commitTask(context);
      if (context.getTaskAttemptID().getId() == 0) {
        try {
          TaskScript.killOwnProcess();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new IOException("interrupted instead of killed", e);
        }
      }
    }
  }
}
