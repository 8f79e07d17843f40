package io.zerorename.hive;

import static io.zerorename.hive.KilledHiveTest.Files.SMALL;
import static io.zerorename.hive.KilledHiveTest.Files.UPLOADED;
import static io.zerorename.testing.process.Kill.Side.AFTER;
import static io.zerorename.testing.process.Kill.Side.BEFORE;
import static io.zerorename.testing.s3server.RequestType.COMPLETE_MULTIPART_UPLOAD;
import static io.zerorename.testing.s3server.RequestType.CREATE_MULTIPART_UPLOAD;
import static io.zerorename.testing.s3server.RequestType.DELETE_OBJECTS;
import static io.zerorename.testing.s3server.RequestType.LIST_OBJECTS_V2;
import static io.zerorename.testing.s3server.RequestType.PUT_OBJECT;
import static io.zerorename.testing.s3server.RequestType.UPLOAD_PART;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.hive.config.HiveKeys;
import io.zerorename.testing.process.Kill;
import io.zerorename.testing.process.Kill.Side;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
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
  /** More of them in the thorough tier. */
  private static final int KILLS = Integer.getInteger("zerorename.hive.kills", 2);

  private static final String BUCKET = "warehouse";

  /** In the key of the object that decides. */
  private static final String DECISION = TableLog.ENTRY;

  /** Of the requests with such a key those of a target that comes before: its entry, its marker. */
  private static final int FIRST_TARGET = 2;

  /** In the key of each data file, and in no other. */
  private static final String PARTITION = "/p=";

  @TempDir private static Path home;

  private static EmbeddedS3Server server;
  private static BucketContents bucket;
  private static HiveProcess hive;

  /** Statements on a table that holds 100, 200 and 400 in the partitions 1, 2 and 4. */
  enum Shape {
    INTO_STATIC(
        "insert into %s partition (p=1) select a * 10 from numbers",
        "10 1, 100 1, 20 1, 200 2, 30 1, 400 4"),
    INTO_DYNAMIC(
        "insert into %s partition (p) select a * 10, p from numbers",
        "10 1, 100 1, 20 2, 200 2, 30 3, 400 4"),
    OVERWRITE_DYNAMIC(
        "insert overwrite table %s partition (p) select a * 10, p from numbers",
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
    hive = HiveProcess.startWithNumbers(server, home);
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

  /** Every build runs the first two: one before the decision and one after it. */
  static Stream<Arguments> points() {
    // The listing of the partitions is the plan of an overwrite; its decision follows.
    List<Arguments> points =
        List.of(
            decided(
                UPLOADED, Shape.OVERWRITE_DYNAMIC, new Kill(AFTER, COMPLETE_MULTIPART_UPLOAD, 2)),
            undecided(SMALL, Shape.OVERWRITE_DYNAMIC, new Kill(AFTER, LIST_OBJECTS_V2, "/p=", 1)),
            decided(SMALL, Shape.OVERWRITE_DYNAMIC, new Kill(BEFORE, DELETE_OBJECTS, 1)),
            undecided(UPLOADED, Shape.INTO_STATIC, new Kill(AFTER, UPLOAD_PART, 1)),
            decided(UPLOADED, Shape.INTO_DYNAMIC, new Kill(AFTER, PUT_OBJECT, DECISION, 1)),
            decided(
                SMALL,
                Shape.OVERWRITE_DYNAMIC,
                new Kill(AFTER, COMPLETE_MULTIPART_UPLOAD, PARTITION, 2)),
            decided(UPLOADED, Shape.INTO_STATIC, new Kill(BEFORE, COMPLETE_MULTIPART_UPLOAD, 1)),
            decided(UPLOADED, Shape.OVERWRITE_DYNAMIC, new Kill(AFTER, DELETE_OBJECTS, 1)),
            // Not what Hive makes below the partition, before it runs a task.
            decided(
                SMALL,
                Shape.INTO_STATIC,
                new Kill(BEFORE, COMPLETE_MULTIPART_UPLOAD, "/p=1/000000_0.", 1)),
            undecided(UPLOADED, Shape.OVERWRITE_DYNAMIC, new Kill(BEFORE, PUT_OBJECT, DECISION, 1)),
            undecided(UPLOADED, Shape.INTO_DYNAMIC, new Kill(BEFORE, UPLOAD_PART, 2)),
            decided(SMALL, Shape.INTO_DYNAMIC, new Kill(AFTER, PUT_OBJECT, DECISION, 1)),
            decided(UPLOADED, Shape.INTO_DYNAMIC, new Kill(BEFORE, COMPLETE_MULTIPART_UPLOAD, 1)),
            undecided(UPLOADED, Shape.INTO_DYNAMIC, new Kill(AFTER, CREATE_MULTIPART_UPLOAD, 1)),
            decided(
                SMALL,
                Shape.INTO_DYNAMIC,
                new Kill(AFTER, COMPLETE_MULTIPART_UPLOAD, PARTITION, 3)),
            decided(UPLOADED, Shape.INTO_DYNAMIC, new Kill(AFTER, COMPLETE_MULTIPART_UPLOAD, 3)),
            undecided(SMALL, Shape.INTO_DYNAMIC, new Kill(BEFORE, PUT_OBJECT, DECISION, 1)),
            decided(UPLOADED, Shape.INTO_STATIC, new Kill(AFTER, COMPLETE_MULTIPART_UPLOAD, 1)),
            decided(SMALL, Shape.OVERWRITE_DYNAMIC, new Kill(AFTER, PUT_OBJECT, DECISION, 1)),
            decided(UPLOADED, Shape.OVERWRITE_DYNAMIC, new Kill(AFTER, PUT_OBJECT, DECISION, 1)),
            undecided(UPLOADED, Shape.OVERWRITE_DYNAMIC, new Kill(BEFORE, UPLOAD_PART, 1)),
            undecided(UPLOADED, Shape.INTO_STATIC, new Kill(BEFORE, PUT_OBJECT, DECISION, 1)));
    List<Arguments> chosen =
        IntStream.range(0, KILLS).mapToObj(kill -> points.get(kill % points.size())).toList();
    assertThat(chosen).as("kills of Hive").isNotEmpty();
    if (KILLS >= 2) {
      assertThat(chosen).extracting(kill -> kill.get()[3]).contains(true, false);
    }
    return chosen.stream();
  }

  private static Arguments undecided(Files files, Shape shape, Kill kill) {
    return Arguments.of(files, shape, kill, false);
  }

  private static Arguments decided(Files files, Shape shape, Kill kill) {
    return Arguments.of(files, shape, kill, true);
  }

  @Tag("stores")
  @ParameterizedTest
  @MethodSource("points")
  void nextInsertFindsTheKilledOneWholeOrNotAtAll(
      Files files, Shape shape, Kill kill, boolean decided) throws Exception {
    String table = newTable();
    SortedMap<String, Long> before = bucket.objects(table + "/");
    hive.set(CoreKeys.INLINE_MAX_BYTES.name(), files.maxBytes);
    hive.killIn(shape.on(table), kill);
    hive.close();

    hive = HiveProcess.start(server, home);
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

  static Stream<Arguments> pointsOfMergedFiles() {
    return Stream.of(
        Arguments.of(Shape.OVERWRITE_DYNAMIC, new Kill(AFTER, CREATE_MULTIPART_UPLOAD, 1), false),
        Arguments.of(Shape.INTO_DYNAMIC, new Kill(BEFORE, PUT_OBJECT, DECISION, 1), false),
        Arguments.of(Shape.OVERWRITE_DYNAMIC, new Kill(AFTER, PUT_OBJECT, DECISION, 1), true));
  }

  /** Hive's process itself uploads them. */
  @Tag("thorough")
  @ParameterizedTest
  @MethodSource("pointsOfMergedFiles")
  void mergedFilesOfAKilledInsertAreThereWholeOrNotAtAll(Shape shape, Kill kill, boolean decided)
      throws Exception {
    hive.set("hive.merge.tezfiles", "true");
    hive.set(HiveKeys.MERGE.name(), "commit");
    nextInsertFindsTheKilledOneWholeOrNotAtAll(UPLOADED, shape, kill, decided);
  }

  @Tag("thorough")
  @Test
  void killBetweenTheCommitsOfTwoTargetsLeavesOneOfThemAlone() throws Exception {
    killAtTheDecisionOfTheSecondTarget(BEFORE);
  }

  @Test
  @Tag("thorough")
  void killInTheCommitOfTheSecondTargetLeavesItToTheNextInsert() throws Exception {
    killAtTheDecisionOfTheSecondTarget(AFTER);
  }

  /** The first is at its end by then, what the metastore knows of it included. */
  private static void killAtTheDecisionOfTheSecondTarget(Side side) throws Exception {
    String first = newTable();
    String second = newTable();
    hive.set(CoreKeys.INLINE_MAX_BYTES.name(), Files.UPLOADED.maxBytes);
    hive.killIn(
        "from numbers insert overwrite table "
            + first
            + " partition (p) select a * 10, p insert overwrite table "
            + second
            + " partition (p) select a * 10, p",
        new Kill(side, PUT_OBJECT, DECISION, FIRST_TARGET + 1));
    hive.close();

    hive = HiveProcess.start(server, home);
    assertThat(rows(first)).as("partitions included").isEqualTo(Shape.OVERWRITE_DYNAMIC.after);
    assertThat(hive.execute("select count(*) from " + first)).containsExactly("4");
    assertThat(rows(second)).isEqualTo(Shape.BEFORE);

    for (String table : List.of(first, second)) {
      insertAfterwards(table);
    }
    assertThat(rows(first)).isEqualTo(Shape.OVERWRITE_DYNAMIC.after + ", 500 5");
    assertThat(rows(second))
        .isEqualTo((side == AFTER ? Shape.OVERWRITE_DYNAMIC.after : Shape.BEFORE) + ", 500 5");
    if (side == AFTER) {
      assertThat(bucket.pendingUploads(second + "/")).isEmpty();
    }
  }

  @Tag("thorough")
  @Test
  void filesThatTheKilledProcessHasNotCompletedAreCompletedByTheNextInsert() throws Exception {
    String table = newTable();
    List<String> before = dataFiles(table);
    // One after the other, so that the kill comes between the first and the second.
    hive.set(CoreKeys.COMMIT_THREADS.name(), "1");
    hive.killIn(
        Shape.INTO_DYNAMIC.on(table), new Kill(AFTER, COMPLETE_MULTIPART_UPLOAD, PARTITION, 1));
    hive.close();
    assertThat(dataFiles(table)).as("of three new ones").hasSize(before.size() + 1);
    assertThat(bucket.pendingUploads(table + "/")).hasSize(2);

    hive = HiveProcess.start(server, home);
    insertAfterwards(table);

    assertThat(rows(table)).isEqualTo(Shape.INTO_DYNAMIC.after + ", 500 5");
    assertThat(dataFiles(table)).hasSize(before.size() + 4);
    assertThat(bucket.pendingUploads(table + "/")).isEmpty();
  }

  /** After it the killed one is completed, which this INSERT does not wait for. */
  private static void insertAfterwards(String table) throws Exception {
    hive.execute("insert into " + table + " partition (p) values (500, 5)");
    TableLog.of(bucket, table).awaitEnds();
  }

  private static int tables;

  private static String newTable() throws Exception {
    tables++;
    String table = "killed_" + tables;
    hive.execute(
        "create external table "
            + table
            + " (a int) partitioned by (p int) stored as orc location 's3a://"
            + BUCKET
            + "/"
            + table
            + "'");
    hive.execute("insert into " + table + " partition (p) values (100, 1), (200, 2), (400, 4)");
    return table;
  }

  private static List<String> dataFiles(String table) {
    return bucket.files(table + "/").stream().filter(key -> key.contains(PARTITION)).toList();
  }

  /** All rows in order. */
  private static String rows(String table) throws Exception {
    return String.join(", ", hive.execute("select * from " + table)).replace('\t', ' ');
  }
}
