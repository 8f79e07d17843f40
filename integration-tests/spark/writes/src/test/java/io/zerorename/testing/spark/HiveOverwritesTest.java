package io.zerorename.testing.spark;

import static io.zerorename.testing.s3server.RequestType.COMPLETE_MULTIPART_UPLOAD;
import static io.zerorename.testing.spark.Numbers.ids;
import static io.zerorename.testing.spark.Numbers.join;
import static io.zerorename.testing.spark.Numbers.range;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What statements that write to Hive's tables replace, and what they replace when run again. */
@Tag(SparkOnS3.HIVE_TABLES)
final class HiveOverwritesTest {
  private static SparkOnS3 s3;

  @BeforeAll
  static void start() throws IOException {
    s3 = SparkOnS3.startWithHive(Map.of("spark.hadoop.fs.s3a.attempts.maximum", "1"));
    new Numbers(s3.spark()).rows(0, 30).createOrReplaceTempView("some");
  }

  @AfterAll
  static void stop() throws IOException {
    s3.close();
  }

  @BeforeEach
  void reset() {
    s3.reset();
  }

  @AfterEach
  void drop() {
    s3.gateway().faults(FaultRule.NONE);
    sql("DROP TABLE IF EXISTS t");
  }

  private static Dataset<Row> sql(String statement) {
    return s3.spark().sql(statement);
  }

  private static List<Long> rows() {
    return ids(sql("SELECT id FROM t"));
  }

  private static String at(String key) {
    return " LOCATION '" + s3.s3a(key) + "' ";
  }

  private static void breakBeforeAnythingIsVisible(String statement) {
    s3.gateway()
        .faults(
            FaultRule.always(it -> it.type() == COMPLETE_MULTIPART_UPLOAD, Fault.accessDenied()));
    s3.uploading(
        () ->
            assertThatThrownBy(() -> sql(statement)).hasStackTraceContaining("zerorename recover"));
    s3.gateway().faults(FaultRule.NONE);
  }

  /** Spark makes the table, and executes an INSERT INTO; it converts Parquet to its own. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "STORED AS TEXTFILE",
        "STORED AS PARQUET",
        "PARTITIONED BY (p) STORED AS TEXTFILE"
      })
  void aTableMadeOfRowsThatIsRunAgainReplacesTheOneThatWasDecided(String format) {
    String create = "CREATE TABLE t " + format + at("made") + "AS SELECT id, p FROM some";
    breakBeforeAnythingIsVisible(create);

    sql(create);

    assertThat(rows()).isEqualTo(range(0, 30));
    s3.assertNoneCopiedNonePending();
    sql("INSERT INTO t " + (format.contains("BY") ? "PARTITION (p) " : "") + "SELECT * FROM t");
    assertThat(rows()).isEqualTo(join(range(0, 30), range(0, 30)));
  }

  /** As with Spark alone; it refuses such a place only without IF NOT EXISTS. */
  @Test
  void aTableThatIsMadeWhereFilesAreKeepsThem() {
    s3.bucket().write("made/old", "100".getBytes(UTF_8));

    sql("CREATE TABLE IF NOT EXISTS t STORED AS TEXTFILE" + at("made") + "AS SELECT id FROM some");

    assertThat(rows()).isEqualTo(join(range(0, 30), List.of(100L)));
  }

  /** Its rows would be there twice if it were added to them. */
  @Test
  void aTableIsNotMadeWhereFilesAreAndAWriteIsNotComplete() {
    String create =
        "CREATE TABLE IF NOT EXISTS t STORED AS TEXTFILE" + at("made") + "AS SELECT id FROM some";
    s3.bucket().write("made/old", "100".getBytes(UTF_8));
    breakBeforeAnythingIsVisible(create);

    assertThatThrownBy(() -> sql(create)).hasStackTraceContaining("ZR-7101");

    assertThat(s3.lines("made/")).hasSize(31);
  }

  private static void createPartitionElsewhere() {
    sql("CREATE TABLE t (id BIGINT) PARTITIONED BY (p INT) STORED AS TEXTFILE" + at("t"));
    sql("ALTER TABLE t ADD PARTITION (p = 1)" + at("elsewhere"));
    // The directory that the metastore has made: Spark names to a commit protocol what exists.
    s3.bucket().clear("elsewhere");
  }

  @Test
  void anOverwriteOfAPartitionElsewhereLeavesWhatIsAtItsDefaultPath() {
    createPartitionElsewhere();
    s3.bucket().write("t/p=1/old", "100".getBytes(UTF_8));
    sql("INSERT OVERWRITE TABLE t PARTITION (p = 1) SELECT id FROM some");
    List<String> old = s3.dataFiles("elsewhere/");
    assertThat(old).isNotEmpty();

    sql("INSERT OVERWRITE TABLE t PARTITION (p = 1) SELECT id FROM some WHERE id < 7");

    assertThat(s3.bucket().files("t/p=1/")).containsExactly("t/p=1/old");
    assertThat(s3.dataFiles("elsewhere/")).isNotEmpty().doesNotContainAnyElementsOf(old);
    assertThat(rows()).isEqualTo(range(0, 7));
    s3.assertNoneCopiedNonePending();
  }

  @Test
  void anOverwriteOfAPartitionElsewhereThatIsRunAgainReplacesTheOneThatWasDecided() {
    createPartitionElsewhere();
    String overwrite = "INSERT OVERWRITE TABLE t PARTITION (p = 1) SELECT id FROM some";
    breakBeforeAnythingIsVisible(overwrite);

    sql(overwrite);

    assertThat(rows()).isEqualTo(range(0, 30));
    s3.assertNoneCopiedNonePending();
  }

  /** Spark alone has Hive's client move old files there, unless the table is purged. */
  @ParameterizedTest
  @CsvSource({
    "INSERT OVERWRITE TABLE t SELECT 1, fs.trash.interval=0.5, InsertIntoHiveTable",
    "INSERT INTO t SELECT 1, fs.trash.interval=60, InsertIntoHadoopFsRelation",
    "INSERT OVERWRITE TABLE purged SELECT 1, fs.trash.interval=60, InsertIntoHadoopFsRelation",
    "INSERT OVERWRITE TABLE t SELECT 1, fs.trash.interval=60 zerorename.hive.trash=delete,"
        + " InsertIntoHadoopFsRelation",
    "INSERT OVERWRITE TABLE t SELECT 1,"
        + " fs.trash.interval=60 zerorename.bucket.data.hive.trash=delete,"
        + " InsertIntoHadoopFsRelation",
  })
  void anOverwriteKeepsSparksPlanWhereOldFilesGoToTrash(
      String statement, String settings, String command) {
    sql("CREATE TABLE t (id INT) STORED AS TEXTFILE" + at("t"));
    sql(
        "CREATE TABLE IF NOT EXISTS purged (id INT) STORED AS TEXTFILE"
            + at("purged")
            + "TBLPROPERTIES ('auto.purge' = 'True')");
    List<String[]> keys = Stream.of(settings.split(" ")).map(it -> it.split("=")).toList();
    keys.forEach(it -> s3.spark().conf().set(it[0], it[1]));
    try {
      assertThat(sql("EXPLAIN " + statement).first().getString(0)).contains(command);
    } finally {
      keys.forEach(it -> s3.spark().conf().unset(it[0]));
    }
  }
}
