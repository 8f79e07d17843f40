package io.zerorename.testing.mapreduce;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.process.Await;
import io.zerorename.testing.s3server.RequestCounts;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.commons.lang3.StringUtils;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.KeyValueTextInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;

/**
 * Jobs that copy lines, so that the output must have each line of the input once, and only these.
 * Each map task reads one file.
 */
final class TextJob {
  private static final int LINES_PER_TASK = 50;

  private final MapReduceCluster cluster;
  private final String name;
  private final Path input;
  private final List<String> lines;

  private final RequestCounts before;
  private List<String> present = List.of();

  private TextJob(MapReduceCluster cluster, String name, Path input, List<String> lines) {
    this.cluster = cluster;
    this.before = cluster.s3().gateway().counts();
    this.name = name;
    this.input = input;
    this.lines = lines;
  }

  /** Writes the input to HDFS. */
  static TextJob withInput(MapReduceCluster cluster, String name, int tasks) throws IOException {
    Path input = new Path("/input/" + name);
    List<String> lines = new ArrayList<>();
    FileSystem hdfs = cluster.hdfs();
    for (int task = 0; task < tasks; task++) {
      try (OutputStream out = hdfs.create(new Path(input, String.format("%05d", task)))) {
        for (int line = 0; line < LINES_PER_TASK; line++) {
          String text = String.format("%05d-%07d\tfrom %s", task, line, name);
          lines.add(text);
          out.write((text + "\n").getBytes(UTF_8));
        }
      }
    }
    return new TextJob(cluster, name, input, List.copyOf(lines));
  }

  /** All lines in order. */
  List<String> lines() {
    return lines;
  }

  Path input() {
    return input;
  }

  Path output() {
    return cluster.s3a(name);
  }

  /** The lines of all visible files of the output, in order. */
  List<String> outputLines() {
    return visible()
        .flatMap(key -> new String(cluster.bucket().read(key), UTF_8).lines())
        .sorted()
        .toList();
  }

  private Stream<String> visible() {
    return cluster.bucket().files(name + "/").stream().filter(key -> !isHidden(key));
  }

  /** A job of map tasks. */
  Job job(Configuration conf) throws IOException {
    Job job = Job.getInstance(conf, name);
    job.setInputFormatClass(KeyValueTextInputFormat.class);
    FileInputFormat.setInputPaths(job, input);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(Text.class);
    job.setOutputFormatClass(TextOutputFormat.class);
    FileOutputFormat.setOutputPath(job, output());
    job.setNumReduceTasks(0);
    return job;
  }

  /** The same into a destination with a file, so that names of new ones carry the job's id. */
  Job besideAFile(Configuration conf) throws IOException {
    present = List.of(name + "/old");
    present.forEach(key -> cluster.bucket().write(key, new byte[0]));
    Job job = job(conf);
    job.setOutputFormatClass(AppendingTextOutputFormat.class);
    return job;
  }

  /** Hadoop's own refuses a destination that exists. */
  public static final class AppendingTextOutputFormat extends TextOutputFormat<Text, Text> {
    @Override
    public void checkOutputSpecs(JobContext job) {}
  }

  /** The requests to S3 since the input was written. */
  RequestCounts requests() {
    return cluster.s3().gateway().counts().minus(before);
  }

  /** Returns when a second AM would know that so many tasks have finished. */
  void awaitFinishedTasks(Job job, int tasks) throws Exception {
    Path history =
        new Path(
            "/user/" + job.getUser() + "/.staging/" + job.getJobID(), job.getJobID() + "_1.jhist");
    Await.until(
        tasks + " finished tasks in " + history,
        () -> {
          try (InputStream in = cluster.hdfs().open(history)) {
            String events = new String(in.readAllBytes(), UTF_8);
            return StringUtils.countMatches(events, "\"type\":\"TASK_FINISHED\"") >= tasks;
          } catch (FileNotFoundException e) {
            return false;
          }
        });
  }

  /** Waits for a job that must succeed and commit. */
  void awaitAndCheck(Job job) throws Exception {
    boolean successful = job.waitForCompletion(false);
    assertThat(successful).as("success of %s: %s", name, job.getStatus().getFailureInfo()).isTrue();
    cluster.awaitEnd(job.getJobID());
    checkCommitted();
  }

  /** Each line of the input is there once, and nothing else is: no marker of a job under way. */
  void checkCommitted() {
    assertThat(outputLines()).isEqualTo(lines);
    assertThat(hiddenKeys()).containsExactly(name + "/_SUCCESS");
    assertThat(new String(cluster.bucket().read(name + "/_SUCCESS"), UTF_8))
        .contains("\"committer\" : \"zerorename\"");
    assertThat(cluster.bucket().pendingUploads("")).isEmpty();
    assertThat(requests().copies()).isZero();
  }

  /** A job that ended without a commit has left nothing. */
  void checkNothingLeft() {
    assertThat(cluster.bucket().files(name + "/")).isEqualTo(present);
    assertThat(cluster.bucket().pendingUploads("")).isEmpty();
  }

  private List<String> hiddenKeys() {
    return cluster.bucket().files(name + "/").stream().filter(TextJob::isHidden).toList();
  }

  private static boolean isHidden(String key) {
    String file = key.substring(key.lastIndexOf('/') + 1);
    return file.startsWith("_") || file.startsWith(".");
  }
}
