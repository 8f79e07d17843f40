package io.zerorename.testing.mapreduce;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.magic.mapred.MagicOutputCommitter;
import io.zerorename.magic.mapreduce.MagicCommitterFactory;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.s3a.commit.files.SuccessData;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.FileOutputFormat;
import org.apache.hadoop.mapred.JobClient;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapReduceBase;
import org.apache.hadoop.mapred.Mapper;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapred.RunningJob;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.output.LazyOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;
import org.apache.hadoop.streaming.StreamJob;
import org.apache.hadoop.util.ToolRunner;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Jobs of both APIs and of several shapes, each by the one setting that it needs. */
@ExtendWith(ClusterExtension.class)
final class OutputTest {
  private static final int LINES_PER_TASK = 50;

  private final MapReduceCluster cluster;

  OutputTest(MapReduceCluster cluster) {
    this.cluster = cluster;
  }

  @Tag("stores")
  @Test
  void jobOfTheOldApiCommitsByItsOneKeyAndItsTasksMayHaveFilesOfTheirOwn() throws Exception {
    TextJob text = TextJob.withInput(cluster, "old-api", 2, LINES_PER_TASK);
    Configuration conf = cluster.newConfiguration();
    conf.setClass(
        "mapred.output.committer.class",
        MagicOutputCommitter.class,
        org.apache.hadoop.mapred.OutputCommitter.class);
    JobConf job = text.v1(conf);
    job.setMapperClass(SideFileMapper.class);

    RunningJob running = JobClient.runJob(job);

    cluster.containers(running.getID()).awaitEnd();
    text.checkCommitted();
    assertThat(cluster.bucket().files("old-api/"))
        .containsExactly(
            "old-api/_SUCCESS",
            "old-api/part-00000",
            "old-api/part-00001",
            "old-api/side/00000",
            "old-api/side/00001");
  }

  @Tag("thorough")
  @Test
  void jobOfTheNewApiCommitsByItsFactoryAloneAndATaskMayHaveNoFile() throws Exception {
    TextJob text = TextJob.withInput(cluster, "new-api", 2, LINES_PER_TASK);
    Configuration conf = cluster.newConfiguration();
    conf.set("mapreduce.outputcommitter.factory.scheme.s3a", MagicCommitterFactory.class.getName());
    Job job = text.v2(conf);
    // All keys go to one reduce task.
    job.setPartitionerClass(ToTheLast.class);
    job.setNumReduceTasks(2);
    LazyOutputFormat.setOutputFormatClass(job, TextOutputFormat.class);

    text.runAndCheck(job);

    assertThat(cluster.bucket().files("new-api/"))
        .containsExactly("new-api/_SUCCESS", "new-api/part-r-00001");
    SuccessData success =
        SuccessData.load(text.output().getFileSystem(conf), new Path(text.output(), "_SUCCESS"));
    assertThat(success.getCommitter()).isEqualTo("zerorename");
    assertThat(success.getFilenames()).containsExactly("/new-api/part-r-00001");
    assertThat(recordsOf(job)).contains("log");
  }

  @Tag("thorough")
  @Test
  void tasksInsideTheAppMasterCommitAsTasksInContainersDo() throws Exception {
    TextJob text = TextJob.withInput(cluster, "uber", 2, LINES_PER_TASK);
    Configuration conf = Committer.ZERO_RENAME.in(cluster.newConfiguration());
    conf.setBoolean("mapreduce.job.ubertask.enable", true);
    Job job = text.v2(conf);
    job.setNumReduceTasks(1);

    text.runAndCheck(job);

    assertThat(job.isUber()).isTrue();
  }

  @Tag("thorough")
  @Test
  void streamingCommitsAndItsCommandsAreToldTheWorkDirectory() throws Exception {
    TextJob text = TextJob.withInput(cluster, "streaming", 2, LINES_PER_TASK);
    String copyAndTell = "sh -c 'cat; echo $mapreduce_task_output_dir'";

    int exitCode =
        ToolRunner.run(
            Committer.ZERO_RENAME.in(cluster.newConfiguration()),
            new StreamJob(),
            new String[] {
              "-input",
              text.input().toString(),
              "-output",
              text.output().toString(),
              "-mapper",
              copyAndTell,
              "-numReduceTasks",
              "0"
            });

    assertThat(exitCode).isZero();
    List<String> lines = new ArrayList<>(text.outputLines());
    assertThat(lines).containsAll(text.lines());
    lines.removeAll(text.lines());
    assertThat(lines)
        .hasSize(2)
        .allSatisfy(
            line -> assertThat(line.strip()).matches("zerorename://w-attempt-.*/streaming"));
    assertThat(cluster.bucket().pendingUploads("")).isEmpty();
    assertThat(text.requests().copies()).isZero();
  }

  /** The names of a job's records, which are on HDFS beside what MapReduce keeps there of it. */
  private List<String> recordsOf(Job job) throws IOException {
    Path workDir = new Path("/user/" + job.getUser() + "/zerorename-" + job.getUser() + "/jobs");
    FileSystem hdfs = cluster.hdfs();
    for (FileStatus directory : hdfs.listStatus(workDir)) {
      try (InputStream note = hdfs.open(new Path(directory.getPath(), "job.json"))) {
        if (new String(note.readAllBytes(), UTF_8).contains(job.getJobID().toString())) {
          return names(hdfs, directory.getPath());
        }
      }
    }
    throw new AssertionError("no records of " + job.getJobID() + " below " + workDir);
  }

  private static List<String> names(FileSystem fs, Path directory) throws IOException {
    List<String> names = new ArrayList<>();
    RemoteIterator<LocatedFileStatus> files = fs.listFiles(directory, true);
    while (files.hasNext()) {
      names.add(files.next().getPath().getName());
    }
    return names;
  }

  /** Writes some lines to a file below the directory that Hadoop names for such files. */
  static final class SideFileMapper extends MapReduceBase
      implements Mapper<Text, Text, Text, Text> {
    private JobConf conf;
    private final StringBuilder side = new StringBuilder();
    private int lines;

    @Override
    public void configure(JobConf conf) {
      this.conf = conf;
    }

    @Override
    public void map(Text key, Text value, OutputCollector<Text, Text> out, Reporter reporter)
        throws IOException {
      if (lines++ < LINES_PER_TASK / 2) {
        side.append(key).append('\t').append(value).append('\n');
      } else {
        out.collect(key, value);
      }
    }

    @Override
    public void close() throws IOException {
      Path file =
          new Path(
              FileOutputFormat.getWorkOutputPath(conf),
              String.format("side/%05d", conf.getInt("mapreduce.task.partition", -1)));
      try (OutputStream stream = file.getFileSystem(conf).create(file)) {
        stream.write(side.toString().getBytes(UTF_8));
      }
    }
  }

  /** Gives all keys to one reduce task. */
  static final class ToTheLast extends org.apache.hadoop.mapreduce.Partitioner<Text, Text> {
    @Override
    public int getPartition(Text key, Text value, int partitions) {
      return partitions - 1;
    }
  }
}
