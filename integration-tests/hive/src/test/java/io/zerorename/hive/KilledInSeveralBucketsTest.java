package io.zerorename.hive;

import static io.zerorename.testing.process.Kill.Side.AFTER;
import static io.zerorename.testing.process.Kill.Side.BEFORE;
import static io.zerorename.testing.s3server.RequestType.COMPLETE_MULTIPART_UPLOAD;
import static io.zerorename.testing.s3server.RequestType.DELETE_OBJECTS;
import static io.zerorename.testing.s3server.RequestType.PUT_OBJECT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.cli.ZeroRename;
import io.zerorename.cli.command.ExitCode;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.testing.hive.LocalHive;
import io.zerorename.testing.process.Kill;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code kill -9} of the JVM that runs Hive, in an INSERT OVERWRITE of partitions in two buckets:
 * what was decided is completed in both, after the next INSERT or by {@code zerorename recover};
 * nothing is visible in either of what was not.
 */
@Tag("thorough")
class KilledInSeveralBucketsTest {
  private static final String BEFORE_IT = "100 1, 200 2, 300 3, 400 4";
  private static final String AFTER_IT = "10 1, 20 2, 30 3, 400 4";

  /** Neither the first nor the last completion, whichever bucket comes first. */
  private static final Kill BETWEEN_COMPLETIONS = new Kill(AFTER, COMPLETE_MULTIPART_UPLOAD, 2);

  private static final Kill BETWEEN_DELETIONS = new Kill(BEFORE, DELETE_OBJECTS, 2);
  private static final Kill BEFORE_DECISION = new Kill(BEFORE, PUT_OBJECT, TableLog.ENTRY, 1);
  private static final Kill AFTER_DECISION = new Kill(AFTER, PUT_OBJECT, TableLog.ENTRY, 1);

  @TempDir private static Path home;

  private static EmbeddedS3Server server;
  private static BucketContents bucket;
  private static BucketContents other;
  private static HiveProcess hive;
  private static int tables;

  @BeforeAll
  static void start() throws Exception {
    server = EmbeddedS3Server.start();
    // Names of their own: commands run in this JVM, where Hadoop keeps the file systems of buckets
    // of the same name on the servers of other tests.
    bucket = server.createBucket("killed-here");
    other = server.createBucket("killed-there");
    hive = HiveProcess.startWithNumbers(server, home);
  }

  @AfterAll
  static void stop() throws IOException {
    hive.close();
    server.close();
  }

  @Test
  void nextInsertCompletesInBothWhatWasDecided() throws Exception {
    String table = newTable();
    kill(table, "0", BETWEEN_COMPLETIONS);
    assertThat(pending(table)).as("in one of them, or both").isPositive();

    assertNextInsertFinds(table, AFTER_IT);
    assertThat(pending(table)).isZero();
    assertOnlyData(table);
  }

  @Test
  void nextInsertDeletesInBothWhatWasReplaced() throws Exception {
    String table = newTable();
    kill(table, "1M", BETWEEN_DELETIONS);

    assertNextInsertFinds(table, AFTER_IT);
    assertThat(pending(table)).isZero();
    assertOnlyData(table);
  }

  @Test
  void nothingIsVisibleInEitherOfWhatWasNotDecided() throws Exception {
    String table = newTable();
    List<List<String>> before = files(table);
    kill(table, "0", BEFORE_DECISION);
    assertThat(other.pendingUploads(table + "/")).isNotEmpty();
    assertThat(bucket.pendingUploads(table + "/")).isNotEmpty();

    assertThat(files(table)).isEqualTo(before);
    assertNextInsertFinds(table, BEFORE_IT);
    assertThat(run("uploads", "list", "s3a://killed-there/" + table))
        .as("there is no log")
        .contains("not known to us");
  }

  @Test
  void commandCompletesInBothWhatWasDecided() throws Exception {
    String table = newTable();
    kill(table, "1M", AFTER_DECISION);
    assertThat(other.pendingUploads(table + "/"))
        .as("small files are uploaded there before the decision")
        .hasSize(2);

    assertThat(run("uploads", "abort", "--yes", "s3a://killed-there/" + table))
        .contains("2 left alone");
    assertThat(other.pendingUploads(table + "/")).hasSize(2);
    assertThat(run("recover", "s3a://killed-here/" + table))
        .contains("Its plan names s3a://killed-there/" + table);
    assertThat(run(recover(table)))
        .contains("INSERT OVERWRITE of default." + table + " was committed as entry ");

    assertThat(pending(table)).isZero();
    assertOnlyData(table);
    hive = HiveProcess.start(server, home);
    assertThat(rows(table)).isEqualTo(AFTER_IT);
  }

  private static void kill(String table, String small, Kill kill) throws Exception {
    hive.set(CoreKeys.INLINE_MAX_BYTES.name(), small);
    // One after the other, so that the kill comes between two.
    hive.set(CoreKeys.COMMIT_THREADS.name(), "1");
    hive.killIn(
        "insert overwrite table " + table + " partition (p) select a * 10, p from numbers", kill);
    hive.close();
  }

  private static void assertNextInsertFinds(String table, String rows) throws Exception {
    hive = HiveProcess.start(server, home);
    hive.execute("insert into " + table + " partition (p) values (500, 5)");
    TableLog.of(bucket, table).awaitEnds();
    assertThat(rows(table)).isEqualTo(rows + ", 500 5");
  }

  /** Of each new file one, and of the partition that was not replaced. */
  private static void assertOnlyData(String table) {
    assertThat(other.files(table + "/"))
        .hasSize(2)
        .allMatch(key -> key.matches(table + "/(one|two)/000000_0\\.[-0-9a-f]{36}"));
    assertThat(other.files("")).noneMatch(key -> key.contains("_zerorename"));
  }

  private static String[] recover(String table) {
    return new String[] {
      "recover",
      "--without-metastore",
      "--also",
      "s3a://killed-there/" + table,
      "s3a://killed-here/" + table
    };
  }

  /** What a command says, on the machine where Hive ran. */
  private static String run(String... arguments) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream stream = new PrintStream(out, true, UTF_8);
    int code = new ZeroRename(KilledInSeveralBucketsTest::settings, stream, stream).run(arguments);
    assertThat(code).as(out.toString(UTF_8)).isIn(ExitCode.OK.number(), ExitCode.FOUND.number());
    return out.toString(UTF_8);
  }

  private static Configuration settings() {
    Configuration conf = new Configuration();
    server.hadoopSettings().forEach(conf::set);
    LocalHive.places(home).forEach(conf::set);
    return conf;
  }

  private static String newTable() throws Exception {
    tables++;
    String table = "killed_in_two_" + tables;
    hive.execute(
        "create external table "
            + table
            + " (a int) partitioned by (p int) stored as orc location 's3a://killed-here/"
            + table
            + "'");
    hive.execute(
        "alter table %s add partition (p=1) location 's3a://killed-there/%s/one' partition (p=2) location 's3a://killed-there/%s/two'"
            .replace("%s", table));
    hive.execute(
        "insert into " + table + " partition (p) values (100, 1), (200, 2), (300, 3), (400, 4)");
    return table;
  }

  /** Without directories: a killed Hive leaves that of its own staging. */
  private static List<List<String>> files(String table) {
    return List.of(bucket.files(table + "/"), other.files(table + "/"));
  }

  private static int pending(String table) {
    return bucket.pendingUploads(table + "/").size() + other.pendingUploads(table + "/").size();
  }

  /** All rows in order. */
  private static String rows(String table) throws Exception {
    return String.join(", ", hive.execute("select * from " + table)).replace('\t', ' ');
  }
}
