package io.zerorename.hiveserver2;

import static io.zerorename.testing.process.Kill.Side.AFTER;
import static io.zerorename.testing.s3server.RequestType.PUT_OBJECT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.testing.process.Await;
import io.zerorename.testing.process.Kill;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.RequestRecording;
import io.zerorename.testing.s3server.S3Request;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A HiveServer2 that has an object store, a metastore and a disk of its own, and no cluster file
 * system, as in a pod: its scratch directory and all else of Hive's is in the bucket.
 */
@Tag("thorough")
class ObjectStoreOnlyTest {
  private static final String ROOT = "s3a://" + HiveServer2OnS3.BUCKET + "/";

  /** Where Hive's own files are, beside the tables. */
  private static final String OF_HIVE = "of-hive/";

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
    hive = HiveServer2Process.start(installation, server, settings());
    try (Session session = hive.open()) {
      Tables.createNumbers(session);
    }
  }

  @AfterAll
  static void stop() throws IOException {
    hive.close();
    server.close();
  }

  private static Map<String, String> settings() {
    return Map.of(
        "fs.defaultFS",
        ROOT,
        "hive.exec.scratchdir",
        ROOT + OF_HIVE + "scratch",
        "hive.metastore.warehouse.dir",
        ROOT + OF_HIVE + "managed",
        "hive.metastore.warehouse.external.dir",
        ROOT + OF_HIVE + "external",
        "hive.user.install.directory",
        ROOT + OF_HIVE + "install",
        "hive.query.results.cache.directory",
        ROOT + OF_HIVE + "results",
        "tez.staging-dir",
        ROOT + OF_HIVE + "tez-staging",
        CoreKeys.WORK_DIR.name(),
        disk().toUri().toString());
  }

  private static Path disk() {
    return home.resolve("disk");
  }

  /** Of the tables. */
  private static boolean isCopyOfData(S3Request request) {
    return request.type().isCopy() && !request.key().startsWith(OF_HIVE);
  }

  @Test
  void withAWorkDirectoryOnDiskInsertsAreCommittedWithoutACopyOfData() throws Exception {
    try (Session session = hive.open();
        RequestRecording recording = hive.gateway().record()) {
      Tables.create(session, "with_disk");
      for (String statement :
          List.of(
              "insert into with_disk partition (p) values (100, 1), (200, 2)",
              Tables.overwrite("with_disk"),
              "insert overwrite table with_disk partition (p=9) select 9",
              "create external table made stored as orc location '%smade' as select * from numbers"
                  .formatted(ROOT))) {
        assertThat(session.linesOfOurs(statement))
            .as(statement)
            .singleElement()
            .asString()
            .contains("zero-rename: committed");
      }
      assertThat(session.sortedRows("select * from with_disk"))
          .containsExactly("10\t1", "20\t2", "30\t3", "9\t9");
      assertThat(session.sortedRows("select * from made")).containsExactly("1\t1", "2\t2", "3\t3");
      assertThat(recording.requests())
          .noneMatch(ObjectStoreOnlyTest::isCopyOfData)
          .as("manifests, in the directory of the sink")
          .noneMatch(it -> it.type().isCopy() && it.key().contains("-ext-10000"));
    }
    assertThat(bucket.pendingUploads("")).isEmpty();
  }

  /** The disk of a pod ends with it; a new pod has an empty one. */
  private static void loseDisk() throws IOException {
    try (Stream<Path> files = Files.walk(disk())) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  @Test
  void aNewPodCompletesADecidedCommitOfOneWhoseDiskIsLost() throws Exception {
    // Closed with the connection's other end.
    Session killed = hive.open();
    killed.execute("set " + CoreKeys.INLINE_MAX_BYTES.name() + "=0");
    Tables.createFilled(killed, "pod_decided");
    hive.killAt(new Kill(AFTER, PUT_OBJECT, "/log/_9", 1));
    assertThatThrownBy(() -> killed.execute(Tables.overwrite("pod_decided")))
        .isInstanceOf(SQLException.class);
    hive.awaitDeath();
    hive.close();
    loseDisk();

    hive = HiveServer2Process.start(installation, server, settings());
    try (Session session = hive.open()) {
      session.execute("set " + CoreKeys.RECOVERY_PATIENCE.name() + "=0");
      session.execute("insert into pod_decided partition (p) values (7, 4)");
      List<String> rows = List.of("10\t1", "20\t2", "30\t3", "7\t4");
      Await.until(
          "pod_decided has " + rows,
          () -> session.sortedRows("select * from pod_decided").equals(rows));
    }
    assertThat(bucket.pendingUploads("pod_decided/")).isEmpty();
  }
}
