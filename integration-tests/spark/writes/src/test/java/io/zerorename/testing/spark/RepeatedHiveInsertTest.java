package io.zerorename.testing.spark;

import static io.zerorename.testing.spark.Numbers.ids;
import static io.zerorename.testing.spark.Numbers.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.testing.s3server.FaultRule;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Statements that write to Hive's tables in a session that names its run. */
@Tag(SparkOnS3.HIVE_TABLES)
final class RepeatedHiveInsertTest {
  private static final String ROWS = "SELECT id, CAST(id % 2 AS STRING) FROM range(0, 30)";

  /** An INSERT INTO, which keeps Spark's own plan where the catalog is not told of partitions. */
  private static final String INSERT = "INSERT INTO t PARTITION (p) " + ROWS;

  private static final String STAGING = "spark.sql.hive.manageFilesourcePartitions=false";

  @RegisterExtension
  static final SparkOnS3 s3 =
      SparkOnS3.withHive(Map.of("spark.hadoop.fs.s3a.attempts.maximum", "1"));

  @BeforeEach
  void create() {
    s3.spark()
        .sql(
            "CREATE TABLE t (id BIGINT) PARTITIONED BY (p STRING) STORED AS TEXTFILE LOCATION '"
                + s3.s3a("t")
                + "'");
  }

  @AfterEach
  void drop() {
    s3.gateway().faults(FaultRule.NONE);
    s3.spark().sql("DROP TABLE IF EXISTS made");
    s3.spark().sql("DROP TABLE t");
  }

  private static SparkSession night(String... more) {
    SparkSession session = LineServer.session(s3.spark(), List.of(more));
    session.conf().set("zerorename.run.id", "night");
    return session;
  }

  private static List<Long> rows() {
    return ids(s3.spark().sql("SELECT id FROM t"));
  }

  /** The first has died before it told the metastore of them. */
  @Test
  void anInsertThatIsRepeatedHasItsRowsOnceAndItsPartitions() {
    s3.breakBeforeAnythingIsVisible(() -> night().sql(INSERT));
    assertThat(s3.spark().sql("SHOW PARTITIONS t").count()).isZero();

    night().sql(INSERT);
    night().sql(INSERT);

    assertThat(rows()).isEqualTo(range(0, 30));
    assertThat(s3.spark().sql("SHOW PARTITIONS t").count()).isEqualTo(2);
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
  }

  /** The first has died before it gave the partition the table's format. */
  @Test
  void aPartitionInAnOldFormatIsReadAfterARepetition() {
    String insert = "INSERT INTO t PARTITION (p = 'x') SELECT id FROM range(0, 30)";
    s3.spark().sql("ALTER TABLE t ADD PARTITION (p = 'x')");
    s3.spark()
        .sql(
            "ALTER TABLE t SET SERDEPROPERTIES ('field.delim' = '|', 'serialization.format' = '|')");
    s3.breakBeforeAnythingIsVisible(() -> night().sql(insert));

    night().sql(insert);

    assertThat(s3.spark().sql("DESCRIBE EXTENDED t PARTITION (p = 'x')").collectAsList().toString())
        .contains("field.delim=|");
    assertThat(rows()).isEqualTo(range(0, 30));
  }

  @Test
  void anInsertThatHivesClientMovesIsRefusedAndAnOverwriteIsRun() {
    assertThatThrownBy(() -> night(STAGING).sql(INSERT)).hasStackTraceContaining("ZR-7135");

    assertThat(s3.dataFiles("t/")).isEmpty();
    s3.assertNoneCopiedNonePending();
    for (int attempt = 0; attempt < 2; attempt++) {
      night(STAGING).sql(INSERT.replace("INTO t", "OVERWRITE TABLE t"));
    }
    assertThat(rows()).isEqualTo(range(0, 30));
  }

  /** What fills a new table is no run, and so not the one of the statement behind it. */
  @Test
  void anInsertIntoATableThatTheSameRunHasMadeIsWritten() {
    night()
        .sql(
            "CREATE TABLE made STORED AS TEXTFILE LOCATION '"
                + s3.s3a("made")
                + "' AS SELECT id FROM range(0, 10)");
    for (int attempt = 0; attempt < 2; attempt++) {
      night().sql("INSERT INTO made SELECT id FROM range(10, 20)");
    }
    assertThat(ids(s3.spark().table("made"))).isEqualTo(range(0, 20));
  }
}
