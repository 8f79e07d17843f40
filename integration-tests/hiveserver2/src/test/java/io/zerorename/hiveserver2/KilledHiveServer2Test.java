package io.zerorename.hiveserver2;

import static io.zerorename.testing.process.Kill.Side.AFTER;
import static io.zerorename.testing.s3server.RequestType.COMPLETE_MULTIPART_UPLOAD;
import static io.zerorename.testing.s3server.RequestType.LIST_OBJECTS_V2;
import static io.zerorename.testing.s3server.RequestType.PUT_OBJECT;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.testing.install.Cluster;
import io.zerorename.testing.process.Await;
import io.zerorename.testing.process.Kill;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code kill -9} of HiveServer2 while a user's INSERT OVERWRITE runs. The next HiveServer2, with
 * the same metastore and scratch directory, has all rows of it if it was decided, and none
 * otherwise.
 */
@Tag("thorough")
class KilledHiveServer2Test {
  /** In the key of the entry that decides, and of its marker: their numbers count down. */
  private static final String DECISION = "/log/_9";

  /** In the key of each data file, and of the listing of the old ones, which is the plan. */
  private static final String PARTITION = "/p=";

  private static final String[] BEFORE_IT = {"100\t1", "200\t2"};
  private static final String[] AFTER_IT = {"10\t1", "20\t2", "30\t3"};

  @TempDir private static Path home;

  private static EmbeddedS3Server server;
  private static BucketContents bucket;
  private static Installation installation;
  private static HiveServer2Process hive;

  @BeforeAll
  static void start() throws Exception {
    server = EmbeddedS3Server.start();
    bucket = server.createBucket(HiveServer2OnS3.BUCKET);
    installation = Installation.in(home);
    hive = HiveServer2Process.start(installation, server, Map.of());
    try (Session session = hive.open()) {
      Tables.createNumbers(session);
    }
  }

  @AfterAll
  static void stop() throws IOException {
    hive.close();
    server.close();
  }

  @Test
  void nothingOfItIsThereWhereItWasNotDecided() throws Exception {
    isNotThere("killed_planning", new Kill(AFTER, LIST_OBJECTS_V2, PARTITION, 1));
  }

  private static void isNotThere(String table, Kill kill) throws Exception {
    SortedMap<String, Long> before = hive.killInOverwrite(bucket, table, kill);

    restart();

    assertThat(bucket.objects(table + "/")).containsAllEntriesOf(before);
    try (Session session = hive.open()) {
      assertThat(session.sortedRows("select * from " + table)).containsExactly(BEFORE_IT);
      // As its user does, who was told of a lost connection.
      assertThat(session.linesOfOurs(Tables.overwrite(table)))
          .last()
          .asString()
          .contains("zero-rename: committed");
      assertThat(session.sortedRows("select * from " + table)).containsExactly(AFTER_IT);
    }
  }

  @Test
  void itIsCompletedAfterTheNextInsertWhereItWasDecided() throws Exception {
    isCompleted("killed_completing", new Kill(AFTER, COMPLETE_MULTIPART_UPLOAD, 2));
  }

  private static void isCompleted(String table, Kill kill) throws Exception {
    hive.killInOverwrite(bucket, table, kill);

    restart();

    try (Session session = hive.open()) {
      completeAtOnce(session);
      session.execute(insertOfOneRow(table));
      assertAllIsThere(session, table);
    }
  }

  /** The process that was killed has nothing under way. */
  private static void completeAtOnce(Session session) throws SQLException {
    session.execute("set " + CoreKeys.RECOVERY_PATIENCE.name() + "=0");
  }

  /** What an operator does who cannot wait for the next INSERT, or for HiveServer2. */
  @Test
  void commandPutsTheFilesInTheirPlaceBeforeHiveServer2IsBack() throws Exception {
    String table = "killed_recovered";
    SortedMap<String, Long> before =
        hive.killInOverwrite(bucket, table, new Kill(AFTER, PUT_OBJECT, DECISION, 1));

    installation.configure(server, server.gateway(), Map.of());
    Cluster.Outcome outcome =
        installation.zerorename("recover", "s3a://" + HiveServer2OnS3.BUCKET + "/" + table);

    assertThat(outcome.text()).contains("registers its partitions in the metastore");
    assertThat(outcome.exitCode()).as(outcome.text()).isEqualTo(1);
    assertThat(bucket.files(table + "/"))
        .hasSize(AFTER_IT.length)
        .doesNotContainAnyElementsOf(before.keySet());
    restart();
    try (Session session = hive.open()) {
      assertThat(session.sortedRows("select * from " + table))
          .as("in the partitions that the metastore knows")
          .containsExactly("10\t1", "20\t2");
      session.execute(insertOfOneRow(table));
      assertAllIsThere(session, table);
    }
  }

  private static String insertOfOneRow(String table) {
    return "insert into " + table + " partition (p) values (7, 4)";
  }

  /** In the end: the statement that has found the killed one does not wait for it. */
  private static void assertAllIsThere(Session session, String table) throws Exception {
    List<String> rows = List.of("10\t1", "20\t2", "30\t3", "7\t4");
    Await.until(
        table + " has " + rows, () -> session.sortedRows("select * from " + table).equals(rows));
    assertThat(session.rows("show partitions " + table))
        .containsExactly("p=1", "p=2", "p=3", "p=4");
    assertThat(bucket.pendingUploads(table + "/")).isEmpty();
  }

  private static void restart() throws Exception {
    hive = HiveServer2Process.start(installation, server, Map.of());
  }
}
