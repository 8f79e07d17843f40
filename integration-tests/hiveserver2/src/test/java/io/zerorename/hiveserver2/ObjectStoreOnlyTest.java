package io.zerorename.hiveserver2;

import static io.zerorename.testing.process.Kill.Side.AFTER;
import static io.zerorename.testing.s3server.RequestType.PUT_OBJECT;
import static io.zerorename.testing.s3server.RequestType.UPLOAD_PART;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.testing.install.Cluster;
import io.zerorename.testing.process.Await;
import io.zerorename.testing.process.Kill;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.RequestRecording;
import io.zerorename.testing.s3server.S3Request;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
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
    hive = HiveServer2Process.start(installation, server, withDisk());
    try (Session session = hive.open()) {
      Tables.createNumbers(session);
    }
  }

  @AfterAll
  static void stop() throws IOException {
    hive.close();
    server.close();
  }

  private static Map<String, String> withoutDisk() {
    Map<String, String> settings = new HashMap<>();
    settings.put("fs.defaultFS", ROOT);
    settings.put("hive.exec.scratchdir", ROOT + OF_HIVE + "scratch");
    settings.put("hive.metastore.warehouse.dir", ROOT + OF_HIVE + "managed");
    settings.put("hive.metastore.warehouse.external.dir", ROOT + OF_HIVE + "external");
    settings.put("hive.user.install.directory", ROOT + OF_HIVE + "install");
    settings.put("hive.query.results.cache.directory", ROOT + OF_HIVE + "results");
    settings.put("tez.staging-dir", ROOT + OF_HIVE + "tez-staging");
    return settings;
  }

  private static Map<String, String> withDisk() {
    Map<String, String> settings = withoutDisk();
    settings.put(CoreKeys.WORK_DIR.name(), disk().toUri().toString());
    return settings;
  }

  private static Path disk() {
    return home.resolve("disk");
  }

  private static void restart(Map<String, String> settings) throws Exception {
    hive.close();
    hive = HiveServer2Process.start(installation, server, settings);
  }

  /** Of the tables. */
  private static boolean isCopyOfData(S3Request request) {
    return request.type().isCopy() && !request.key().startsWith(OF_HIVE);
  }

  private static List<String> statements(String table) {
    return List.of(
        "insert into " + table + " partition (p) values (100, 1), (200, 2)",
        "insert into " + table + " partition (p=1) select a + 100 from numbers where a = 1",
        "insert overwrite table " + table + " partition (p) select a * 10, p from numbers",
        "insert overwrite table " + table + " partition (p=9) select 9");
  }

  private static final String[] ROWS = {"10\t1", "20\t2", "30\t3", "9\t9"};

  @Test
  void withAWorkDirectoryOnDiskInsertsAreCommittedWithoutACopyOfData() throws Exception {
    try (Session session = hive.open();
        RequestRecording recording = hive.gateway().record()) {
      Tables.create(session, "with_disk");
      for (String statement : statements("with_disk")) {
        assertThat(session.linesOfOurs(statement))
            .as(statement)
            .singleElement()
            .asString()
            .contains("zero-rename: committed");
      }
      assertThat(session.sortedRows("select * from with_disk")).containsExactly(ROWS);
      assertThat(session.linesOfOurs(created("made_with_disk")))
          .singleElement()
          .asString()
          .contains("zero-rename: committed");
      assertThat(session.sortedRows("select * from made_with_disk"))
          .containsExactly("1\t1", "2\t2", "3\t3");
      assertThat(recording.requests())
          .noneMatch(ObjectStoreOnlyTest::isCopyOfData)
          .as("manifests, in the directory of the sink")
          .noneMatch(it -> it.type().isCopy() && it.key().contains("-ext-10000"));
    }
    assertThat(bucket.pendingUploads("")).isEmpty();
  }

  private static String created(String table) {
    return "create external table "
        + table
        + " stored as orc location '"
        + ROOT
        + table
        + "' as select * from numbers";
  }

  @Test
  void withoutAWorkDirectoryHivesOwnPathWritesTheSameRowsAndSaysWhy() throws Exception {
    restart(withoutDisk());
    try (Session session = hive.open();
        RequestRecording recording = hive.gateway().record()) {
      Tables.create(session, "without_disk");
      for (String statement : statements("without_disk")) {
        assertThat(session.linesOfOurs(statement))
            .as(statement)
            .singleElement()
            .asString()
            .contains("is written by Hive's own rename path: SCRATCH_ON_S3");
      }
      assertThat(session.sortedRows("select * from without_disk")).containsExactly(ROWS);
      assertThat(recording.requests()).anyMatch(ObjectStoreOnlyTest::isCopyOfData);
    } finally {
      restart(withDisk());
    }
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
    hive.killInOverwrite(bucket, "pod_decided", new Kill(AFTER, PUT_OBJECT, "/log/_9", 1));
    loseDisk();

    restart(withDisk());
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

  @Test
  void uploadsOfAPodWhoseDiskIsLostBeforeTheDecisionAreLeftToTheLifecycleRule() throws Exception {
    SortedMap<String, Long> before =
        hive.killInOverwrite(bucket, "pod_undecided", new Kill(AFTER, UPLOAD_PART, 2));
    loseDisk();

    restart(withDisk());
    assertThat(bucket.objects("pod_undecided/")).containsAllEntriesOf(before);
    try (Session session = hive.open()) {
      assertThat(session.sortedRows("select * from pod_undecided"))
          .containsExactly("100\t1", "200\t2");
      assertThat(session.linesOfOurs(Tables.overwrite("pod_undecided")))
          .last()
          .asString()
          .contains("zero-rename: committed");
      assertThat(session.sortedRows("select * from pod_undecided"))
          .containsExactly("10\t1", "20\t2", "30\t3");
    }
    assertThat(bucket.pendingUploads("pod_undecided/")).isNotEmpty();
    Cluster.Outcome listed = installation.zerorename("uploads", ROOT + "pod_undecided");
    assertThat(listed.exitCode()).as(listed.text()).isZero();
    assertThat(listed.text()).contains("pod_undecided/p=").contains("not decided, may be running");
    Cluster.Outcome aborted =
        installation.zerorename("uploads", "--abort", "--older-than", "1s", ROOT + "pod_undecided");
    assertThat(aborted.exitCode()).as(aborted.text()).isZero();
    assertThat(bucket.pendingUploads("pod_undecided/")).isEmpty();
  }
}
