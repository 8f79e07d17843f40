package io.zerorename.benchmark;

import java.io.IOException;
import java.io.OutputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskID;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitter;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitterFactory;
import org.apache.hadoop.mapreduce.task.JobContextImpl;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.apache.hadoop.util.functional.TaskPool;

/**
 * The calls that MapReduce makes to a committer, in their order, with nothing of MapReduce around
 * them. Each task attempt has a committer of its own, as in a process of its own.
 */
record SimulatedJob(Configuration conf, Path destination, JobShape shape, JobID id) {
  /** Tasks at once, as if a small cluster had so many containers. */
  static final int TASKS_AT_ONCE = 8;

  static final String SETUP = "setup";
  private static final int BLOCK = 64 * 1024;

  /**
   * Runs it from setup to commit.
   *
   * @return seconds by part
   */
  Map<String, Double> run() throws IOException {
    JobContext job = new JobContextImpl(conf, id);
    PathOutputCommitter committer = committer(attempt(0));
    ExecutorService pool = Executors.newFixedThreadPool(TASKS_AT_ONCE);
    try {
      long start = System.nanoTime();
      committer.setupJob(job);
      long tasks = System.nanoTime();
      TaskPool.foreach(IntStream.range(0, shape.tasks()).boxed().toList())
          .executeWith(pool::submit)
          .sleepInterval(1)
          .run(this::runTask);
      long commit = System.nanoTime();
      committer.commitJob(job);
      long end = System.nanoTime();
      Map<String, Double> seconds = new LinkedHashMap<>();
      seconds.put(SETUP, (tasks - start) / 1e9);
      seconds.put(Sample.TASKS, (commit - tasks) / 1e9);
      seconds.put(Sample.COMMIT, (end - commit) / 1e9);
      seconds.put(Sample.TOTAL, (end - start) / 1e9);
      return seconds;
    } finally {
      pool.shutdown();
    }
  }

  private void runTask(int task) throws IOException {
    TaskAttemptContext attempt = attempt(task);
    PathOutputCommitter committer = committer(attempt);
    committer.setupTask(attempt);
    for (int file = 0; file < shape.filesPerTask(); file++) {
      write(new Path(committer.getWorkPath(), "part-m-%05d-%03d".formatted(task, file)));
    }
    if (!committer.needsTaskCommit(attempt)) {
      throw new IOException(committer + " does not see what task " + task + " has written");
    }
    committer.commitTask(attempt);
  }

  private void write(Path file) throws IOException {
    byte[] block = new byte[BLOCK];
    FileSystem fileSystem = file.getFileSystem(conf);
    try (OutputStream out = fileSystem.create(file, false)) {
      for (long left = shape.fileBytes(); left > 0; left -= BLOCK) {
        out.write(block, 0, (int) Math.min(left, BLOCK));
      }
    }
  }

  private PathOutputCommitter committer(TaskAttemptContext attempt) throws IOException {
    return PathOutputCommitterFactory.createCommitter(destination, attempt);
  }

  private TaskAttemptContext attempt(int task) {
    return new TaskAttemptContextImpl(
        conf, new TaskAttemptID(new TaskID(id, TaskType.MAP, task), 0));
  }
}
