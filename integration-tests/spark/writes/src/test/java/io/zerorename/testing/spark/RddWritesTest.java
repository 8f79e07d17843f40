package io.zerorename.testing.spark;

import static io.zerorename.testing.s3server.RequestType.LIST_MULTIPART_UPLOADS;
import static io.zerorename.testing.spark.Numbers.TASKS;
import static io.zerorename.testing.spark.Numbers.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.testing.s3server.JobRequests;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import scala.Tuple2;

/** The committers for MapReduce below Spark's own commit protocols: of RDDs, and of SQL. */
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

  /** What a user sets besides the factory to write Parquet without renames, and without. */
  @Tag(SparkOnS3.MAPREDUCE_COMMITTERS)
  @ParameterizedTest
  @CsvSource({
    "csv, none",
    "parquet, io.zerorename.magic.job.MagicCommitter",
    "parquet, org.apache.spark.internal.io.cloud.BindingParquetOutputCommitter"
  })
  void filesOfSqlAppearAtTheJobsCommitToo(String format, String committer) {
    CommitWatch watch =
        s3.watched(
            "out/",
            () ->
                s3.numbers()
                    .rows(0, 300)
                    .write()
                    .format(format)
                    .option("spark.sql.parquet.output.committer.class", committer)
                    .save(s3.s3a("out")));

    assertThat(watch.visible()).isEmpty();
    assertThat(watch.pending()).isEqualTo(TASKS);
    assertThat(s3.dataFiles("out/")).hasSize(TASKS);
    s3.assertCommittedByUs("out");
    assertThat(s3.requests().of(LIST_MULTIPART_UPLOADS)).as("of uploads of tasks").isOne();
    assertThat(s3.numbers().read(format, s3.s3a("out"))).isEqualTo(range(0, 300));
  }
}
