package io.zerorename.testing.mapreduce;

import io.zerorename.testing.process.Await;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.apache.commons.lang3.StringUtils;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.Job;

/** What an AM has written down for its successor. */
final class JobHistory {
  private static final String FINISHED = "\"type\":\"TASK_FINISHED\"";

  private final FileSystem hdfs;
  private final Path file;

  private JobHistory(FileSystem hdfs, Path file) {
    this.hdfs = hdfs;
    this.file = file;
  }

  /** Of a job's first AM. */
  static JobHistory of(MapReduceCluster cluster, Job job) throws IOException {
    String user = job.getUser();
    return new JobHistory(
        cluster.hdfs(),
        new Path("/user/" + user + "/.staging/" + job.getJobID(), job.getJobID() + "_1.jhist"));
  }

  /** Returns when the successor would know that so many tasks have finished. */
  void awaitFinishedTasks(int tasks) throws Exception {
    Await.until(tasks + " finished tasks in " + file, () -> finishedTasks() >= tasks);
  }

  private int finishedTasks() throws IOException {
    try (InputStream in = hdfs.open(file)) {
      return StringUtils.countMatches(
          new String(in.readAllBytes(), StandardCharsets.UTF_8), FINISHED);
    } catch (FileNotFoundException e) {
      return 0;
    }
  }
}
