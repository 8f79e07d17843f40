package io.zerorename.testing.spark;

import static io.zerorename.testing.s3server.RequestType.ABORT_MULTIPART_UPLOAD;
import static io.zerorename.testing.s3server.RequestType.CREATE_MULTIPART_UPLOAD;
import static io.zerorename.testing.spark.Numbers.TASKS;
import static io.zerorename.testing.spark.Numbers.even;
import static io.zerorename.testing.spark.Numbers.ids;
import static io.zerorename.testing.spark.Numbers.join;
import static io.zerorename.testing.spark.Numbers.odd;
import static io.zerorename.testing.spark.Numbers.range;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.testing.s3server.HeldRequests;
import io.zerorename.testing.s3server.RequestRecording;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.spark.sql.DataFrameWriter;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Overwrites, and writes to tables, with our commit protocol. */
final class OverwritesTest {
  private static final String PARTITIONED = "(id BIGINT, p STRING) USING csv PARTITIONED BY (p)";

  @RegisterExtension
  static final SparkOnS3 s3 = SparkOnS3.withCommitProtocol(SparkOnS3.LOCAL, Map.of());

  private static DataFrameWriter<Row> writer(String format, Dataset<Row> rows) {
    return rows.write().format(format);
  }

  private static List<Long> read(String key) {
    return s3.numbers().read("csv", s3.s3a(key));
  }

  private static DataFrameWriter<Row> overwriting(Dataset<Row> rows) {
    return writer("csv", rows).partitionBy("p").mode(SaveMode.Overwrite);
  }

  private static DataFrameWriter<Row> overwritingDynamically(Dataset<Row> rows) {
    return overwriting(rows).option("partitionOverwriteMode", "dynamic");
  }

  @Test
  void anOverwriteDeletesTheOldFilesOnlyOnceTheNewOnesAreThere() {
    writer("csv", s3.numbers().rows(0, 300)).partitionBy("p").save(s3.s3a("table"));
    List<String> old = s3.dataFiles("table/");

    CommitWatch watch =
        s3.watched(
            "table/",
            () -> overwriting(s3.numbers().rows(500, 600).where("p = '0'")).save(s3.s3a("table")));

    assertThat(watch.visible()).containsAll(old);
    s3.assertCommittedByUs("table");
    assertThat(s3.dataFiles("table/")).hasSize(TASKS).doesNotContainAnyElementsOf(old);
    assertThat(read("table")).isEqualTo(even(range(500, 600)));
  }

  @Test
  void anOverwriteThatFailsLeavesTheOldFiles() {
    writer("csv", s3.numbers().rows(0, 300)).partitionBy("p").save(s3.s3a("table"));
    List<String> old = s3.bucket().files("table/");
    s3.countFromHere();

    // The task that fails four times has finished five files each time.
    assertThatThrownBy(
            () ->
                writer("csv", s3.numbers().failing())
                    .mode(SaveMode.Overwrite)
                    .option("maxRecordsPerFile", 10)
                    .save(s3.s3a("table")))
        .rootCause()
        .hasMessageContaining("made to fail");

    assertThat(s3.requests().of(CREATE_MULTIPART_UPLOAD)).isGreaterThanOrEqualTo(4 * 5);
    assertThat(s3.bucket().files("table/")).isEqualTo(old);
    s3.assertNoneCopiedNonePending();
  }

  /** Spark reads partitions whose column begins with an underscore, and lists of sinks. */
  @Test
  void anOverwriteAlsoDeletesOddNamesAndWhatBeginsWithAnUnderscore() {
    writer("csv", s3.numbers().rows(0, 300).withColumnRenamed("p", "_p"))
        .partitionBy("_p")
        .save(s3.s3a("table"));
    s3.bucket().write("table/_spark_metadata/0", "of a sink".getBytes(UTF_8));
    // Names that are no URIs.
    s3.bucket().write("table/2024-01-01T10:00:00.csv", "7,0".getBytes(UTF_8));
    s3.bucket().write("table/x:y/50%.csv", "7,0".getBytes(UTF_8));
    assertThat(s3.bucket().files("table/_p=0/")).hasSize(TASKS);

    writer("csv", s3.numbers().rows(500, 600)).mode(SaveMode.Overwrite).save(s3.s3a("table"));

    assertThat(s3.bucket().files("table/")).hasSize(1 + TASKS);
    assertThat(read("table")).isEqualTo(range(500, 600));
  }

  @Test
  void aDynamicOverwriteReplacesItsPartitionsWithoutARename() {
    writer("csv", s3.numbers().rows(0, 300)).partitionBy("p").save(s3.s3a("table"));
    List<String> replaced = s3.dataFiles("table/p=0/");
    List<String> untouched = s3.dataFiles("table/p=1/");

    CommitWatch watch =
        s3.watched(
            "table/p=0/",
            () ->
                overwritingDynamically(s3.numbers().rows(1_000, 1_100).where("p = '0'"))
                    .save(s3.s3a("table")));

    assertThat(watch.visible()).isEqualTo(replaced);
    assertThat(s3.dataFiles("table/p=1/")).isEqualTo(untouched);
    assertThat(s3.dataFiles("table/p=0/")).hasSize(TASKS).doesNotContainAnyElementsOf(replaced);
    assertThat(s3.bucket().files("table/.spark-staging")).isEmpty();
    s3.assertNoneCopiedNonePending();
    assertThat(read("table")).isEqualTo(join(odd(range(0, 300)), even(range(1_000, 1_100))));
  }

  @ParameterizedTest
  @ValueSource(strings = {"static", "dynamic"})
  void anOverwriteFailsOnAConflictIfItsUserWantsThat(String mode) throws Exception {
    writer("csv", s3.numbers().rows(0, 30)).partitionBy("p").save(s3.s3a("table"));
    DataFrameWriter<Row> overwrite =
        overwriting(s3.numbers().rows(100, 110))
            .option("partitionOverwriteMode", mode)
            .option("zerorename.conflict", "fail");
    HeldRequests decision = HeldRequests.onlyNth(1, SparkOnS3.DECISION);
    s3.gateway().faults(decision);
    CompletableFuture<Void> running = SparkOnS3.inBackground(() -> overwrite.save(s3.s3a("table")));
    decision.awaitFirst();
    writer("csv", s3.numbers().rows(30, 40))
        .partitionBy("p")
        .mode(SaveMode.Append)
        .save(s3.s3a("table"));
    decision.pass();

    assertThatThrownBy(running::join)
        .rootCause()
        .hasMessageContainingAll("ZR-1139: what it replaces has changed since it began", "(ADD, ");
    assertThat(read("table")).isEqualTo(range(0, 40));
    s3.assertNoneCopiedNonePending();

    overwrite.save(s3.s3a("table"));
    assertThat(read("table")).isEqualTo(range(100, 110));
  }

  @Test
  void filesOfPartitionsWithPlacesOfTheirOwnAreNotRenamed() {
    s3.withTable(
        PARTITIONED,
        table -> {
          s3.spark()
              .sql("ALTER TABLE t ADD PARTITION (p = '1') LOCATION '" + s3.s3a("elsewhere") + "'");
          s3.countFromHere();

          writer("csv", s3.numbers().rows(0, 300)).insertInto(table);

          assertThat(s3.dataFiles("t/p=0/")).hasSize(TASKS);
          assertThat(s3.dataFiles("elsewhere/")).hasSize(TASKS);
          assertThat(s3.bucket().files("t/.spark-staging")).isEmpty();
          s3.assertCommittedByUs("t");
          assertThat(ids(s3.spark().table(table))).isEqualTo(range(0, 300));

          List<String> old = s3.dataFiles("elsewhere/");
          s3.with(
              Map.of("spark.sql.sources.partitionOverwriteMode", "dynamic"),
              () ->
                  writer("csv", s3.numbers().rows(1_000, 1_100).where("p = '1'"))
                      .mode(SaveMode.Overwrite)
                      .insertInto(table));

          assertThat(s3.dataFiles("elsewhere/")).hasSize(TASKS).doesNotContainAnyElementsOf(old);
          s3.assertNoneCopiedNonePending();
          assertThat(ids(s3.spark().table(table)))
              .isEqualTo(join(even(range(0, 300)), odd(range(1_000, 1_100))));

          writer("csv", s3.numbers().rows(2_000, 2_100)).mode(SaveMode.Overwrite).insertInto(table);

          assertThat(ids(s3.spark().table(table))).isEqualTo(range(2_000, 2_100));
          s3.assertNoneCopiedNonePending();
        });
  }

  @Test
  void aFailedWriteAbortsItsUploadsInPartitionsElsewhereToo() {
    s3.withTable(
        PARTITIONED,
        table -> {
          s3.spark()
              .sql("ALTER TABLE t ADD PARTITION (p = '1') LOCATION '" + s3.s3a("elsewhere") + "'");
          try (RequestRecording recording = s3.gateway().record()) {
            assertThatThrownBy(() -> writer("csv", s3.numbers().failing()).insertInto(table))
                .rootCause()
                .hasMessageContaining("made to fail");

            // Uploads of the tasks that have committed, which only the job can abort.
            assertThat(recording.keys(ABORT_MULTIPART_UPLOAD))
                .anyMatch(key -> key.startsWith("elsewhere/"));
          }
          s3.assertNoneCopiedNonePending();
        });
  }

  @Test
  void otherFileSystemsAreLeftToSparksProtocol() {
    Path local = s3.directory().resolve("not-on-s3");
    String place = local.toUri().toString();
    writer("csv", s3.numbers().rows(0, 300)).partitionBy("p").save(place);
    assertThat(local.resolve("_SUCCESS")).isEmptyFile();

    overwritingDynamically(s3.numbers().rows(1_000, 1_100).where("p = '0'")).save(place);

    assertThat(s3.numbers().read("csv", place))
        .isEqualTo(join(odd(range(0, 300)), even(range(1_000, 1_100))));
    assertThat(s3.requests().total()).isZero();
  }
}
