package io.zerorename.testing.spark;

import static io.zerorename.testing.s3server.RequestType.CREATE_MULTIPART_UPLOAD;
import static io.zerorename.testing.s3server.RequestType.LIST_MULTIPART_UPLOADS;
import static io.zerorename.testing.spark.Numbers.TASKS;
import static io.zerorename.testing.spark.Numbers.even;
import static io.zerorename.testing.spark.Numbers.ids;
import static io.zerorename.testing.spark.Numbers.join;
import static io.zerorename.testing.spark.Numbers.odd;
import static io.zerorename.testing.spark.Numbers.range;
import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.testing.s3server.JobRequests;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.apache.spark.sql.DataFrameWriter;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Spark SQL's FileFormatWriter with SQLHadoopMapReduceCommitProtocol, its default. */
@Tag(SparkOnS3.MAPREDUCE_COMMITTERS)
final class SqlWritesTest {
  /** By a task that fails and begins a new file after each ten rows. */
  private static final int UPLOADED_AT_FAILURE = 5;

  /** What a user sets besides the factory to write Parquet without renames. */
  private static final String PARQUET_COMMITTER = "spark.sql.parquet.output.committer.class";

  private static final String OURS = "io.zerorename.magic.job.MagicCommitter";
  private static final String BINDING =
      "org.apache.spark.internal.io.cloud.BindingParquetOutputCommitter";
  private static final String DYNAMIC = "partitionOverwriteMode";

  private static SparkOnS3 s3;
  private static Numbers numbers;

  @BeforeAll
  static void start() throws IOException {
    s3 = SparkOnS3.start(SparkOnS3.LOCAL, Map.of());
    numbers = new Numbers(s3.spark());
  }

  @AfterAll
  static void stop() throws IOException {
    s3.close();
  }

  @BeforeEach
  void reset() {
    s3.reset();
  }

  private static DataFrameWriter<Row> writer(String format, Dataset<Row> rows) {
    return rows.write().format(format).option(PARQUET_COMMITTER, OURS);
  }

  @Tag("thorough")
  @ParameterizedTest
  @ValueSource(strings = {"json", "orc"})
  void otherFormatsAppearAtTheJobsCommitToo(String format) {
    everyFormatAppearsAtTheJobsCommitAndNothingIsCopied(format);
  }

  @ParameterizedTest
  @ValueSource(strings = {"csv", "parquet"})
  void everyFormatAppearsAtTheJobsCommitAndNothingIsCopied(String format) {
    CommitWatch watch = new CommitWatch(s3.bucket(), "out/");
    s3.gateway().faults(watch);

    writer(format, numbers.rows(0, 300)).save(s3.s3a("out"));

    assertThat(watch.visible()).isEmpty();
    assertThat(watch.pending()).isEqualTo(TASKS);
    assertThat(s3.dataFiles("out/")).hasSize(TASKS);
    s3.assertCommittedByUs("out");
    assertThat(s3.requests().of(LIST_MULTIPART_UPLOADS)).as("of uploads of tasks").isOne();
    assertThat(numbers.read(format, s3.s3a("out"))).isEqualTo(range(0, 300));
  }

  @Test
  void aFileTakesThreeRequestsAndATaskNone() {
    // The first job of a day checks what the store can do.
    writer("parquet", numbers.rows(0, 300)).save(s3.s3a("first"));
    s3.countFromHere();
    writer("parquet", numbers.rows(0, 300)).save(s3.s3a("few"));
    assertThat(s3.requests().byType()).isEqualTo(JobRequests.MAPREDUCE_BELOW_SPARK.andFiles(TASKS));

    s3.countFromHere();
    writer("parquet", numbers.rows(0, 300).repartition(4 * TASKS)).save(s3.s3a("many"));
    assertThat(s3.requests().byType())
        .isEqualTo(JobRequests.MAPREDUCE_BELOW_SPARK.andFiles(4 * TASKS));
    assertThat(numbers.read("parquet", s3.s3a("many"))).isEqualTo(range(0, 300));
  }

  @Tag("thorough")
  @Test
  void textAppearsAtTheJobsCommitAndNothingIsCopied() {
    writer("text", numbers.rows(0, 300).select(col("id").cast("string"))).save(s3.s3a("text"));

    assertThat(s3.lines("text/"))
        .isEqualTo(LongStream.range(0, 300).mapToObj(Long::toString).sorted().toList());
    s3.assertCommittedByUs("text");
  }

  @Tag("thorough")
  @ParameterizedTest
  @ValueSource(strings = "csv")
  void soDoThoseOfCsv(String format) {
    partitionsAndAppendsKeepWhatIsThere(format);
  }

  @ParameterizedTest
  @ValueSource(strings = "parquet")
  void partitionsAndAppendsKeepWhatIsThere(String format) {
    writer(format, numbers.rows(0, 300)).partitionBy("p").save(s3.s3a("table"));
    assertThat(s3.dataFiles("table/p=0/")).hasSize(TASKS);
    assertThat(s3.dataFiles("table/p=1/")).hasSize(TASKS);
    assertThat(s3.dataFiles("table/")).hasSize(2 * TASKS);

    writer(format, numbers.rows(300, 400))
        .partitionBy("p")
        .mode(SaveMode.Append)
        .save(s3.s3a("table"));

    assertThat(s3.dataFiles("table/")).hasSize(4 * TASKS);
    s3.assertCommittedByUs("table");
    assertThat(numbers.read(format, s3.s3a("table"))).isEqualTo(range(0, 400));
  }

  @Tag("thorough")
  @Test
  void overwriteDeletesTheOldFilesBeforeTheJobBeginsWhichIsSparksDoing() {
    writer("csv", numbers.rows(0, 300)).save(s3.s3a("table"));

    assertThatThrownBy(
            () -> writer("csv", numbers.failing()).mode(SaveMode.Overwrite).save(s3.s3a("table")))
        .rootCause()
        .hasMessageContaining("made to fail");
    assertThat(s3.dataFiles("table/")).isEmpty();

    writer("csv", numbers.rows(500, 600)).mode(SaveMode.Overwrite).save(s3.s3a("table"));

    s3.assertCommittedByUs("table");
    assertThat(numbers.read("csv", s3.s3a("table"))).isEqualTo(range(500, 600));
  }

  @Tag("thorough")
  @Test
  void anAppendThatReplacesDeletesTheOldFilesOnlyOnceTheNewOnesAreThere() {
    writer("csv", numbers.rows(0, 300)).save(s3.s3a("table"));
    List<String> old = s3.dataFiles("table/");

    assertThatThrownBy(() -> replace(numbers.failing()))
        .rootCause()
        .hasMessageContaining("made to fail");
    assertThat(s3.dataFiles("table/")).isEqualTo(old);

    CommitWatch watch = new CommitWatch(s3.bucket(), "table/");
    s3.gateway().faults(watch);
    replace(numbers.rows(500, 600));

    assertThat(watch.visible()).containsAll(old);
    s3.assertCommittedByUs("table");
    assertThat(numbers.read("csv", s3.s3a("table"))).isEqualTo(range(500, 600));
  }

  private static void replace(Dataset<Row> rows) {
    writer("csv", rows)
        .mode(SaveMode.Append)
        .option("zerorename.conflict.mode", "replace")
        .save(s3.s3a("table"));
  }

  @Tag("thorough")
  @ParameterizedTest
  @ValueSource(strings = "parquet")
  void soItDoesInParquet(String format) {
    dynamicPartitionOverwriteReplacesItsPartitionsAndSparkRenamesEachFileOnce(format);
  }

  @ParameterizedTest
  @ValueSource(strings = "csv")
  void dynamicPartitionOverwriteReplacesItsPartitionsAndSparkRenamesEachFileOnce(String format) {
    writer(format, numbers.rows(0, 300)).partitionBy("p").save(s3.s3a("table"));
    List<String> untouched = s3.dataFiles("table/p=1/");
    s3.countFromHere();
    CommitWatch watch = new CommitWatch(s3.bucket(), "table/p=0/");
    s3.gateway().faults(watch);

    writer(format, numbers.rows(1_000, 1_100).where("p = '0'"))
        .partitionBy("p")
        .mode(SaveMode.Overwrite)
        .option(DYNAMIC, "dynamic")
        .save(s3.s3a("table"));

    assertThat(watch.visible()).hasSize(TASKS);
    assertThat(s3.dataFiles("table/p=1/")).isEqualTo(untouched);
    assertThat(s3.dataFiles("table/")).hasSize(2 * TASKS);
    assertThat(s3.bucket().files("table/.spark-staging")).isEmpty();
    assertThat(s3.requests().copies()).isEqualTo(TASKS);
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
    assertThat(numbers.read(format, s3.s3a("table")))
        .isEqualTo(join(odd(range(0, 300)), even(range(1_000, 1_100))));
  }

  @Test
  void aFailedDynamicPartitionOverwriteLeavesTheOldPartitions() {
    writer("csv", numbers.rows(0, 300)).partitionBy("p").save(s3.s3a("table"));
    List<String> old = s3.dataFiles("table/");

    assertThatThrownBy(
            () ->
                writer("csv", numbers.failing())
                    .partitionBy("p")
                    .mode(SaveMode.Overwrite)
                    .option(DYNAMIC, "dynamic")
                    .save(s3.s3a("table")))
        .rootCause()
        .hasMessageContaining("made to fail");

    assertThat(s3.bucket().files("table/.spark-staging")).isEmpty();
    assertThat(s3.dataFiles("table/")).isEqualTo(old);
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
  }

  @Tag("thorough")
  @Test
  void aTaskThatFailsTwiceIsRunAgainAndLeavesEachRowOnce() {
    writer("parquet", numbers.failingTwice())
        .option("maxRecordsPerFile", 10)
        .save(s3.s3a("retried"));

    s3.assertCommittedByUs("retried");
    assertThat(s3.dataFiles("retried/")).hasSize(30);
    assertThat(s3.requests().of(CREATE_MULTIPART_UPLOAD)).isEqualTo(30 + 2 * UPLOADED_AT_FAILURE);
    assertThat(numbers.read("parquet", s3.s3a("retried"))).isEqualTo(range(0, 300));
  }

  @Tag("thorough")
  @ParameterizedTest
  @ValueSource(strings = "parquet")
  void norDoesOneThatWritesParquet(String format) {
    aJobWhoseTaskAlwaysFailsLeavesNothing(format);
  }

  @ParameterizedTest
  @ValueSource(strings = "csv")
  void aJobWhoseTaskAlwaysFailsLeavesNothing(String format) {
    assertThatThrownBy(
            () ->
                writer(format, numbers.failing())
                    .option("maxRecordsPerFile", 10)
                    .save(s3.s3a("failed")))
        .rootCause()
        .hasMessageContaining("made to fail");

    assertThat(s3.requests().of(CREATE_MULTIPART_UPLOAD))
        .isGreaterThanOrEqualTo(4 * UPLOADED_AT_FAILURE);
    assertThat(s3.bucket().files("failed")).isEmpty();
    s3.assertNoneCopiedNonePending();
  }

  @Tag("thorough")
  @Test
  void theJobWithoutRowsLeavesFilesThatHaveNone() {
    writer("parquet", numbers.rows(0, 0)).save(s3.s3a("empty"));

    s3.assertCommittedByUs("empty");
    assertThat(numbers.read("parquet", s3.s3a("empty"))).isEmpty();
  }

  @Tag("thorough")
  @Test
  void parquetIsRenamedUnlessItsCommitterIsSet() {
    numbers.rows(0, 300).write().parquet(s3.s3a("renamed"));

    assertThat(s3.bucket().objects("renamed/")).containsEntry("renamed/_SUCCESS", 0L);
    // At each task's commit and at the job's.
    assertThat(s3.requests().copies()).isEqualTo(2 * TASKS);
    assertThat(numbers.read("parquet", s3.s3a("renamed"))).isEqualTo(range(0, 300));
  }

  @Test
  void parquetBySparksBindingToTheFactoryIsNotRenamed() {
    CommitWatch watch = new CommitWatch(s3.bucket(), "bound/");
    s3.gateway().faults(watch);

    numbers.rows(0, 300).write().option(PARQUET_COMMITTER, BINDING).parquet(s3.s3a("bound"));

    assertThat(watch.visible()).isEmpty();
    s3.assertCommittedByUs("bound");
    assertThat(numbers.read("parquet", s3.s3a("bound"))).isEqualTo(range(0, 300));
  }

  @Tag("thorough")
  @Test
  void bySparksCloudProtocolTheFactoryIsAskedForParquetToo() {
    withCloudProtocol(() -> numbers.rows(0, 300).write().partitionBy("p").parquet(s3.s3a("cloud")));

    s3.assertCommittedByUs("cloud");
    assertThat(numbers.read("parquet", s3.s3a("cloud"))).isEqualTo(range(0, 300));
  }

  /** Spark's cloud protocol does not delete the partitions, whatever the committer. */
  @Tag("thorough")
  @Test
  void bySparksCloudProtocolDynamicPartitionOverwriteAppendsAsWithHadoopsOwnCommitter() {
    for (String table : List.of(s3.s3a("table"), s3.directory().resolve("table").toUri() + "")) {
      writer("csv", numbers.rows(0, 300)).partitionBy("p").save(table);

      withCloudProtocol(
          () ->
              writer("csv", numbers.rows(1_000, 1_100).where("p = '0'"))
                  .partitionBy("p")
                  .mode(SaveMode.Overwrite)
                  .option(DYNAMIC, "dynamic")
                  .save(table));

      assertThat(s3.spark().read().csv(table).count()).isEqualTo(350);
    }
    s3.assertNoneCopiedNonePending();
  }

  private static void withCloudProtocol(Runnable write) {
    String key = "spark.sql.sources.commitProtocolClass";
    s3.spark().conf().set(key, "org.apache.spark.internal.io.cloud.PathOutputCommitProtocol");
    try {
      write.run();
    } finally {
      s3.spark().conf().unset(key);
    }
  }

  @Tag("thorough")
  @Test
  void ourCommitterSetForParquetRefusesOtherFileSystemsAndSparksBindingDoesNot() {
    String local = s3.directory().resolve("local-parquet").toUri().toString();
    assertThatThrownBy(() -> writer("parquet", numbers.rows(0, 300)).save(local))
        .hasStackTraceContaining("it is not on S3A")
        .hasStackTraceContaining(BINDING);
    assertThat(s3.directory().resolve("local-parquet")).doesNotExist();

    numbers.rows(0, 300).write().option(PARQUET_COMMITTER, BINDING).parquet(local);

    assertThat(ids(s3.spark().read().parquet(local))).isEqualTo(range(0, 300));
  }

  @Tag("thorough")
  @Test
  void recordsMayBeOnS3() {
    writer("parquet", numbers.rows(0, 300))
        .partitionBy("p")
        .option("zerorename.work.dir", s3.s3a("records"))
        .save(s3.s3a("out"));

    s3.assertCommittedByUs("out");
    assertThat(numbers.read("parquet", s3.s3a("out"))).isEqualTo(range(0, 300));
  }

  @Tag("thorough")
  @Test
  void ofPartitionsWithPlacesOfTheirOwnSparkRenamesTheFiles() {
    s3.spark()
        .sql(
            "CREATE TABLE placed (id BIGINT, p STRING) USING csv PARTITIONED BY (p) LOCATION '"
                + s3.s3a("placed")
                + "'");
    try {
      s3.spark()
          .sql("ALTER TABLE placed ADD PARTITION (p = '1') LOCATION '" + s3.s3a("elsewhere") + "'");

      writer("csv", numbers.rows(0, 300)).insertInto("placed");

      assertThat(s3.dataFiles("placed/p=0/")).hasSize(TASKS);
      assertThat(s3.dataFiles("elsewhere/")).hasSize(TASKS);
      assertThat(s3.bucket().files("placed/.spark-staging")).isEmpty();
      assertThat(s3.requests().copies()).isEqualTo(TASKS);
      assertThat(s3.bucket().pendingUploads("")).isEmpty();
      assertThat(ids(s3.spark().table("placed"))).isEqualTo(range(0, 300));
    } finally {
      s3.spark().sql("DROP TABLE placed");
    }
  }
}
