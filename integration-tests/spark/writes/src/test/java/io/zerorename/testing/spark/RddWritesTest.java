package io.zerorename.testing.spark;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.testing.s3server.JobRequests;
import java.io.IOException;
import java.io.OutputStream;
import java.io.Serializable;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;
import org.apache.hadoop.mapreduce.task.JobContextImpl;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.executor.CommitDeniedException;
import org.apache.spark.internal.io.FileCommitProtocol.TaskCommitMessage;
import org.apache.spark.internal.io.FileNameSpec;
import org.apache.spark.internal.io.HadoopMapReduceCommitProtocol;
import org.apache.spark.util.SerializableConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import scala.Option;
import scala.Tuple2;
import scala.collection.JavaConverters;

/** Spark's SparkHadoopWriter with HadoopMapReduceCommitProtocol and HadoopMapRedCommitProtocol. */
final class RddWritesTest {
  private static final int ROWS = 1_000;
  private static final int PARTITIONS = 4;

  @RegisterExtension
  static final SparkOnS3 s3 = SparkOnS3.withCommitters(SparkOnS3.LOCAL, Map.of());

  private static List<String> expectedLines() {
    return IntStream.range(0, ROWS).mapToObj(i -> "row " + i).sorted().toList();
  }

  private static JavaRDD<Integer> numbers() {
    return s3.context().parallelize(IntStream.range(0, ROWS).boxed().toList(), PARTITIONS);
  }

  private static JavaPairRDD<NullWritable, Text> rows(JavaRDD<Integer> numbers) {
    return numbers.mapToPair(i -> new Tuple2<>(NullWritable.get(), new Text("row " + i)));
  }

  /** Fails in the midst of a partition, after rows have been written. */
  private static JavaRDD<Integer> failing(int attempts) {
    return numbers()
        .map(
            i -> {
              if (i == ROWS / 2 + 100 && TaskContext.get().attemptNumber() < attempts) {
                throw new IllegalStateException("made to fail");
              }
              return i;
            });
  }

  private static void saveNewApi(JavaPairRDD<NullWritable, Text> rows, String key) {
    rows.saveAsNewAPIHadoopFile(
        s3.s3a(key), NullWritable.class, Text.class, TextOutputFormat.class);
  }

  /** Each file is uploaded, whatever its length. */
  private static void saveOldApiUploading(JavaPairRDD<NullWritable, Text> rows, String key) {
    JobConf conf = new JobConf(s3.context().hadoopConfiguration());
    rows.saveAsHadoopFile(
        s3.s3a(key),
        NullWritable.class,
        Text.class,
        org.apache.hadoop.mapred.TextOutputFormat.class,
        conf);
  }

  private static void assertNothingLeft(String prefix) {
    assertThat(s3.bucket().files(prefix)).isEmpty();
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
  }

  private static void assertCommitted(String key) {
    assertThat(s3.lines(key + "/")).isEqualTo(expectedLines());
    assertThat(s3.success(key)).contains("\"committer\" : \"zerorename\"");
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
    assertThat(s3.requests().copies()).isZero();
  }

  private interface Save {
    void to(JavaPairRDD<NullWritable, Text> rows, String key) throws IOException;
  }

  private static Stream<Arguments> apis() {
    return Stream.of(
        Arguments.of("new", "part-r-", (Save) RddWritesTest::saveNewApi),
        Arguments.of("old", "part-", (Save) RddWritesTest::saveOldApiUploading),
        Arguments.of(
            "dataset",
            "part-r-",
            (Save) (rows, key) -> rows.saveAsNewAPIHadoopDataset(dataset(key))));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("apis")
  void outputAppearsAtTheJobsCommitAndNothingIsCopied(String key, String part, Save save)
      throws IOException {
    CommitWatch watch = new CommitWatch(s3.bucket(), key + "/");
    s3.gateway().faults(watch);

    save.to(rows(numbers()), key);

    assertThat(watch.visible()).isEmpty();
    assertThat(watch.pending()).isEqualTo(PARTITIONS);
    assertThat(s3.dataFiles(key + "/"))
        .isEqualTo(
            IntStream.range(0, PARTITIONS).mapToObj(i -> key + "/" + part + "0000" + i).toList());
    assertCommitted(key);
    assertThat(s3.requests().byType()).containsAllEntriesOf(JobRequests.ofFiles(PARTITIONS));
  }

  @Test
  void aFileTakesThreeRequestsAndATaskNone() {
    // The first job of a day checks what the store can do.
    saveNewApi(rows(numbers()), "first");
    s3.countFromHere();
    saveNewApi(rows(numbers()), "few-tasks");
    assertThat(s3.requests().byType())
        .isEqualTo(JobRequests.MAPREDUCE_BELOW_SPARK.andFiles(PARTITIONS));
    assertCommitted("few-tasks");

    s3.countFromHere();
    saveNewApi(rows(numbers().repartition(3 * PARTITIONS)), "many-tasks");
    assertThat(s3.requests().byType())
        .isEqualTo(JobRequests.MAPREDUCE_BELOW_SPARK.andFiles(3 * PARTITIONS));
    assertCommitted("many-tasks");
  }

  @Test
  void aJobWhoseTaskAlwaysFailsLeavesNothing() {
    assertThatThrownBy(() -> saveNewApi(rows(failing(Integer.MAX_VALUE)), "failed-new"))
        .rootCause()
        .hasMessageContaining("made to fail");
    assertNothingLeft("failed-new");

    assertThatThrownBy(() -> saveOldApiUploading(rows(failing(Integer.MAX_VALUE)), "failed-old"))
        .rootCause()
        .hasMessageContaining("made to fail");
    assertNothingLeft("failed-old");
  }

  private static Configuration dataset(String key) throws IOException {
    Job job = Job.getInstance(s3.context().hadoopConfiguration());
    job.setOutputFormatClass(TextOutputFormat.class);
    job.setOutputKeyClass(NullWritable.class);
    job.setOutputValueClass(Text.class);
    FileOutputFormat.setOutputPath(job, new org.apache.hadoop.fs.Path(s3.s3a(key)));
    return job.getConfiguration();
  }

  @Test
  void aDatasetOfAConfigurationThatIsNoJobsIsRefusedBecauseTheJobAndItsTasksHaveDifferentIds()
      throws IOException {
    Configuration conf = new Configuration(dataset("plain"));
    assertThatThrownBy(() -> rows(numbers()).saveAsNewAPIHadoopDataset(conf))
        .hasStackTraceContaining("There is no record")
        .hasStackTraceContaining("Job.getConfiguration()");
    assertNothingLeft("plain");

    conf.set("zerorename.work.dir", s3.s3a("records"));
    assertThatThrownBy(() -> rows(numbers()).saveAsNewAPIHadoopDataset(conf))
        .hasStackTraceContaining("cannot be distinguished from other runs")
        .hasStackTraceContaining("Job.getConfiguration()");
    assertNothingLeft("plain");
  }

  /** What a task does with the protocol before it commits; returns the path. */
  private static String writeAttempt(
      HadoopMapReduceCommitProtocol protocol, TaskAttemptContext attempt, String line)
      throws IOException {
    protocol.setupTask(attempt);
    String file =
        protocol.newTaskTempFile(attempt, Option.apply("p=1"), new FileNameSpec("", ".txt"));
    org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path(file);
    try (OutputStream out = path.getFileSystem(attempt.getConfiguration()).create(path)) {
      out.write(line.getBytes(UTF_8));
    }
    return file;
  }

  // Scala 2.13 has another converter, which 2.12 has not.
  @SuppressWarnings("deprecation")
  @Test
  void ofTwoAttemptsOfATaskTheOneThatSparksCoordinatorLetsCommitIsTaken() throws IOException {
    Configuration conf = dataset("twice");
    conf.set("spark.sql.sources.writeJobUUID", UUID.randomUUID().toString());
    HadoopMapReduceCommitProtocol protocol =
        new HadoopMapReduceCommitProtocol("7", s3.s3a("twice"), false);
    JobContext job = new JobContextImpl(conf, new JobID("spark", 7));
    protocol.setupJob(job);
    SerializableConfiguration sent = new SerializableConfiguration(conf);

    List<Committed> outcomes =
        s3.context()
            .parallelize(List.of(0), 1)
            .map(
                ignored -> {
                  // As in two executors: each has a protocol of its own.
                  HadoopMapReduceCommitProtocol first =
                      new HadoopMapReduceCommitProtocol("7", s3.s3a("twice"), false);
                  HadoopMapReduceCommitProtocol second =
                      new HadoopMapReduceCommitProtocol("7", s3.s3a("twice"), false);
                  TaskAttemptContext firstAttempt = attempt(sent.value(), 0);
                  TaskAttemptContext secondAttempt = attempt(sent.value(), 1);
                  String path = writeAttempt(first, firstAttempt, "of the first");
                  writeAttempt(second, secondAttempt, "of the second");
                  TaskCommitMessage message = second.commitTask(secondAttempt);
                  assertThatThrownBy(() -> first.commitTask(firstAttempt))
                      .isInstanceOf(CommitDeniedException.class);
                  return new Committed(path, message);
                })
            .collect();
    Committed outcome = outcomes.get(0);
    assertThat(outcome.path()).startsWith("zerorename://").contains("/twice/p=1/part-00000-7.txt");
    assertThat(s3.bucket().files("twice/")).isEmpty();
    assertThat(s3.bucket().pendingUploads("twice/")).hasSize(1);

    protocol.commitJob(job, JavaConverters.asScalaBuffer(List.of(outcome.message())).toSeq());

    assertThat(s3.dataFiles("twice/")).containsExactly("twice/p=1/part-00000-7.txt");
    assertThat(s3.lines("twice/")).containsExactly("of the second");
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
    assertThat(s3.requests().copies()).isZero();
  }

  private static TaskAttemptContext attempt(Configuration conf, int number) {
    return new TaskAttemptContextImpl(conf, new TaskAttemptID("spark", 7, TaskType.MAP, 0, number));
  }

  private record Committed(String path, TaskCommitMessage message) implements Serializable {}
}
