package io.zerorename.testing.spark;

import static io.zerorename.testing.s3server.RequestType.COPY_OBJECT;
import static io.zerorename.testing.s3server.RequestType.LIST_OBJECTS_V2;
import static io.zerorename.testing.s3server.RequestType.PUT_OBJECT;
import static io.zerorename.testing.spark.Numbers.ids;
import static io.zerorename.testing.spark.Numbers.join;
import static io.zerorename.testing.spark.Numbers.range;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.testing.process.Await;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.HeldRequests;
import io.zerorename.testing.s3server.RequestRecording;
import io.zerorename.testing.s3server.S3Request;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What statements that write to Hive's tables replace, and what they replace when run again. */
@Tag(SparkOnS3.HIVE_TABLES)
final class HiveOverwritesTest {
  @RegisterExtension
  static final SparkOnS3 s3 =
      SparkOnS3.withHive(
          Map.of(
              "spark.hadoop.fs.s3a.attempts.maximum", "1",
              "spark.hadoop.zerorename.retry.time", "2"));

  @BeforeAll
  static void prepare() throws IOException {
    s3.numbers().rows(0, 30).createOrReplaceTempView("some");
  }

  @AfterEach
  void drop() {
    s3.gateway().faults(FaultRule.NONE);
    sql("DROP TABLE IF EXISTS t");
    sql("DROP TABLE IF EXISTS managed.m");
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
    s3.breakBeforeAnythingIsVisible(() -> sql(statement));
  }

  /** Spark makes the table, and executes an INSERT INTO. */
  @Tag("thorough")
  @ParameterizedTest
  @ValueSource(strings = {"STORED AS TEXTFILE", "PARTITIONED BY (p) STORED AS TEXTFILE"})
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

  /** The interrupted one is replaced, and what is at the default path stays. */
  @Test
  void anOverwriteOfAPartitionElsewhereReplacesWhatIsThere() {
    sql("CREATE TABLE t (id BIGINT) PARTITIONED BY (p INT) STORED AS TEXTFILE" + at("t"));
    sql("ALTER TABLE t ADD PARTITION (p = 1)" + at("elsewhere"));
    // The directory that the metastore has made: Spark names to a commit protocol what exists.
    s3.bucket().clear("elsewhere");
    s3.bucket().write("t/p=1/old", "100".getBytes(UTF_8));
    String overwrite = "INSERT OVERWRITE TABLE t PARTITION (p = 1) SELECT id FROM some";
    breakBeforeAnythingIsVisible(overwrite);

    sql(overwrite);
    assertThat(rows()).isEqualTo(range(0, 30));
    s3.assertNoneCopiedNonePending();

    sql(overwrite + " WHERE id < 7");
    assertThat(rows()).isEqualTo(range(0, 7));
    assertThat(s3.bucket().files("t/p=1/")).containsExactly("t/p=1/old");
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
    Map<String, String> keys = new HashMap<>();
    Stream.of(settings.split(" ")).map(it -> it.split("=")).forEach(it -> keys.put(it[0], it[1]));
    s3.with(
        keys, () -> assertThat(sql("EXPLAIN " + statement).first().getString(0)).contains(command));
  }

  private static final String TEXT = "(id BIGINT, p STRING) STORED AS TEXTFILE";
  private static final String CSV = "(id BIGINT, p STRING) USING csv";
  private static final String TEXT_BY_P =
      "(id BIGINT) PARTITIONED BY (p STRING) STORED AS TEXTFILE";

  /** Spark removes the files of a table that it manages. */
  private static void createManaged(String columns) {
    sql("CREATE DATABASE IF NOT EXISTS managed" + at("managed"));
    sql("CREATE TABLE managed.m " + columns);
  }

  private static List<Long> managedRows() {
    return ids(sql("SELECT id FROM managed.m"));
  }

  static Stream<Arguments> removing() {
    return Stream.of(
        Arguments.of(TEXT, "TRUNCATE TABLE managed.m"),
        Arguments.of(
            TEXT_BY_P,
            "INSERT OVERWRITE TABLE managed.m PARTITION (p) SELECT 100L, 'x' FROM some LIMIT 1"),
        Arguments.of(TEXT_BY_P, "ALTER TABLE managed.m DROP PARTITION (p = 'x')"),
        Arguments.of(TEXT, "LOAD DATA INPATH 's3a://data/in' OVERWRITE INTO TABLE managed.m"),
        Arguments.of(CSV, "DROP TABLE managed.m"));
  }

  /** Hive's client moves the files of an overwrite to Trash, so that it keeps Spark's own plan. */
  @ParameterizedTest
  @MethodSource("removing")
  void whatSparkItselfRemovesStaysAwayWhenAnInterruptedInsertIsRunAgain(
      String columns, String statement) {
    createManaged(columns);
    boolean partitioned = columns.contains("PARTITIONED");
    if (partitioned) {
      sql("ALTER TABLE managed.m ADD PARTITION (p = 'x')");
    }
    s3.bucket().write("in/file", "100\u0001loaded".getBytes(UTF_8));
    String insert =
        partitioned
            ? "INSERT INTO managed.m PARTITION (p = 'x') SELECT id FROM some"
            : "INSERT INTO managed.m SELECT id, p FROM some";
    breakBeforeAnythingIsVisible(insert);

    withTrash(statement);
    if (statement.startsWith("DROP")) {
      createManaged(columns);
    }
    sql(insert);

    List<Long> others =
        statement.contains("LOAD") || statement.contains("100") ? List.of(100L) : List.of();
    assertThat(managedRows()).isEqualTo(join(range(0, 30), others));
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
  }

  /** Hive's client moves the files of an overwrite then, whose old ones go to Trash. */
  private static void withTrash(String statement) {
    s3.with(Map.of("fs.trash.interval", "60"), () -> sql(statement));
  }

  /** They would move its files, or look like a program that does not use the log. */
  @Test
  void whatSparkItselfAddsIsPrecededByTheRestOfAnInterruptedInsert() {
    createManaged(TEXT);
    breakBeforeAnythingIsVisible("INSERT INTO managed.m SELECT id, p FROM some");
    s3.bucket().write("in/file", "100\u0001loaded".getBytes(UTF_8));

    sql("LOAD DATA INPATH '" + s3.s3a("in") + "' INTO TABLE managed.m");

    assertThat(managedRows()).isEqualTo(join(range(0, 30), List.of(100L)));
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
  }

  /** All rows are staged, and nothing of the table is deleted. */
  @Tag("thorough")
  @Test
  void anOverwriteOfSparksOwnPlanThatChangesNothingRemovesNothing() {
    sql("CREATE TABLE t (id BIGINT) PARTITIONED BY (p STRING) STORED AS TEXTFILE" + at("t"));
    breakBeforeAnythingIsVisible("INSERT INTO t SELECT id, p FROM some");

    String overwrite = "INSERT OVERWRITE TABLE t SELECT id, '' || id FROM some";
    s3.with(
        Map.of("hive.exec.max.dynamic.partitions", "1"),
        () ->
            assertThatThrownBy(() -> withTrash(overwrite))
                .hasStackTraceContaining("hive.exec.max.dynamic.partitions"));
    sql("MSCK REPAIR TABLE t");

    assertThat(rows()).isEqualTo(range(0, 30));
  }

  /** What it replaces could not go to Trash as a whole. */
  @Test
  void anOverwriteOfSparksOwnPlanIsNotRunWhereAnInterruptedInsertCannotBeCompleted() {
    createManaged(TEXT);
    sql("INSERT INTO managed.m SELECT id, p FROM some");
    breakBeforeAnythingIsVisible("INSERT INTO managed.m SELECT 100L, 'x'");

    s3.gateway().faults(FaultRule.always(SparkOnS3.COMPLETE, Fault.accessDenied()));
    assertThatThrownBy(() -> withTrash("INSERT OVERWRITE TABLE managed.m SELECT id, p FROM some"))
        .hasStackTraceContaining("ZR-7134: INSERT OVERWRITE of spark_catalog.managed.m was not");

    s3.gateway().faults(FaultRule.NONE);
    assertThat(managedRows()).isEqualTo(range(0, 30));
  }

  static Stream<Arguments> moving() {
    List<Long> beside = List.of(-1L, 2L, 8L, 9L);
    return Stream.of(
        Arguments.of("", "SELECT -1L, 'x'", List.of(-1L)),
        Arguments.of("PARTITION (p)", "SELECT -1L, 'x'", beside),
        Arguments.of("PARTITION (p = 'x')", "SELECT -1L", beside));
  }

  /** In the partitions that are written, wherever these are; what is decided for others stays. */
  @ParameterizedTest
  @MethodSource("moving")
  void whatIsDecidedWhileFilesAreMovedIsReplaced(String partition, String rows, List<Long> left)
      throws Exception {
    boolean partitioned = !partition.isEmpty();
    String all = partitioned ? "PARTITION (p)" : "";
    createManaged(partitioned ? TEXT_BY_P : TEXT);
    if (partitioned) {
      sql("ALTER TABLE managed.m ADD PARTITION (p = 'x')" + at("elsewhere"));
    }
    sql("INSERT INTO managed.m " + all + " SELECT 1L, 'x' UNION ALL SELECT 2L, 'y'");

    insertWhileFilesAreMoved(
            all, "INSERT OVERWRITE TABLE managed.m " + partition + " " + rows, FaultRule.NONE)
        .join();

    assertThat(managedRows()).isEqualTo(left);
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
  }

  @Test
  void whatIsDecidedWhileFilesAreMovedStaysIfThatFails() throws Exception {
    createManaged(TEXT_BY_P);
    sql("INSERT INTO managed.m PARTITION (p) SELECT 1L, 'x' UNION ALL SELECT 2L, 'y'");

    CompletableFuture<Void> overwrite =
        insertWhileFilesAreMoved(
            "PARTITION (p)",
            "INSERT OVERWRITE TABLE managed.m PARTITION (p = 'x') SELECT -1L",
            FaultRule.always(it -> it.type() == COPY_OBJECT, Fault.accessDenied()));

    assertThatThrownBy(overwrite::join).hasStackTraceContaining("Unable to move source");
    assertThat(managedRows()).isEqualTo(List.of(2L, 7L, 8L, 9L));
  }

  /**
   * An insert of three rows, or into three partitions, is decided when Hive's client has removed
   * the old files of an overwrite.
   *
   * @param faults of the requests by which it then moves the new ones
   * @return the overwrite, which has ended
   */
  private static CompletableFuture<Void> insertWhileFilesAreMoved(
      String partition, String overwrite, FaultRule faults) throws Exception {
    HeldRequests decision =
        HeldRequests.onlyNth(1, FaultRule.typeUnder(PUT_OBJECT, "managed/_zerorename/m-"));
    HeldRequests moves = HeldRequests.onlyNth(1, it -> it.type() == COPY_OBJECT);
    s3.gateway().faults(decision.or(moves).or(faults));
    CompletableFuture<Void> insert =
        SparkOnS3.inBackground(
            () ->
                sql(
                    "INSERT INTO managed.m "
                        + partition
                        + " SELECT 7L, 'x' UNION ALL SELECT 8L, 'y' UNION ALL SELECT 9L, 'z'"));
    decision.awaitFirst();
    CompletableFuture<Void> moving = SparkOnS3.inBackground(() -> withTrash(overwrite));
    moves.awaitFirst();
    decision.pass();
    // The metastore's client of this process does one thing at a time.
    Await.until("the insert's files", () -> s3.bucket().pendingUploads("").isEmpty());
    moves.pass();
    moving.handle((none, failure) -> failure).join();
    insert.join();
    s3.gateway().faults(FaultRule.NONE);
    return moving;
  }

  /** What it replaces has been made complete, and the catalog does not know where. */
  @Tag("thorough")
  @ParameterizedTest
  @ValueSource(strings = {"(p) SELECT 100L, 'y'", "(p = 'y') SELECT 100L"})
  void anOverwriteOfSparksOwnPlanReplacesAPartitionThatTheCatalogDoesNotKnow(String partition) {
    createManaged(TEXT_BY_P);
    breakBeforeAnythingIsVisible("INSERT INTO managed.m PARTITION (p = 'y') SELECT 7L");

    withTrash("INSERT OVERWRITE TABLE managed.m PARTITION " + partition);
    sql("MSCK REPAIR TABLE managed.m");

    assertThat(managedRows()).isEqualTo(List.of(100L));
  }

  /** Its files are elsewhere than the committer has put them. */
  @Test
  void whatSparksOwnPlanMovesHasNoMarkOfTheCommitter() {
    createManaged(TEXT_BY_P);
    withTrash("INSERT OVERWRITE TABLE managed.m PARTITION (p = 'x') SELECT id FROM some");
    assertThat(managedRows()).isEqualTo(range(0, 30));
    assertThat(s3.bucket().files("managed/m/")).noneMatch(key -> key.endsWith("_SUCCESS"));
  }

  /** It replaces nothing, also where another writer creates the partition while it runs. */
  @Tag("thorough")
  @Test
  void anOverwriteIfNotExistsLeavesThePartitionOfAnother() {
    sql("CREATE TABLE t (id BIGINT) PARTITIONED BY (p STRING) STORED AS TEXTFILE" + at("t"));
    breakBeforeAnythingIsVisible("INSERT INTO t PARTITION (p = 'y') SELECT 7L");

    sql("INSERT OVERWRITE TABLE t PARTITION (p = 'x') IF NOT EXISTS SELECT 100L");
    sql("MSCK REPAIR TABLE t");

    assertThat(rows()).isEqualTo(List.of(7L, 100L));
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
  }

  @Test
  void aStatementThatCannotReadTheLogIsNotRun() {
    createManaged(TEXT);
    sql("INSERT INTO managed.m SELECT id, p FROM some");
    s3.gateway()
        .faults(
            FaultRule.always(
                it -> it.type() == LIST_OBJECTS_V2 && it.toString().contains("_zerorename"),
                Fault.refuse(500, "InternalError")));

    assertThatThrownBy(() -> sql("TRUNCATE TABLE managed.m"))
        .hasStackTraceContaining("ZR-7127: TRUNCATE TABLE spark_catalog.managed.m was not run");

    s3.gateway().faults(FaultRule.NONE);
    assertThat(managedRows()).isEqualTo(range(0, 30));
  }

  @Test
  void aStatementOfSparksOwnTakesOneListingBeforeAndOneAfter() {
    createManaged(TEXT);
    sql("INSERT INTO managed.m SELECT id, p FROM some");
    try (RequestRecording recording = s3.gateway().record()) {
      assertThat(sql("EXPLAIN TRUNCATE TABLE managed.m").first().getString(0))
          .contains("zero-rename[TruncateTableCommand]");
      assertThat(recording.requests()).isEmpty();
      assertThat(sql("TRUNCATE TABLE managed.m").columns()).isEmpty();

      assertThat(recording.requests())
          .filteredOn(it -> it.toString().contains("_zerorename"))
          .extracting(S3Request::type)
          .containsExactly(LIST_OBJECTS_V2, LIST_OBJECTS_V2);
    }
    assertThat(managedRows()).isEmpty();
    sql("CREATE TABLE t (id BIGINT) STORED AS TEXTFILE");
    assertThat(sql("EXPLAIN TRUNCATE TABLE t").first().getString(0)).doesNotContain("zero-rename");
  }
}
