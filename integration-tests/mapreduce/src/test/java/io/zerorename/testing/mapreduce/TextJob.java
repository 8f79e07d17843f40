package io.zerorename.testing.mapreduce;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.s3server.RequestCounts;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.lib.IdentityMapper;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.lib.input.KeyValueTextInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;

/**
 * Jobs that copy lines, so that the output must have each line of the input once, and only these.
 * Each map task reads one file.
 */
final class TextJob {
  private final MapReduceCluster cluster;
  private final String name;
  private final Path input;
  private final int tasks;
  private final List<String> lines;

  private final RequestCounts before;
  private List<String> present = List.of();

  private TextJob(
      MapReduceCluster cluster, String name, Path input, int tasks, List<String> lines) {
    this.cluster = cluster;
    this.before = cluster.s3().gateway().counts();
    this.name = name;
    this.input = input;
    this.tasks = tasks;
    this.lines = lines;
  }

  /** Writes the input to HDFS. */
  static TextJob withInput(MapReduceCluster cluster, String name, int tasks, int linesPerTask)
      throws IOException {
    Path input = new Path("/input/" + name);
    List<String> lines = new ArrayList<>();
    FileSystem hdfs = cluster.hdfs();
    for (int task = 0; task < tasks; task++) {
      try (OutputStream out = hdfs.create(new Path(input, String.format("%05d", task)))) {
        for (int line = 0; line < linesPerTask; line++) {
          String text = String.format("%05d-%07d\tfrom %s", task, line, name);
          lines.add(text);
          out.write((text + "\n").getBytes(UTF_8));
        }
      }
    }
    return new TextJob(cluster, name, input, tasks, List.copyOf(lines));
  }

  String name() {
    return name;
  }

  /** The number of map tasks. */
  int tasks() {
    return tasks;
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

  /** The keys of these, but for the file that was there before the job. */
  List<String> files() {
    return visible().filter(key -> !present.contains(key)).toList();
  }

  private Stream<String> visible() {
    return cluster.bucket().files(name + "/").stream().filter(key -> !isHidden(key));
  }

  /** A job in the API of {@code org.apache.hadoop.mapreduce}, map-only until told otherwise. */
  Job v2(Configuration conf) throws IOException {
    Job job = Job.getInstance(conf, name);
    job.setInputFormatClass(KeyValueTextInputFormat.class);
    org.apache.hadoop.mapreduce.lib.input.FileInputFormat.setInputPaths(job, input);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(Text.class);
    job.setOutputFormatClass(TextOutputFormat.class);
    FileOutputFormat.setOutputPath(job, output());
    job.setNumReduceTasks(0);
    return job;
  }

  /** A map-only job whose attempts follow a {@link TaskScript}. */
  Job scripted(Configuration conf) throws IOException {
    Job job = v2(conf);
    job.setMapperClass(ScriptedMapper.class);
    return job;
  }

  /**
   * The same into a destination with a file, so that names of new ones carry the job's id. That
   * file is written once, since a recovery stops at one that is newer than what it completes.
   */
  Job scriptedBesideAFile(Configuration conf) throws IOException {
    if (present.isEmpty()) {
      present = List.of(name + "/old");
      present.forEach(key -> cluster.bucket().write(key, new byte[0]));
    }
    Job job = scripted(conf);
    job.setOutputFormatClass(AppendingTextOutputFormat.class);
    return job;
  }

  /** Hadoop's own refuses a destination that exists. */
  public static final class AppendingTextOutputFormat extends TextOutputFormat<Text, Text> {
    @Override
    public void checkOutputSpecs(JobContext job) {}
  }

  /** A job in the API of {@code org.apache.hadoop.mapred}, map-only until told otherwise. */
  JobConf v1(Configuration conf) {
    JobConf job = new JobConf(conf);
    job.setJobName(name);
    job.setInputFormat(org.apache.hadoop.mapred.KeyValueTextInputFormat.class);
    org.apache.hadoop.mapred.FileInputFormat.setInputPaths(job, input);
    // Without it Job, unlike JobClient, takes this for a job in the other API.
    job.setMapperClass(IdentityMapper.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(Text.class);
    job.setOutputFormat(org.apache.hadoop.mapred.TextOutputFormat.class);
    org.apache.hadoop.mapred.FileOutputFormat.setOutputPath(job, output());
    job.setNumReduceTasks(0);
    return job;
  }

  /** The requests to S3 since the input was written. */
  RequestCounts requests() {
    return cluster.s3().gateway().counts().minus(before);
  }

  /** Runs a job, which must succeed and commit, to its very end. */
  void runAndCheck(Job job) throws Exception {
    job.submit();
    awaitAndCheck(job);
  }

  /** Waits for a job that must succeed and commit. */
  void awaitAndCheck(Job job) throws Exception {
    boolean successful = job.waitForCompletion(false);
    assertThat(successful).as("success of %s: %s", name, job.getStatus().getFailureInfo()).isTrue();
    cluster.containers(job.getJobID()).awaitEnd();
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
