package io.zerorename.hive;

import static io.zerorename.testing.process.Kill.Side.AFTER;
import static io.zerorename.testing.s3server.RequestType.COMPLETE_MULTIPART_UPLOAD;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.testing.process.Kill;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.S3Gateway;
import io.zerorename.testing.sparkjvm.SparkJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A Hive and a Spark that write to one table, of which one is killed behind the decision of an
 * overwrite. Each has a metastore of its own with that table: the client of Hive 2.3.9 that is in
 * Spark cannot read one of Hive 4, which has no {@code get_table} any more.
 */
@Tag("thorough")
class SparkBesideHiveTest {
  private static final String BUCKET = "warehouse";

  /** One of two files is visible then, and none of the old ones is deleted. */
  private static final Kill IN_THE_COMMIT = new Kill(AFTER, COMPLETE_MULTIPART_UPLOAD, 1);

  private static final String MAX_INLINE = CoreKeys.INLINE_MAX_BYTES.name();

  /** One file after the other. */
  private static final String THREADS = CoreKeys.COMMIT_THREADS.name();

  private static final String BEFORE = "100 1, 200 2, 400 4";
  private static final String AFTER_BOTH = "10 1, 20 2, 400 4, 500 4";

  @TempDir private static Path home;

  private static EmbeddedS3Server server;
  private static BucketContents bucket;
  private static S3Gateway way;

  private HiveProcess hive;
  private SparkJvm spark;

  @BeforeAll
  static void start() throws Exception {
    server = EmbeddedS3Server.start();
    bucket = server.createBucket(BUCKET);
    way = server.newGateway();
  }

  @AfterAll
  static void stop() throws IOException {
    way.close();
    server.close();
  }

  @AfterEach
  void end() throws IOException {
    if (hive != null) {
      hive.close();
    }
    if (spark != null) {
      spark.close();
    }
  }

  @Test
  void hivesInsertCompletesWhatAKilledSparkHasLeft() throws Exception {
    startHive();
    createTable("of_spark");
    startSpark("of_spark");

    spark.killIn(overwrite("of_spark"), IN_THE_COMMIT, way);
    assertInterrupted("of_spark");
    hive.execute(insert("of_spark"));

    assertBothAreThere("of_spark");
    spark.close();
    startSpark("of_spark");
    assertThat(rows(ask("SELECT * FROM of_spark"))).isEqualTo(AFTER_BOTH);
  }

  @Test
  void sparksInsertCompletesWhatAKilledHiveHasLeft() throws Exception {
    startHive();
    createTable("of_hive");
    startSpark("of_hive");
    hive.set(MAX_INLINE, "0");
    hive.set(THREADS, "1");

    hive.killIn(overwrite("of_hive"), IN_THE_COMMIT);
    assertInterrupted("of_hive");
    ask(insert("of_hive"));

    assertThat(rows(ask("SELECT * FROM of_hive"))).isEqualTo(AFTER_BOTH);
    hive.close();
    startHive();
    assertThat(rows(hive.execute("select * from of_hive"))).isEqualTo(AFTER_BOTH);
    // What only Hive can do of its own: the metastore.
    hive.execute("insert into of_hive partition (p) values (600, 4)");
    TableLog.of(bucket, "of_hive").awaitEnds();
    assertThat(rows(hive.execute("select * from of_hive"))).isEqualTo(AFTER_BOTH + ", 600 4");
    assertThat(bucket.pendingUploads("")).isEmpty();
  }

  private void startHive() throws Exception {
    hive = HiveProcess.start(server, home);
  }

  /** With the table, whose partitions are there. */
  private void startSpark(String table) throws Exception {
    Map<String, String> settings = new HashMap<>();
    settings.put("spark.app.name", "beside Hive");
    settings.put("spark.hadoop." + MAX_INLINE, "0");
    settings.put("spark.hadoop." + THREADS, "1");
    settings.put(
        "spark.sql.sources.commitProtocolClass", "io.zerorename.spark.ZeroRenameCommitProtocol");
    spark =
        SparkJvm.start(
            "io.zerorename.testing.spark.MeasuredStatements",
            server.access(way),
            Files.createDirectories(home.resolve("spark")),
            home.resolve("spark.log"),
            settings);
    ask(createStatement(table));
    ask("MSCK REPAIR TABLE " + table);
  }

  private void createTable(String table) throws Exception {
    hive.execute(createStatement(table));
    hive.execute("insert into " + table + " partition (p) values (100, 1), (200, 2), (400, 4)");
    assertThat(rows(hive.execute("select * from " + table))).isEqualTo(BEFORE);
  }

  private static String createStatement(String table) {
    return "create external table "
        + table
        + " (a int) partitioned by (p int) stored as textfile location 's3a://"
        + BUCKET
        + "/"
        + table
        + "'";
  }

  /** Replaces two partitions, by a file each. */
  private static String overwrite(String table) {
    return "insert overwrite table " + table + " partition (p) values (10, 1), (20, 2)";
  }

  private static String insert(String table) {
    return "insert into " + table + " partition (p) values (500, 4)";
  }

  /** Runs a statement of Spark's that must succeed. */
  private List<String> ask(String sql) throws IOException {
    List<String> answer =
        spark.ask(sql, line -> line.startsWith("ran ") || line.startsWith("failed "));
    int last = answer.size() - 1;
    assertThat(answer.get(last)).as(sql).startsWith("ran ");
    return answer.subList(0, last).stream()
        .map(row -> row.substring("row\t".length()))
        .sorted()
        .toList();
  }

  private static void assertInterrupted(String table) {
    assertThat(files(table)).as("three old, one new").hasSize(4);
    assertThat(bucket.pendingUploads(table + "/")).as("the other new one").hasSize(1);
    assertThat(TableLog.of(bucket, table).notEnded()).hasSize(1);
  }

  private void assertBothAreThere(String table) throws Exception {
    TableLog.of(bucket, table).awaitEnds();
    assertThat(rows(hive.execute("select * from " + table))).isEqualTo(AFTER_BOTH);
    assertThat(files(table)).hasSize(4);
    assertThat(bucket.pendingUploads("")).isEmpty();
  }

  private static List<String> files(String table) {
    return bucket.files(table + "/").stream()
        .filter(key -> key.contains("/p=") && !key.endsWith("/"))
        .toList();
  }

  private static String rows(List<String> rows) {
    return String.join(", ", rows).replace('\t', ' ');
  }
}
