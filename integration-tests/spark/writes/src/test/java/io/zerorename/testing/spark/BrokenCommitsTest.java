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
import org.apache.spark.sql.SaveMode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Writes of Spark whose commits break off, and what is run behind them. */
final class BrokenCommitsTest {
  /** Of an overwrite, of which the first decide nothing. */
  private static final int FEWEST_REQUESTS = 9;

  @RegisterExtension
  static final SparkOnS3 s3 =
      SparkOnS3.withCommitProtocol("local[2]", Map.of("spark.hadoop.fs.s3a.attempts.maximum", "1"));

  private static void append(long from, long to) {
    s3.numbers().rows(from, to).write().partitionBy("p").mode(SaveMode.Append).csv(s3.s3a("table"));
  }

  /** Of the even rows, which are those of one partition. */
  private static boolean overwrites(String mode) {
    try {
      s3.numbers()
          .rows(1_000, 1_100)
          .where("p = '0'")
          .write()
          .partitionBy("p")
          .mode(SaveMode.Overwrite)
          .option("partitionOverwriteMode", mode)
          .csv(s3.s3a("table"));
      return true;
    } catch (Exception e) {
      // Spark's own exceptions are not declared.
      return false;
    }
  }

  /** The request has its effect, and from there on none is answered. */
  @Tag("thorough")
  @ParameterizedTest
  @ValueSource(strings = {"static", "dynamic"})
  void whereverS3IsLostTheNextWriteFindsAllOldRowsOrAllNewOnes(String mode) {
    List<Long> old = join(range(0, 30), List.of(100L));
    List<Long> kept =
        mode.equals("static") ? List.of(100L) : join(odd(range(0, 30)), List.of(100L));
    int unwritten = 0;
    int written = 0;
    for (boolean success = false; !success; ) {
      s3.reset();
      append(0, 30);
      int broken = unwritten + written + 1;
      s3.gateway()
          .faults(
              FaultRule.nth(broken, any -> true, Fault.loseAnswer())
                  .or(FaultRule.fromNth(broken + 1, any -> true, Fault.accessDenied())));
      success = overwrites(mode);
      s3.gateway().faults(FaultRule.NONE);

      append(100, 101);

      List<Long> rows = s3.numbers().read("csv", s3.s3a("table"));
      if (!success && rows.equals(old)) {
        unwritten++;
        assertThat(written).as("requests before this one decided").isZero();
        continue;
      }
      written++;
      assertThat(rows)
          .as("%s, behind request %s none is answered", mode, broken)
          .isEqualTo(join(kept, even(range(1_000, 1_100))));
      assertThat(s3.bucket().pendingUploads("")).isEmpty();
    }
    assertThat(unwritten).isPositive();
    assertThat(written).isGreaterThan(1);
    assertThat(unwritten + written).isGreaterThanOrEqualTo(FEWEST_REQUESTS);
    assertThat(s3.requests().copies()).isZero();
  }

  /** Spark looks for files, and a write that is decided has none yet. */
  @Test
  void anOverwriteOfANewPathThatIsRunAgainReplacesTheOneThatWasDecided() {
    Runnable write =
        () -> s3.numbers().rows(0, 30).write().mode(SaveMode.Overwrite).csv(s3.s3a("new"));
    s3.breakBeforeAnythingIsVisible(write);

    write.run();

    assertThat(s3.numbers().read("csv", s3.s3a("new"))).isEqualTo(range(0, 30));
  }

  /** Some of them execute their insert as a statement of its own. */
  @Tag("thorough")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "INSERT OVERWRITE t PARTITION (p = 'a b') SELECT id FROM some",
        "INSERT OVERWRITE t PARTITION (p = '1') SELECT id FROM some",
        "CREATE TABLE made USING csv LOCATION 's3a://data/made' AS SELECT * FROM some",
        "INSERT OVERWRITE DIRECTORY 's3a://data/made' USING csv SELECT * FROM some"
      })
  void aStatementThatIsRunAgainReplacesTheOneThatWasDecided(String statement) {
    s3.numbers().rows(0, 30).createOrReplaceTempView("some");
    s3.withTable(
        "(id BIGINT, p STRING) USING csv PARTITIONED BY (p)",
        t -> {
          s3.spark()
              .sql("ALTER TABLE t ADD PARTITION (p = '1') LOCATION '" + s3.s3a("elsewhere") + "'");
          // The directory that the catalog has made: Spark names to a commit protocol what exists.
          s3.bucket().clear("elsewhere");
          s3.breakBeforeAnythingIsVisible(() -> s3.spark().sql(statement));

          s3.spark().sql(statement);

          assertThat(
                  statement.contains("made")
                      ? s3.numbers().read("csv", s3.s3a("made"))
                      : Numbers.ids(s3.spark().table(t)))
              .isEqualTo(range(0, 30));
          // A recovery would add the files of the first.
          assertThat(s3.bucket().pendingUploads("")).isEmpty();
          s3.spark().sql("DROP TABLE IF EXISTS made");
        });
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
}
