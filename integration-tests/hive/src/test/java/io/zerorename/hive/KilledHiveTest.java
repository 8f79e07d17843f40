package io.zerorename.hive;

import static io.zerorename.hive.KilledHiveTest.Files.SMALL;
import static io.zerorename.hive.KilledHiveTest.Files.UPLOADED;
import static io.zerorename.testing.process.Kill.Side.AFTER;
import static io.zerorename.testing.process.Kill.Side.BEFORE;
import static io.zerorename.testing.s3server.RequestType.COMPLETE_MULTIPART_UPLOAD;
import static io.zerorename.testing.s3server.RequestType.DELETE_OBJECTS;
import static io.zerorename.testing.s3server.RequestType.LIST_OBJECTS_V2;
import static io.zerorename.testing.s3server.RequestType.PUT_OBJECT;
import static io.zerorename.testing.s3server.RequestType.UPLOAD_PART;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.cli.ZeroRename;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.testing.process.Kill;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * {@code kill -9} of the JVM that runs Hive, in an INSERT. In the next one, on the same metastore
 * and scratch directory, the next INSERT into the table repairs it: all rows of the killed one are
 * there, if it was decided, and none otherwise.
 */
class KilledHiveTest {
  /** Hadoop keeps a file system for each bucket of a JVM: no other class has a server with it. */
  private static final String BUCKET = "killed";

  private static final String NUMBERS = "(select stack(3, 1, 1, 2, 2, 3, 3) as (a, p)) numbers";

  /** In the key of the object that decides. */
  private static final String DECISION = TableLog.ENTRY;

  /** Of the requests with such a key those of a target that comes before: its entry, its marker. */
  private static final int FIRST_TARGET = 2;

  @TempDir private static Path home;

  private static EmbeddedS3Server server;
  private static BucketContents bucket;
  private static HiveProcess hive;

  /** Statements on a table that holds 100, 200 and 400 in the partitions 1, 2 and 4. */
  enum Shape {
    INTO_STATIC(
        "insert into %s partition (p=1) select a * 10 from " + NUMBERS,
        "10 1, 100 1, 20 1, 200 2, 30 1, 400 4"),
    INTO_DYNAMIC(
        "insert into %s partition (p) select a * 10, p from " + NUMBERS,
        "10 1, 100 1, 20 2, 200 2, 30 3, 400 4"),
    OVERWRITE_DYNAMIC(
        "insert overwrite table %s partition (p) select a * 10, p from " + NUMBERS,
        "10 1, 20 2, 30 3, 400 4");

    static final String BEFORE = "100 1, 200 2, 400 4";

    private final String sql;
    private final String after;

    Shape(String sql, String after) {
      this.sql = sql;
      this.after = after;
    }

    String on(String table) {
      return sql.formatted(table);
    }
  }

  @BeforeAll
  static void start() throws Exception {
    server = EmbeddedS3Server.start();
    bucket = server.createBucket(BUCKET);
    hive = HiveProcess.start(server, home);
  }

  @AfterAll
  static void stop() throws IOException {
    hive.close();
    server.close();
  }

  /** How the files of a statement become visible. */
  enum Files {
    /** They are uploaded by tasks. */
    UPLOADED("0"),
    /** Their bytes travel to the commit, as by default. */
    SMALL("1M");

    private final String maxBytes;

    Files(String maxBytes) {
      this.maxBytes = maxBytes;
    }
  }

  static Stream<Arguments> points() {
    // The listing of the partitions is the plan of an overwrite; its decision follows.
    return Stream.of(
        decided(UPLOADED, Shape.OVERWRITE_DYNAMIC, new Kill(AFTER, COMPLETE_MULTIPART_UPLOAD, 2)),
        undecided(SMALL, Shape.OVERWRITE_DYNAMIC, new Kill(AFTER, LIST_OBJECTS_V2, "/p=", 1)),
        undecided(UPLOADED, Shape.INTO_STATIC, new Kill(AFTER, UPLOAD_PART, 1)),
        undecided(UPLOADED, Shape.INTO_DYNAMIC, new Kill(BEFORE, PUT_OBJECT, DECISION, 1)),
        decided(SMALL, Shape.INTO_DYNAMIC, new Kill(AFTER, PUT_OBJECT, DECISION, 1)),
        decided(SMALL, Shape.OVERWRITE_DYNAMIC, new Kill(BEFORE, DELETE_OBJECTS, 1)));
  }

  private static Arguments undecided(Files files, Shape shape, Kill kill) {
    return Arguments.of(files, shape, kill, false);
  }

  private static Arguments decided(Files files, Shape shape, Kill kill) {
    return Arguments.of(files, shape, kill, true);
  }

  @Tag("stores")
  @Tag("thorough")
  @ParameterizedTest
  @MethodSource("points")
  void nextInsertFindsTheKilledOneWholeOrNotAtAll(
      Files files, Shape shape, Kill kill, boolean decided) throws Exception {
    String table = newTable();
    SortedMap<String, Long> before = bucket.objects(table + "/");
    hive.set(CoreKeys.INLINE_MAX_BYTES.name(), files.maxBytes);
    hive.killIn(shape.on(table), kill);
    restart();
    if (!decided) {
      assertThat(bucket.objects(table + "/")).containsAllEntriesOf(before);
      assertThat(rows(table)).isEqualTo(Shape.BEFORE);
    }
    insertAfterwards(table);
    assertThat(rows(table)).isEqualTo((decided ? shape.after : Shape.BEFORE) + ", 500 5");
    if (decided) {
      assertThat(bucket.pendingUploads(table + "/")).isEmpty();
    } else {
      // Nothing of the killed one is written late, so that an overwrite waits for nothing.
      hive.execute(shape.on(table));
      assertThat(rows(table)).isEqualTo(shape.after + ", 500 5");
    }
  }

  /** As an operator has it, who waits for no next statement. */
  @Test
  @Tag("stores")
  @Tag("thorough")
  void theCommandLineCompletesTheKilledOne() throws Exception {
    String table = newTable();
    hive.set(CoreKeys.INLINE_MAX_BYTES.name(), Files.UPLOADED.maxBytes);
    hive.killIn(Shape.OVERWRITE_DYNAMIC.on(table), new Kill(AFTER, COMPLETE_MULTIPART_UPLOAD, 1));

    ByteArrayOutputStream said = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(said, true, UTF_8);
    Configuration conf = new Configuration();
    server.hadoopSettings().forEach(conf::set);
    conf.set(CoreKeys.RECOVERY_PATIENCE.name(), "0");
    new ZeroRename(() -> conf, out, out).run("recover", "s3a://" + BUCKET + "/" + table);
    assertThat(said.toString(UTF_8))
        .contains("All files (3) of INSERT OVERWRITE of default." + table, "are in place");
    assertThat(bucket.pendingUploads(table + "/")).isEmpty();
    // Of the partitions 1 to 3 those of the overwrite, and of 4 the old one.
    assertThat(bucket.files(table + "/")).hasSize(4);

    restart();
    insertAfterwards(table);
    assertThat(rows(table)).isEqualTo(Shape.OVERWRITE_DYNAMIC.after + ", 500 5");
  }

  /** One kill: behind the decision about the first, and before that about the second. */
  @Test
  void ofTwoTargetsTheNextInsertsFindTheFirstWholeAndNothingOfTheSecond() throws Exception {
    String first = newTable();
    String second = newTable();
    SortedMap<String, Long> before = bucket.objects(second + "/");
    killInOverwriteOf(first, second, new Kill(AFTER, COMPLETE_MULTIPART_UPLOAD, first + "/", 2));
    assertThat(bucket.objects(second + "/")).containsAllEntriesOf(before);
    assertThat(rows(second)).isEqualTo(Shape.BEFORE);

    for (String table : List.of(first, second)) {
      insertAfterwards(table);
    }
    assertThat(rows(first)).isEqualTo(Shape.OVERWRITE_DYNAMIC.after + ", 500 5");
    assertThat(bucket.pendingUploads(first + "/")).isEmpty();
    assertThat(rows(second)).isEqualTo(Shape.BEFORE + ", 500 5");
    // Nothing of the killed one is written late, so that an overwrite waits for nothing.
    hive.execute(Shape.OVERWRITE_DYNAMIC.on(second));
    assertThat(rows(second)).isEqualTo(Shape.OVERWRITE_DYNAMIC.after + ", 500 5");
  }

  /** Kills it in a statement that overwrites two tables, and starts the next. */
  private static void killInOverwriteOf(String first, String second, Kill kill) throws Exception {
    hive.set(CoreKeys.INLINE_MAX_BYTES.name(), Files.UPLOADED.maxBytes);
    hive.killIn(
        "from %s insert overwrite table %s partition (p) select a * 10, p insert overwrite table %s partition (p) select a * 10, p"
            .formatted(NUMBERS, first, second),
        kill);
    restart();
  }

  @Test
  @Tag("thorough")
  void killInTheCommitOfTheSecondTargetLeavesItToTheNextInsert() throws Exception {
    String first = newTable();
    String second = newTable();
    killInOverwriteOf(first, second, new Kill(AFTER, PUT_OBJECT, DECISION, FIRST_TARGET + 1));
    assertThat(rows(first)).as("partitions included").isEqualTo(Shape.OVERWRITE_DYNAMIC.after);
    assertThat(hive.execute("select count(*) from " + first)).containsExactly("4");
    assertThat(rows(second)).isEqualTo(Shape.BEFORE);

    for (String table : List.of(first, second)) {
      insertAfterwards(table);
    }
    assertThat(rows(first)).isEqualTo(Shape.OVERWRITE_DYNAMIC.after + ", 500 5");
    assertThat(rows(second)).isEqualTo(Shape.OVERWRITE_DYNAMIC.after + ", 500 5");
    assertThat(bucket.pendingUploads(second + "/")).isEmpty();
  }

  /** After it the killed one is completed, which this INSERT does not wait for. */
  private static void insertAfterwards(String table) throws Exception {
    hive.execute("insert into " + table + " partition (p) values (500, 5)");
    TableLog.of(bucket, table).awaitEnds();
  }

  private static void restart() throws IOException {
    hive.close();
    hive = HiveProcess.start(server, home);
  }

  private static int tables;

  private static String newTable() throws Exception {
    tables++;
    String table = "killed_" + tables;
    hive.execute(
        "create external table %1$s (a int) partitioned by (p int) stored as orc location 's3a://%2$s/%1$s'"
            .formatted(table, BUCKET));
    hive.execute("insert into " + table + " partition (p) values (100, 1), (200, 2), (400, 4)");
    return table;
  }

  /** All rows in order. */
  private static String rows(String table) throws Exception {
    return String.join(", ", hive.execute("select * from " + table)).replace('\t', ' ');
  }
}
