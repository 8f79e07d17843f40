package io.zerorename.testing.spark;

import static io.zerorename.testing.s3server.RequestType.ABORT_MULTIPART_UPLOAD;
import static io.zerorename.testing.s3server.RequestType.COMPLETE_MULTIPART_UPLOAD;
import static io.zerorename.testing.s3server.RequestType.CREATE_MULTIPART_UPLOAD;
import static io.zerorename.testing.s3server.RequestType.LIST_MULTIPART_UPLOADS;
import static io.zerorename.testing.s3server.RequestType.UPLOAD_PART;
import static io.zerorename.testing.spark.Numbers.TASKS;
import static io.zerorename.testing.spark.Numbers.even;
import static io.zerorename.testing.spark.Numbers.ids;
import static io.zerorename.testing.spark.Numbers.join;
import static io.zerorename.testing.spark.Numbers.odd;
import static io.zerorename.testing.spark.Numbers.range;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.lit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.spark.ZeroRenameCommitProtocol;
import io.zerorename.testing.s3server.Fault;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.hadoop.mapreduce.Job;
import org.apache.spark.internal.io.FileCommitProtocol;
import org.apache.spark.internal.io.FileCommitProtocol.TaskCommitMessage;
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
import scala.collection.JavaConverters;

/** Spark SQL with our commit protocol, without a directory of records on a cluster file system. */
// Scala 2.13 has other converters, which 2.12 has not.
@SuppressWarnings("deprecation")
final class CommitProtocolTest {
  /** By a task that fails and begins a new file after each ten rows. */
  private static final int UPLOADED_AT_FAILURE = 5;

  private static SparkOnS3 s3;
  private static Numbers numbers;

  @BeforeAll
  static void start() throws IOException {
    s3 =
        SparkOnS3.startWithCommitProtocol(
            SparkOnS3.LOCAL,
            Map.of("spark.serializer", "org.apache.spark.serializer.KryoSerializer"));
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
    return rows.write().format(format);
  }

  /** Each file is uploaded, whatever its length. */
  private static DataFrameWriter<Row> uploading(DataFrameWriter<Row> writer) {
    return writer.option(SparkOnS3.INLINE_MAX_BYTES, 0);
  }

  private static DataFrameWriter<Row> overwriting(Dataset<Row> rows) {
    return writer("csv", rows).partitionBy("p").mode(SaveMode.Overwrite);
  }

  private static DataFrameWriter<Row> overwritingDynamically(Dataset<Row> rows) {
    return overwriting(rows).option("partitionOverwriteMode", "dynamic");
  }

  private static List<Long> read(String key) {
    return numbers.read("csv", s3.s3a(key));
  }

  private static void assertCommittedByUs(String key) {
    assertThat(s3.success(key)).contains("\"committer\" : \"zerorename\"");
    assertNoneCopiedNonePending();
  }

  private static void assertNoneCopiedNonePending() {
    assertThat(s3.requests().copies()).isZero();
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
  }

  /** What a reader saw when the first new file was to appear. */
  private static CommitWatch watched(String prefix, Runnable write) {
    CommitWatch watch = new CommitWatch(s3.bucket(), prefix);
    s3.gateway().faults(watch);
    write.run();
    return watch;
  }

  @ParameterizedTest
  @ValueSource(strings = {"csv", "json", "orc", "parquet"})
  void smallFilesOfEveryFormatAppearAtTheCommitOfTheJob(String format) {
    CommitWatch watch =
        watched("out/", () -> writer(format, numbers.rows(0, 300)).save(s3.s3a("out")));

    assertThat(watch.visible()).isEmpty();
    assertThat(s3.requests().of(CREATE_MULTIPART_UPLOAD)).isZero();
    assertThat(s3.dataFiles("out/")).hasSize(TASKS);
    assertCommittedByUs("out");
    assertThat(numbers.read(format, s3.s3a("out"))).isEqualTo(range(0, 300));
  }

  @Tag("thorough")
  @ParameterizedTest
  @ValueSource(strings = {"csv", "json", "orc", "parquet"})
  void uploadsOfEveryFormatAppearAtTheCommitOfTheJob(String format) {
    CommitWatch watch =
        watched("out/", () -> uploading(writer(format, numbers.rows(0, 300))).save(s3.s3a("out")));

    assertThat(watch.visible()).isEmpty();
    assertThat(watch.pending()).isEqualTo(TASKS);
    assertThat(s3.requests().of(CREATE_MULTIPART_UPLOAD)).isEqualTo(TASKS);
    assertThat(s3.requests().of(UPLOAD_PART)).isEqualTo(TASKS);
    assertThat(s3.requests().of(COMPLETE_MULTIPART_UPLOAD)).isEqualTo(TASKS);
    assertThat(s3.requests().of(LIST_MULTIPART_UPLOADS)).isZero();
    assertThat(s3.dataFiles("out/")).hasSize(TASKS);
    assertCommittedByUs("out");
    assertThat(numbers.read(format, s3.s3a("out"))).isEqualTo(range(0, 300));
  }

  @Test
  void namesOfFilesCarryTheIdOfTheWriteAsSparksDo() {
    writer("csv", numbers.rows(0, 300)).save(s3.s3a("named"));

    String id = s3.success("named").replaceAll("(?s).*\"jobId\" : \"([^\"]+)\".*", "$1");
    assertThat(s3.dataFiles("named/"))
        .containsExactly(
            "named/part-00000-" + id + "-c000.csv",
            "named/part-00001-" + id + "-c000.csv",
            "named/part-00002-" + id + "-c000.csv");
  }

  @Test
  void aSmallFileTakesOneRequestAndATaskNone() throws InterruptedException {
    first("few");
    for (int files : List.of(TASKS, 4 * TASKS)) {
      s3.countFromHere();
      writer("parquet", numbers.rows(0, 300).repartition(files))
          .mode(SaveMode.Append)
          .save(s3.s3a("few"));
      assertThat(s3.requestsByName()).isEqualTo(requests(files));
    }
  }

  /** The first write of a day checks what the store can do, and deletes what is old beside it. */
  private static void first(String key) throws InterruptedException {
    writer("parquet", numbers.rows(0, 300)).save(s3.s3a(key));
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().equals("zerorename-daily-maintenance")) {
        thread.join();
      }
    }
  }

  private static Map<String, Long> requests(long smallFiles) {
    return Map.of(
        // The log.
        "ListObjectsV2",
        1L,
        // Whether it was checked today that the store refuses late writes.
        "GetObject",
        1L,
        // Each file; that the log can be kept, their contents, the entry, its end, _SUCCESS.
        "PutObject",
        smallFiles + 5,
        // Of the contents.
        "DeleteObjects",
        1L);
  }

  @Test
  void aFileOfOnePartTakesThreeRequests() throws InterruptedException {
    first("few");
    for (long files : List.of(TASKS, 4 * TASKS)) {
      s3.countFromHere();
      uploading(writer("parquet", numbers.rows(0, 300).repartition((int) files)))
          .mode(SaveMode.Append)
          .save(s3.s3a("few"));
      assertThat(s3.requestsByName())
          .isEqualTo(
              Map.of(
                  "ListObjectsV2",
                  1L,
                  "CreateMultipartUpload",
                  files,
                  "UploadPart",
                  files,
                  "CompleteMultipartUpload",
                  files,
                  // That the log can be kept, the entry, its end, _SUCCESS.
                  "PutObject",
                  4L));
    }
  }

  @Tag("thorough")
  @Test
  void textHasItsLines() {
    writer("text", numbers.rows(0, 300).select(col("id").cast("string"))).save(s3.s3a("text"));

    assertThat(s3.lines("text/")).hasSize(300).contains("0", "299");
    assertCommittedByUs("text");
  }

  @Test
  void partitionsAndAppendsKeepWhatIsThere() {
    writer("csv", numbers.rows(0, 300)).partitionBy("p").save(s3.s3a("table"));
    List<String> old = s3.dataFiles("table/");
    assertThat(old).hasSize(2 * TASKS);

    writer("csv", numbers.rows(300, 400))
        .partitionBy("p")
        .mode(SaveMode.Append)
        .save(s3.s3a("table"));

    assertThat(s3.dataFiles("table/")).hasSize(4 * TASKS).containsAll(old);
    assertCommittedByUs("table");
    assertThat(read("table")).isEqualTo(range(0, 400));
  }

  @Test
  void anOverwriteDeletesTheOldFilesOnlyOnceTheNewOnesAreThere() {
    writer("csv", numbers.rows(0, 300)).partitionBy("p").save(s3.s3a("table"));
    List<String> old = s3.dataFiles("table/");

    CommitWatch watch =
        watched(
            "table/",
            () -> overwriting(numbers.rows(500, 600).where("p = '0'")).save(s3.s3a("table")));

    assertThat(watch.visible()).containsAll(old);
    assertCommittedByUs("table");
    assertThat(s3.dataFiles("table/")).hasSize(TASKS).doesNotContainAnyElementsOf(old);
    assertThat(read("table")).isEqualTo(even(range(500, 600)));
  }

  @Test
  void anOverwriteThatFailsLeavesTheOldFiles() {
    writer("csv", numbers.rows(0, 300)).partitionBy("p").save(s3.s3a("table"));
    List<String> old = s3.bucket().files("table/");

    assertFails(uploading(overwriting(numbers.failing())));

    assertThat(s3.bucket().files("table/")).isEqualTo(old);
    assertNoneCopiedNonePending();
  }

  private static void assertFails(DataFrameWriter<Row> writer) {
    assertThatThrownBy(() -> writer.save(s3.s3a("table")))
        .rootCause()
        .hasMessageContaining("made to fail");
  }

  @Test
  void anOverwriteWithoutRowsLeavesNone() {
    writer("csv", numbers.rows(0, 300)).partitionBy("p").save(s3.s3a("table"));

    overwriting(numbers.rows(0, 0)).save(s3.s3a("table"));

    assertThat(s3.dataFiles("table/")).isEmpty();
    assertCommittedByUs("table");
  }

  /** Spark reads partitions whose column begins with an underscore, and lists of sinks. */
  @Test
  void anOverwriteAlsoDeletesWhatBeginsWithAnUnderscore() {
    writer("csv", numbers.rows(0, 300).withColumnRenamed("p", "_p"))
        .partitionBy("_p")
        .save(s3.s3a("table"));
    s3.bucket().write("table/_spark_metadata/0", "of a sink".getBytes(UTF_8));
    assertThat(s3.bucket().files("table/_p=0/")).hasSize(TASKS);

    writer("csv", numbers.rows(500, 600)).mode(SaveMode.Overwrite).save(s3.s3a("table"));

    assertThat(s3.bucket().files("table/_p")).isEmpty();
    assertThat(s3.bucket().files("table/_spark_metadata")).isEmpty();
    assertThat(read("table")).isEqualTo(range(500, 600));
  }

  /** Names that are no URIs, below the directory. */
  @Test
  void anOverwriteDeletesFilesOfOddNames() {
    writer("csv", numbers.rows(0, 300)).save(s3.s3a("table"));
    List<String> odd = List.of("2024-01-01T10:00:00.csv", "a b.csv", "50%.csv", "x:y/z.csv");
    odd.forEach(name -> s3.bucket().write("table/" + name, "7,0".getBytes(UTF_8)));

    writer("csv", numbers.rows(500, 600)).mode(SaveMode.Overwrite).save(s3.s3a("table"));

    assertThat(s3.dataFiles("table/")).hasSize(TASKS);
    assertThat(read("table")).isEqualTo(range(500, 600));
  }

  @Test
  void aDynamicOverwriteReplacesItsPartitionsWithoutARename() {
    writer("csv", numbers.rows(0, 300)).partitionBy("p").save(s3.s3a("table"));
    List<String> replaced = s3.dataFiles("table/p=0/");
    List<String> untouched = s3.dataFiles("table/p=1/");

    CommitWatch watch =
        watched(
            "table/p=0/",
            () ->
                overwritingDynamically(numbers.rows(1_000, 1_100).where("p = '0'"))
                    .save(s3.s3a("table")));

    assertThat(watch.visible()).isEqualTo(replaced);
    assertThat(s3.dataFiles("table/p=1/")).isEqualTo(untouched);
    assertThat(s3.dataFiles("table/p=0/")).hasSize(TASKS).doesNotContainAnyElementsOf(replaced);
    assertThat(s3.bucket().files("table/.spark-staging")).isEmpty();
    assertNoneCopiedNonePending();
    assertThat(read("table")).isEqualTo(join(odd(range(0, 300)), even(range(1_000, 1_100))));
  }

  @Test
  void aDynamicOverwriteThatFailsLeavesTheOldPartitions() {
    writer("csv", numbers.rows(0, 300)).partitionBy("p").save(s3.s3a("table"));
    List<String> old = s3.bucket().files("table/");

    assertFails(uploading(overwritingDynamically(numbers.failing())));

    assertThat(s3.bucket().files("table/")).isEqualTo(old);
    assertNoneCopiedNonePending();
  }

  @Test
  void aDynamicOverwriteWithoutRowsReplacesNothing() {
    writer("csv", numbers.rows(0, 300)).partitionBy("p").save(s3.s3a("table"));

    overwritingDynamically(numbers.rows(0, 0)).save(s3.s3a("table"));

    assertThat(read("table")).isEqualTo(range(0, 300));
  }

  private static void withTable(String columns, Consumer<String> test) {
    s3.spark().sql("CREATE TABLE t " + columns + " LOCATION '" + s3.s3a("t") + "'");
    try {
      test.accept("t");
    } finally {
      s3.spark().sql("DROP TABLE t");
    }
  }

  private static final String OVERWRITE_MODE = "spark.sql.sources.partitionOverwriteMode";
  private static final String PARTITIONED = "(id BIGINT, p STRING) USING csv PARTITIONED BY (p)";

  @Test
  void filesOfPartitionsWithPlacesOfTheirOwnAreNotRenamed() {
    withTable(
        PARTITIONED,
        table -> {
          s3.spark()
              .sql("ALTER TABLE t ADD PARTITION (p = '1') LOCATION '" + s3.s3a("elsewhere") + "'");
          s3.countFromHere();

          writer("csv", numbers.rows(0, 300)).insertInto(table);

          assertThat(s3.dataFiles("t/p=0/")).hasSize(TASKS);
          assertThat(s3.dataFiles("elsewhere/")).hasSize(TASKS);
          assertThat(s3.bucket().files("t/.spark-staging")).isEmpty();
          assertCommittedByUs("t");
          assertThat(ids(s3.spark().table(table))).isEqualTo(range(0, 300));

          List<String> old = s3.dataFiles("elsewhere/");
          s3.spark().conf().set(OVERWRITE_MODE, "dynamic");
          try {
            writer("csv", numbers.rows(1_000, 1_100).where("p = '1'"))
                .mode(SaveMode.Overwrite)
                .insertInto(table);
          } finally {
            s3.spark().conf().unset(OVERWRITE_MODE);
          }

          assertThat(s3.dataFiles("elsewhere/")).hasSize(TASKS).doesNotContainAnyElementsOf(old);
          assertNoneCopiedNonePending();
          assertThat(ids(s3.spark().table(table)))
              .isEqualTo(join(even(range(0, 300)), odd(range(1_000, 1_100))));

          writer("csv", numbers.rows(2_000, 2_100)).mode(SaveMode.Overwrite).insertInto(table);

          assertThat(ids(s3.spark().table(table))).isEqualTo(range(2_000, 2_100));
          assertNoneCopiedNonePending();
        });
  }

  @Test
  void aStatementOverwritesOnePartitionAndAnotherAllOfThem() {
    withTable(
        PARTITIONED,
        table -> {
          writer("csv", numbers.rows(0, 300)).insertInto(table);
          numbers.rows(1_000, 1_100).createOrReplaceTempView("more");

          s3.spark()
              .sql("INSERT OVERWRITE t PARTITION (p = '0') SELECT id FROM more WHERE p = '0'");
          assertThat(ids(s3.spark().table(table)))
              .isEqualTo(join(odd(range(0, 300)), even(range(1_000, 1_100))));

          s3.spark().sql("INSERT INTO t PARTITION (p) SELECT id + 1000, p FROM more");
          assertThat(s3.spark().table(table).count()).isEqualTo(300);

          s3.spark().sql("INSERT OVERWRITE t PARTITION (p) SELECT id, p FROM more");
          assertThat(ids(s3.spark().table(table))).isEqualTo(range(1_000, 1_100));
          assertCommittedByUs("t");
        });
  }

  @Test
  void tablesAreCreatedByTheRowsThatTheyGet() {
    String options = " LOCATION '" + s3.s3a("made") + "' ";
    try {
      numbers.rows(0, 300).createOrReplaceTempView("some");
      s3.spark().sql("CREATE TABLE made USING parquet" + options + "AS SELECT * FROM some");
      assertThat(ids(s3.spark().table("made"))).isEqualTo(range(0, 300));
      assertCommittedByUs("made");

      writer("parquet", numbers.rows(300, 400)).mode(SaveMode.Append).saveAsTable("made");
      assertThat(ids(s3.spark().table("made"))).isEqualTo(range(0, 400));
      assertCommittedByUs("made");
    } finally {
      s3.spark().sql("DROP TABLE IF EXISTS made");
    }
  }

  @Test
  void aDirectoryIsOverwrittenByAStatement() {
    writer("csv", numbers.rows(0, 300)).save(s3.s3a("dir"));
    numbers.rows(500, 600).createOrReplaceTempView("more");

    s3.spark()
        .sql("INSERT OVERWRITE DIRECTORY '" + s3.s3a("dir") + "' USING csv SELECT * FROM more");

    assertThat(read("dir")).isEqualTo(range(500, 600));
    assertCommittedByUs("dir");
  }

  @Tag("thorough")
  @Test
  void bucketedRowsGoToTheirFiles() {
    try {
      writer("parquet", numbers.rows(0, 300))
          .bucketBy(4, "id")
          .sortBy("id")
          .option("path", s3.s3a("buckets"))
          .saveAsTable("buckets");

      assertThat(s3.dataFiles("buckets/")).hasSize(4 * TASKS);
      assertThat(ids(s3.spark().table("buckets"))).isEqualTo(range(0, 300));
      assertThat(s3.spark().table("buckets").where(col("id").equalTo(lit(7))).count()).isEqualTo(1);
      assertCommittedByUs("buckets");
    } finally {
      s3.spark().sql("DROP TABLE IF EXISTS buckets");
    }
  }

  @Tag("thorough")
  @Test
  void aTaskThatFailsTwiceIsRunAgainAndLeavesEachRowOnce() {
    uploading(writer("parquet", numbers.failingTwice()))
        .option("maxRecordsPerFile", 10)
        .save(s3.s3a("retried"));

    assertCommittedByUs("retried");
    assertThat(s3.dataFiles("retried/")).hasSize(30);
    assertThat(s3.requests().of(CREATE_MULTIPART_UPLOAD)).isEqualTo(30 + 2 * UPLOADED_AT_FAILURE);
    assertThat(s3.requests().of(ABORT_MULTIPART_UPLOAD)).isEqualTo(2 * UPLOADED_AT_FAILURE);
    assertThat(numbers.read("parquet", s3.s3a("retried"))).isEqualTo(range(0, 300));
  }

  @ParameterizedTest
  @ValueSource(strings = {"csv", "parquet"})
  void aJobWhoseTaskAlwaysFailsLeavesNothing(String format) {
    assertThatThrownBy(
            () ->
                uploading(writer(format, numbers.failing()))
                    .option("maxRecordsPerFile", 10)
                    .save(s3.s3a("failed")))
        .rootCause()
        .hasMessageContaining("made to fail");

    assertThat(s3.requests().of(CREATE_MULTIPART_UPLOAD))
        .isGreaterThanOrEqualTo(4 * UPLOADED_AT_FAILURE);
    assertThat(s3.bucket().files("failed")).isEmpty();
    assertNoneCopiedNonePending();
  }

  /** Spark aborts a job whose statistics fail after its commit. */
  @Test
  void anAbortAfterTheCommitChangesNothing() throws IOException {
    String id = UUID.randomUUID().toString();
    FileCommitProtocol protocol = new ZeroRenameCommitProtocol(id, s3.s3a("done"), false);
    Job job = Job.getInstance(s3.context().hadoopConfiguration());
    protocol.setupJob(job);
    protocol.commitJob(job, JavaConverters.asScalaBuffer(List.<TaskCommitMessage>of()).toSeq());
    List<String> files = s3.bucket().files("done");
    assertThat(files).contains("done/_SUCCESS");

    protocol.abortJob(job);

    assertThat(s3.bucket().files("done")).isEqualTo(files);
  }

  /** The number of a batch, as from a streaming query. */
  @Test
  void anIdThatIsNoUuidIsRefused() throws IOException {
    FileCommitProtocol protocol = new ZeroRenameCommitProtocol("0", s3.s3a("stream"), false);
    Job job = Job.getInstance(s3.context().hadoopConfiguration());
    assertThatThrownBy(() -> protocol.setupJob(job))
        .hasMessageContaining("spark.sql.streaming.commitProtocolClass");
  }

  @Test
  void aFailedWriteAbortsItsUploadsInPartitionsElsewhereToo() {
    withTable(
        PARTITIONED,
        table -> {
          s3.spark()
              .sql("ALTER TABLE t ADD PARTITION (p = '1') LOCATION '" + s3.s3a("elsewhere") + "'");
          AtomicInteger pending = new AtomicInteger();
          // What tasks abort by themselves is refused; the job's own sweep comes after the last.
          s3.gateway()
              .faults(
                  request -> {
                    boolean first =
                        request.type() == ABORT_MULTIPART_UPLOAD && pending.incrementAndGet() <= 2;
                    return first ? Optional.of(Fault.accessDenied()) : Optional.empty();
                  });

          s3.uploading(
              () ->
                  assertThatThrownBy(() -> writer("csv", numbers.failing()).insertInto(table))
                      .rootCause()
                      .hasMessageContaining("made to fail"));

          assertThat(pending).hasValueGreaterThan(2);
          assertNoneCopiedNonePending();
        });
  }

  @Test
  void theRootOfABucketMayBeWritten() {
    s3.bucket().write("other/there", "1".getBytes(UTF_8));
    String root = s3.s3a("").replaceAll("/$", "");
    writer("csv", numbers.rows(0, 300)).mode(SaveMode.Append).save(root);
    assertThat(s3.dataFiles("")).filteredOn(name -> name.startsWith("part-")).hasSize(TASKS);
  }

  @Test
  void otherFileSystemsAreLeftToSparksProtocol() {
    Path local = s3.directory().resolve("not-on-s3");
    String place = local.toUri().toString();
    writer("csv", numbers.rows(0, 300)).partitionBy("p").save(place);
    assertThat(local.resolve("_SUCCESS")).isEmptyFile();

    overwritingDynamically(numbers.rows(1_000, 1_100).where("p = '0'")).save(place);
    assertThat(numbers.read("csv", place))
        .isEqualTo(join(odd(range(0, 300)), even(range(1_000, 1_100))));

    overwriting(numbers.rows(2_000, 2_100)).save(place);
    assertThat(numbers.read("csv", place)).isEqualTo(range(2_000, 2_100));
    assertThat(s3.requests().total()).isZero();
  }

  @Tag("thorough")
  @Test
  void noMarkerIsWrittenWhereNoneIsWanted() {
    writer("csv", numbers.rows(0, 300))
        .option("mapreduce.fileoutputcommitter.marksuccessfuljobs", "false")
        .save(s3.s3a("unmarked"));

    assertThat(s3.bucket().files("unmarked/_SUCCESS")).isEmpty();
    assertThat(read("unmarked")).isEqualTo(range(0, 300));
  }
}
