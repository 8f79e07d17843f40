package io.zerorename.testing.spark;

import static io.zerorename.testing.spark.Numbers.even;
import static io.zerorename.testing.spark.Numbers.join;
import static io.zerorename.testing.spark.Numbers.odd;
import static io.zerorename.testing.spark.Numbers.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;
import org.apache.spark.sql.DataFrameWriter;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import scala.Tuple2;

/** Writes of Spark whose commits break off, and several at one table. */
final class BrokenCommitsTest {
  /** Before each of them all is as it was, or all new files are decided. */
  private static final int FEWEST_REQUESTS = 9;

  @RegisterExtension
  static final SparkOnS3 s3 =
      SparkOnS3.withCommitProtocol(
          "local[2]",
          Map.of(
              "spark.hadoop.fs.s3a.attempts.maximum",
              "1",
              // Hadoop's output formats refuse a directory that exists.
              "spark.hadoop.validateOutputSpecs",
              "false"));

  /** What a write does to the table, and what is in it afterwards beside other rows. */
  private enum Write {
    APPEND,
    OVERWRITE,
    DYNAMIC_OVERWRITE;

    DataFrameWriter<Row> writer() {
      DataFrameWriter<Row> writer =
          table(s3.numbers().rows(1_000, 1_100).where("p = '0'").write())
              .mode(this == APPEND ? SaveMode.Append : SaveMode.Overwrite);
      return this == DYNAMIC_OVERWRITE
          ? writer.option("partitionOverwriteMode", "dynamic")
          : writer;
    }

    List<Long> rows(List<Long> old) {
      List<Long> kept =
          switch (this) {
            case APPEND -> old;
            case OVERWRITE -> List.of();
            case DYNAMIC_OVERWRITE -> odd(old);
          };
      return join(kept, even(range(1_000, 1_100)));
    }
  }

  private static DataFrameWriter<Row> table(DataFrameWriter<Row> writer) {
    return writer.format("csv").partitionBy("p");
  }

  private static void append(long from, long to) {
    table(s3.numbers().rows(from, to).write()).mode(SaveMode.Append).save(s3.s3a("table"));
  }

  private static List<Long> read() {
    return s3.numbers().read("csv", s3.s3a("table"));
  }

  @Tag("thorough")
  @ParameterizedTest
  @EnumSource
  void whereverS3IsLostTheNextWriteFindsAllOldRowsOrAllNewOnes(Write write) {
    int unwritten = 0;
    int written = 0;
    int told = 0;
    for (int broken = 1; told == 0; broken++) {
      s3.reset();
      append(0, 30);
      s3.gateway().faults(FaultRule.fromNth(broken, any -> true, Fault.accessDenied()));
      boolean success = succeeds(write.writer());
      s3.gateway().faults(FaultRule.NONE);

      append(100, 101);

      List<Long> more = List.of(100L);
      List<Long> old = join(range(0, 30), more);
      List<Long> rows = read();
      if (success) {
        told++;
      } else if (rows.equals(old)) {
        unwritten++;
        assertThat(written).as("requests before this one decided").isZero();
        continue;
      }
      written++;
      assertThat(rows)
          .as("%s, from request %s on none is answered", write, broken)
          .isEqualTo(join(write.rows(range(0, 30)), more));
      assertThat(s3.bucket().pendingUploads("")).isEmpty();
    }
    assertThat(unwritten).isPositive();
    assertThat(written).isGreaterThan(told);
    assertThat(unwritten + written).isGreaterThanOrEqualTo(FEWEST_REQUESTS);
    assertThat(s3.requests().copies()).isZero();
  }

  private static boolean succeeds(DataFrameWriter<Row> writer) {
    try {
      writer.save(s3.s3a("table"));
      return true;
    } catch (Exception e) {
      return false;
    }
  }

  /** Spark looks for files, and a write that is decided has none yet. */
  @Test
  void anOverwriteOfANewPathThatIsRunAgainReplacesTheOneThatWasDecided() {
    assertRunAgain(
        () -> s3.numbers().rows(0, 30).write().mode(SaveMode.Overwrite).csv(s3.s3a("new")),
        () -> s3.numbers().read("csv", s3.s3a("new")));
  }

  @Test
  void aWriteThatWantsNothingThereIsRefusedBehindOneThatWasDecided() {
    Runnable write = () -> s3.numbers().rows(0, 30).write().csv(s3.s3a("new"));
    s3.breakBeforeAnythingIsVisible(write);

    assertThatThrownBy(write::run)
        .hasStackTraceContaining("an earlier write was decided before this one began");

    assertThat(s3.numbers().read("csv", s3.s3a("new"))).isEqualTo(range(0, 30));
    s3.assertCommittedByUs("new");
  }

  @Test
  void aWriteThatWantsNothingThereIsNotRefusedBehindOneThatIsCompleteAndLostAnAnswer() {
    s3.gateway().faults(FaultRule.first(1, SparkOnS3.COMPLETE, Fault.loseAnswer()));
    s3.numbers().rows(0, 30).write().csv(s3.s3a("new"));
    s3.gateway().faults(FaultRule.NONE);
    s3.bucket().clear("new/");

    s3.numbers().rows(0, 30).write().csv(s3.s3a("new"));

    assertThat(s3.numbers().read("csv", s3.s3a("new"))).isEqualTo(range(0, 30));
    s3.assertCommittedByUs("new");
  }

  /** It leaves none of its own. */
  @Tag("thorough")
  @Test
  void aDynamicOverwriteWritesTheMarkOfTheWriteThatItCompletes() {
    s3.breakBeforeAnythingIsVisible(
        () -> table(s3.numbers().rows(0, 30).write()).save(s3.s3a("table")));

    Write.DYNAMIC_OVERWRITE.writer().save(s3.s3a("table"));

    assertThat(read()).isEqualTo(Write.DYNAMIC_OVERWRITE.rows(range(0, 30)));
    s3.assertCommittedByUs("table");
  }

  @Tag("thorough")
  @Test
  void anInsertOverwriteOfANewPartitionThatIsRunAgainReplacesTheOneThatWasDecided() {
    withTable(
        () -> {
          append(0, 10);
          s3.spark().sql("MSCK REPAIR TABLE t");
          assertRunAgain(
              () -> s3.spark().sql("INSERT OVERWRITE t PARTITION (p = 'a b') SELECT id FROM some"),
              () -> Numbers.ids(s3.spark().table("t").where("p = 'a b'")));
          assertThat(s3.spark().table("t").count()).isEqualTo(40);
        });
  }

  @Tag("thorough")
  @Test
  void anOverwriteOfAPartitionElsewhereThatIsRunAgainReplacesTheOneThatWasDecided() {
    withTable(
        () -> {
          s3.spark()
              .sql("ALTER TABLE t ADD PARTITION (p = '1') LOCATION '" + s3.s3a("elsewhere") + "'");
          // The directory that the catalog has made: Spark names to a commit protocol what exists.
          s3.bucket().clear("elsewhere");
          assertRunAgain(
              () -> s3.spark().sql("INSERT OVERWRITE t PARTITION (p = '1') SELECT id FROM some"),
              () -> Numbers.ids(s3.spark().table("t")));
          // A recovery would add the files of the first.
          assertThat(s3.bucket().pendingUploads("")).isEmpty();
        });
  }

  /** Each of them executes its insert as a statement of its own. */
  @Tag("thorough")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "CREATE TABLE made USING csv LOCATION 'made' AS SELECT * FROM some",
        "INSERT OVERWRITE DIRECTORY 'made' USING csv SELECT * FROM some"
      })
  void whatIsMadeOfRowsIfItIsRunAgainReplacesTheOneThatWasDecided(String statement) {
    s3.numbers().rows(0, 30).createOrReplaceTempView("some");
    try {
      assertRunAgain(
          () -> s3.spark().sql(statement.replace("'made'", "'" + s3.s3a("made") + "'")),
          () -> s3.numbers().read("csv", s3.s3a("made")));
    } finally {
      s3.spark().sql("DROP TABLE IF EXISTS made");
    }
  }

  private static void withTable(Runnable test) {
    s3.numbers().rows(0, 30).createOrReplaceTempView("some");
    s3.spark()
        .sql(
            "CREATE TABLE t (id BIGINT, p STRING) USING csv PARTITIONED BY (p) LOCATION '"
                + s3.s3a("table")
                + "'");
    try {
      test.run();
    } finally {
      s3.spark().sql("DROP TABLE t");
    }
  }

  private static void assertRunAgain(Runnable write, Supplier<List<Long>> rows) {
    s3.breakBeforeAnythingIsVisible(write);

    write.run();

    assertThat(rows.get()).isEqualTo(range(0, 30));
  }

  @Tag("thorough")
  @Test
  void aJobOfTheMapReduceCommittersCompletesWhatAWriteHasLeft() {
    append(0, 30);
    s3.gateway().faults(FaultRule.fromNth(2, SparkOnS3.COMPLETE, Fault.accessDenied()));
    assertThatThrownBy(() -> Write.OVERWRITE.writer().save(s3.s3a("table")))
        .hasStackTraceContaining("zerorename recover");
    s3.gateway().faults(FaultRule.NONE);

    saveLineByMapReduce();

    assertThat(s3.lines("table/")).containsAll(List.of("1000", "1098", "line"));
    assertThat(s3.lines("table/")).hasSize(51);
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
  }

  @Test
  void aWriteCompletesWhatAJobOfTheMapReduceCommittersHasLeft() {
    append(0, 30);
    s3.breakBeforeAnythingIsVisible(BrokenCommitsTest::saveLineByMapReduce);
    assertThat(s3.lines("table/")).doesNotContain("line");

    append(100, 101);

    assertThat(s3.lines("table/")).hasSize(32).contains("line", "100");
  }

  private static void saveLineByMapReduce() {
    s3.context().hadoopConfiguration().set("zerorename.conflict.mode", "append");
    s3.context().hadoopConfiguration().set("mapreduce.output.basename", "part-of-rdd");
    try {
      s3.context()
          .parallelize(List.of("line"), 1)
          .mapToPair(it -> new Tuple2<>(NullWritable.get(), new Text(it)))
          .saveAsNewAPIHadoopFile(
              s3.s3a("table"), NullWritable.class, Text.class, TextOutputFormat.class);
    } finally {
      s3.context().hadoopConfiguration().unset("zerorename.conflict.mode");
      s3.context().hadoopConfiguration().unset("mapreduce.output.basename");
    }
  }

  /** Each reads nothing, so that either order is right. Of three, one may wait for five minutes. */
  @Test
  void overwritesAtOneTimeEndAsOneOfThem() throws Exception {
    append(0, 30);
    ExecutorService writers = Executors.newFixedThreadPool(2);
    try {
      List<Future<?>> writes =
          Stream.of(1, 2)
              .<Future<?>>map(
                  it ->
                      writers.submit(
                          () ->
                              table(s3.numbers().rows(it * 100L, it * 100L + 30).write())
                                  .mode(SaveMode.Overwrite)
                                  .save(s3.s3a("table"))))
              .toList();
      for (Future<?> write : writes) {
        write.get();
      }
    } finally {
      writers.shutdown();
    }
    assertThat(List.of(range(100, 130), range(200, 230))).contains(read());
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
  }
}
