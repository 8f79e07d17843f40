package io.zerorename.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.zerorename.magic.job.MagicCommitter;
import java.io.IOException;
import java.io.OutputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskID;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;

/** The output of a MapReduce job that our committer has committed. */
final class CommittedOutput {
  private CommittedOutput() {}

  /** Runs a job with a task for each file, which holds its own name. */
  static void write(Configuration conf, Path output, String... files) throws IOException {
    JobID job = new JobID("1700000000000", 1);
    conf.set(MRJobConfig.MAPREDUCE_JOB_DIR, "/staging/" + job);
    for (int i = 0; i <= files.length; i++) {
      TaskAttemptContext context =
          new TaskAttemptContextImpl(conf, new TaskAttemptID(new TaskID(job, TaskType.MAP, i), 0));
      MagicCommitter committer = new MagicCommitter(output, context);
      if (i == 0) {
        committer.setupJob(context);
      }
      if (i == files.length) {
        committer.commitJob(context);
        continue;
      }
      committer.setupTask(context);
      Path file = new Path(committer.getWorkPath(), "part-m-0000" + i);
      try (OutputStream out = file.getFileSystem(conf).create(file)) {
        out.write(files[i].getBytes(UTF_8));
      }
      committer.commitTask(context);
    }
  }
}
