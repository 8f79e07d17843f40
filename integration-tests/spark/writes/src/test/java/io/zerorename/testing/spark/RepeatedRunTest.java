package io.zerorename.testing.spark;

import static io.zerorename.testing.s3server.RequestType.ABORT_MULTIPART_UPLOAD;
import static io.zerorename.testing.s3server.RequestType.CREATE_MULTIPART_UPLOAD;
import static io.zerorename.testing.s3server.RequestType.LIST_OBJECTS_V2;
import static io.zerorename.testing.s3server.RequestType.PUT_OBJECT;
import static io.zerorename.testing.spark.Numbers.TASKS;
import static io.zerorename.testing.spark.Numbers.join;
import static io.zerorename.testing.spark.Numbers.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.HeldRequests;
import io.zerorename.testing.s3server.JobRequests;
import io.zerorename.testing.s3server.RequestType;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.spark.sql.DataFrameWriter;
import org.apache.spark.sql.Observation;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Writes of sessions that name their run, and those that repeat them. RepeatedSubmitTest kills the
 * first of them at each request, and has two repeat it at once.
 */
final class RepeatedRunTest {
  private static final String RUN = "zerorename.run.id";

  @RegisterExtension
  static final SparkOnS3 s3 =
      SparkOnS3.withCommitProtocol("local[2]", Map.of("spark.hadoop.fs.s3a.attempts.maximum", "1"));

  private static SparkSession session(String run) {
    return LineServer.session(s3.spark(), List.of(RUN + "=" + run));
  }

  private static DataFrameWriter<Row> writer(SparkSession session, long from, long to) {
    return new Numbers(session).rows(from, to).write().format("csv").partitionBy("p");
  }

  private static void append(SparkSession session, long from, long to) {
    writer(session, from, to).mode("append").save(s3.s3a("table"));
  }

  private static List<Long> read() {
    return s3.numbers().read("csv", s3.s3a("table"));
  }

  /** Its tasks would fail. */
  @Test
  void ofARunThatIsCompleteNoTaskRunsAgain() {
    append(session("night"), 0, 30);
    List<String> files = s3.dataFiles("table/");
    s3.countFromHere();

    appendFailing(session("night"));

    assertThat(s3.dataFiles("table/")).isEqualTo(files);
    assertThat(read()).isEqualTo(range(0, 30));
    assertThat(s3.requests().of(CREATE_MULTIPART_UPLOAD)).isZero();
    s3.assertNoneCopiedNonePending();
    append(session("next night"), 30, 40);
    assertThat(read()).isEqualTo(range(0, 40));
  }

  private static void appendFailing(SparkSession session) {
    new Numbers(session)
        .failing()
        .write()
        .format("csv")
        .partitionBy("p")
        .mode("append")
        .save(s3.s3a("table"));
  }

  /** Its files cannot be known to be those of the run. */
  @Test
  void aLogThatIsDeletedBeforeTheCommitMakesItFail() throws Exception {
    append(session("night"), 0, 30);
    HeldRequests begin = new HeldRequests(1, it -> it.type() == PUT_OBJECT);
    s3.gateway().faults(begin);

    CompletableFuture<Void> write = SparkOnS3.inBackground(() -> append(session("night"), 0, 30));
    begin.awaitFirst();
    s3.bucket().clear("_zerorename");
    begin.pass();

    assertThatThrownBy(write::join).hasStackTraceContaining("ZR-7138");
    assertThat(read()).isEqualTo(range(0, 30));
    s3.assertNoneCopiedNonePending();
  }

  /** Its commit looks again. */
  @Test
  void whereTheLogCannotBeReadBeforeItsTasksTheyRun() {
    append(session("night"), 0, 30);
    s3.gateway()
        .faults(
            FaultRule.nth(
                1,
                it ->
                    it.type() == LIST_OBJECTS_V2
                        && it.prefix().orElse("").startsWith("_zerorename"),
                Fault.accessDenied()));

    s3.countFromHere();
    append(session("night"), 0, 30);

    assertThat(read()).isEqualTo(range(0, 30));
    assertThat(s3.requests().of(CREATE_MULTIPART_UPLOAD))
        .isEqualTo(s3.dataFiles("table/").size())
        .isEqualTo(s3.requests().of(ABORT_MULTIPART_UPLOAD));
    s3.assertNoneCopiedNonePending();
  }

  /** Who waits for the number would wait for ever. */
  @Test
  void whatIsObservedOfTheRowsIsObservedAgain() throws Exception {
    for (int attempt = 0; attempt < 2; attempt++) {
      Observation observed = new Observation("rows");
      new Numbers(session("night"))
          .rows(0, 30)
          .observe(observed, functions.count(functions.lit(1)).as("n"))
          .write()
          .mode("append")
          .parquet(s3.s3a("table"));
      assertThat(CompletableFuture.supplyAsync(() -> observation(observed)))
          .succeedsWithin(Duration.ofMinutes(1))
          .isEqualTo(Map.of("n", 30L));
    }
    assertThat(s3.spark().read().parquet(s3.s3a("table")).count()).isEqualTo(30);
  }

  private static Map<String, Object> observation(Observation observed) {
    try {
      return observed.getAsJava();
    } catch (Exception e) {
      // Scala declares no checked exception, and throws one.
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aPartitionColumnOfAnOddNameIsRegistered() {
    s3.withTable(
        "(id BIGINT, `p:q` STRING, r STRING) USING csv PARTITIONED BY (`p:q`, r)",
        t -> {
          String insert =
              "INSERT INTO t SELECT id, CAST(id % 2 AS STRING), 'a/b' FROM range(0, 30)";
          s3.breakBeforeAnythingIsVisible(() -> session("night").sql(insert));

          session("night").sql(insert);

          assertThat(Numbers.ids(s3.spark().table(t))).isEqualTo(range(0, 30));
        });
  }

  /** Spark fills it by an overwrite, which is no run. */
  @Test
  void aTableThatIsMadeByAnAppendIsMadeBefore() {
    Runnable append =
        () ->
            writer(session("night"), 0, 30)
                .mode("append")
                .option("path", s3.s3a("t"))
                .saveAsTable("t");

    assertThatThrownBy(append::run).hasStackTraceContaining("ZR-7140");
    assertThat(s3.dataFiles("t/")).isEmpty();
    s3.withTable(
        "(id BIGINT, p STRING) USING csv PARTITIONED BY (p)",
        t -> {
          append.run();
          append.run();
          assertThat(Numbers.ids(s3.spark().table(t))).isEqualTo(range(0, 30));
        });
  }

  /** Spark 4 executes them at once, and then they could not be told apart. */
  @Test
  void severalInsertsOfOneStatementAreEachWrittenOrRefused() {
    s3.withTable(
        "(id BIGINT, p STRING) USING csv PARTITIONED BY (p)",
        t -> {
          Runnable insert =
              () ->
                  session("night")
                      .sql(
                          "FROM (SELECT id FROM range(0, 20))"
                              + " INSERT INTO t PARTITION (p = 'a') SELECT id WHERE id < 10"
                              + " INSERT INTO t PARTITION (p = 'b') SELECT id WHERE id >= 10");
          if (s3.spark().version().startsWith("3.")) {
            insert.run();
            insert.run();
            assertThat(Numbers.ids(s3.spark().table(t))).isEqualTo(range(0, 20));
          } else {
            assertThatThrownBy(insert::run).hasStackTraceContaining("ZR-7139");
            assertThat(s3.dataFiles("t/")).isEmpty();
          }
        });
  }

  @Test
  void theFirstWriteOfARunTakesOneListMore() {
    append(s3.spark(), 0, 30);
    s3.countFromHere();

    new Numbers(session("night")).rows(30, 60).write().mode("append").parquet(s3.s3a("table"));

    Map<RequestType, Long> expected = new EnumMap<>(JobRequests.SPARK.andFiles(TASKS));
    expected.merge(LIST_OBJECTS_V2, 1L, Long::sum);
    assertThat(s3.requests().byType()).isEqualTo(expected);
  }

  /** Its repetition replaces its rows. */
  @ParameterizedTest
  @ValueSource(strings = {"static", "dynamic"})
  void anOverwriteIsRunEachTime(String mode) {
    append(s3.spark(), 0, 30);

    for (int from : List.of(100, 200)) {
      writer(session("night"), from, from + 10)
          .mode("overwrite")
          .option("partitionOverwriteMode", mode)
          .save(s3.s3a("table"));
      assertThat(read()).isEqualTo(range(from, from + 10));
    }
    append(session("night"), 300, 310);
    append(session("night"), 300, 310);

    assertThat(read()).isEqualTo(join(range(200, 210), range(300, 310)));
  }

  @Test
  void eachOfSeveralTablesAndPartitionsIsWrittenOnce() {
    s3.withTable(
        "(id BIGINT, p STRING) USING csv PARTITIONED BY (p)",
        t -> {
          SparkSession session = LineServer.session(s3.spark(), List.of());
          session.sql("SET " + RUN + "=night");
          for (int attempt = 0; attempt < 2; attempt++) {
            session.sql("INSERT INTO t PARTITION (p = 'a') VALUES (1)");
            session.sql("INSERT INTO t PARTITION (p = 'b') VALUES (2)");
            append(session, 0, 10);
          }
          assertThat(Numbers.ids(session.table(t))).isEqualTo(List.of(1L, 2L));
          assertThat(read()).isEqualTo(range(0, 10));
        });
  }

  /** No other write would complete it. */
  @Test
  void aPartitionElsewhereIsWrittenOnce() {
    s3.withTable(
        "(id BIGINT, p STRING) USING csv PARTITIONED BY (p)",
        t -> {
          s3.spark()
              .sql("ALTER TABLE t ADD PARTITION (p = '1') LOCATION '" + s3.s3a("elsewhere") + "'");
          String insert = "INSERT INTO t SELECT id, CAST(id % 2 AS STRING) FROM range(0, 30)";
          s3.breakBeforeAnythingIsVisible(() -> session("night").sql(insert));

          session("night").sql(insert);

          assertThat(s3.dataFiles("elsewhere/")).isNotEmpty();
          assertThat(Numbers.ids(s3.spark().table(t))).isEqualTo(range(0, 30));
          s3.assertNoneCopiedNonePending();
        });
  }

  @Test
  void oneThatCannotBeCompletedIsNotTakenForWritten() {
    s3.breakBeforeAnythingIsVisible(() -> append(session("night"), 0, 30));
    s3.gateway().faults(FaultRule.always(SparkOnS3.COMPLETE, Fault.accessDenied()));
    int pending = s3.bucket().pendingUploads("").size();
    assertThat(pending).isPositive();

    assertThatThrownBy(() -> append(session("night"), 0, 30)).hasStackTraceContaining("ZR-1137");
    assertThat(s3.bucket().pendingUploads("")).hasSize(pending);
    s3.gateway().faults(FaultRule.NONE);

    append(session("night"), 0, 30);
    assertThat(read()).isEqualTo(range(0, 30));
    s3.assertNoneCopiedNonePending();
  }

  @Test
  void anIdThatIsAnOptionIsRefused() {
    assertRefused(
        () -> writer(s3.spark(), 0, 30).option(RUN, "night").mode("append").save(s3.s3a("table")));
    assertRefused(
        () ->
            writer(s3.spark(), 0, 30)
                .option(RUN, "night")
                .option("path", s3.s3a("table"))
                .saveAsTable("made"));
    assertThat(s3.spark().catalog().tableExists("made")).isFalse();
    s3.withTable(
        "(id BIGINT) USING csv OPTIONS ('" + RUN + "' 'night')",
        t -> assertRefused(() -> s3.spark().sql("INSERT INTO t VALUES (1)")));
    assertThat(s3.dataFiles("")).isEmpty();
  }

  private static void assertRefused(Runnable write) {
    assertThatThrownBy(write::run).hasStackTraceContaining("ZR-7136");
  }

  /** As where no scheduler has set it. */
  @ParameterizedTest
  @ValueSource(strings = {"", " ", "${run_of_scheduler}"})
  void anIdThatIsNotSetCountsAsNone(String none) {
    append(session(none), 0, 10);
    append(session(none), 0, 10);

    assertThat(read()).isEqualTo(join(range(0, 10), range(0, 10)));
  }
}
