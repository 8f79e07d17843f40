package io.zerorename.hiveserver2;

import static io.zerorename.testing.s3server.FaultRule.typeUnder;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.testing.process.Await;
import io.zerorename.testing.process.Kill;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.HeldRequests;
import io.zerorename.testing.s3server.RequestType;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * INSERTs of which all tasks run in a daemon of LLAP, in a process of its own with the committer's
 * jar among its own, found in ZooKeeper. YARN, which elsewhere starts daemons, is not there.
 */
@Tag("thorough")
class LlapTest {
  private static final String HOSTS = "@llap";
  private static final String DECLARED = "set zerorename.hive.llap=commit";

  @TempDir private static Path home;

  private static EmbeddedS3Server server;
  private static BucketContents bucket;
  private static ZooKeeperOfTests zooKeeper;
  private static LlapDaemonProcess daemon;
  private static HiveServer2Process hive;
  private static Twins twins;

  private final ExecutorService threads = Executors.newSingleThreadExecutor();

  @BeforeAll
  static void start() throws Exception {
    server = EmbeddedS3Server.start();
    bucket = server.createBucket(HiveServer2OnS3.BUCKET);
    zooKeeper = ZooKeeperOfTests.start(home.resolve("zookeeper"));
    daemon = LlapDaemonProcess.start(home.resolve("daemon"), zooKeeper, HOSTS);
    Map<String, String> settings = new HashMap<>(zooKeeper.settings());
    settings.put("hive.execution.mode", "llap");
    // Statements fail of which a part could not run there.
    settings.put("hive.llap.execution.mode", "only");
    settings.put("hive.llap.daemon.service.hosts", HOSTS);
    // Else LLAP's scheduler can be there only once in a process, and each session here has one.
    settings.put("hive.in.test", "true");
    // Two sorting tasks at once must fit into the daemon's small heap.
    settings.put("tez.runtime.io.sort.mb", "24");
    // What tasks hand on is on the daemon's disk, and not where the application master looks.
    settings.put("tez.runtime.optimize.local.fetch", "false");
    Installation installation = Installation.in(home);
    installation.addToClassPath(LlapDaemonProcess.CLASS_PATH);
    hive = HiveServer2Process.start(installation, server, settings);
    twins = Twins.open(hive, bucket, DECLARED);
    try (Session session = hive.open()) {
      Tables.createNumbers(session);
    }
  }

  @AfterAll
  static void stop() throws IOException {
    for (Closeable each : Arrays.asList(twins, hive, daemon, zooKeeper, server)) {
      // Of what could not be started its own failure tells.
      if (each != null) {
        each.close();
      }
    }
  }

  @AfterEach
  void reset() {
    hive.gateway().faults(FaultRule.NONE);
    threads.shutdownNow();
  }

  @Test
  void unionEndsAsOnHivesOwnPath() throws Exception {
    twins.run("union-dynamic orc");
  }

  /** At the end of each task LLAP closes the file systems that it has used, and no other's. */
  @Test
  void queryEndsWhileAnotherUploadsInTheSameDaemon() throws Exception {
    try (Session slow = open();
        Session quick = open()) {
      Tables.createFilled(slow, "slow_query");
      Tables.createFilled(quick, "quick_query");
      HeldRequests held =
          new HeldRequests(1, typeUnder(RequestType.UPLOAD_PART, "slow_query/p=2/"));
      hive.gateway().faults(held);
      Future<List<String>> running =
          threads.submit(() -> slow.linesOfOurs(Tables.overwrite("slow_query")));
      held.awaitFirst();

      assertCommitted(quick.linesOfOurs(Tables.overwrite("quick_query")));
      assertThat(running.isDone()).isFalse();
      held.pass();

      assertCommitted(running.get(5, TimeUnit.MINUTES));
      assertOverwritten(slow, "slow_query");
      assertOverwritten(quick, "quick_query");
    }
  }

  @Test
  void anotherDaemonRepeatsTheTasksOfOneThatWasKilled() throws Exception {
    try (Session session = open()) {
      // For so long the application master waits for a sign of life; elsewhere five minutes.
      session.execute("set tez.task.timeout-ms=5000");
      session.execute("set tez.task.timeout.check-ms=500");
      // Of one vertex: what it hands on to another is gone with the daemon, and is looked for for
      // minutes.
      session.execute("set hive.optimize.sort.dynamic.partition.threshold=-1");
      session.execute("set hive.stats.column.autogather=false");
      Tables.createFilled(session, "killed_daemon");
      hive.gateway()
          .faults(
              daemon.killAt(
                  new Kill(Kill.Side.AFTER, RequestType.UPLOAD_PART, "killed_daemon/p=2/", 1)));
      Future<List<String>> running =
          threads.submit(() -> session.linesOfOurs(Tables.overwrite("killed_daemon")));
      daemon.awaitDeath();
      // LLAP tells two of one host apart only where they are there one after the other.
      zooKeeper.awaitNoDaemons();
      daemon = LlapDaemonProcess.start(home.resolve("next-daemon"), zooKeeper, HOSTS);

      assertCommitted(running.get(5, TimeUnit.MINUTES));
      assertOverwritten(session, "killed_daemon");
    }
  }

  /** A session in which somebody has said so; small files are uploaded like large ones. */
  private static Session open() throws SQLException {
    Session session = hive.open();
    session.execute(DECLARED);
    session.execute("set " + CoreKeys.INLINE_MAX_BYTES.name() + "=0");
    return session;
  }

  private static void assertCommitted(List<String> told) {
    assertThat(told).last().asString().contains("zero-rename: committed INSERT OVERWRITE");
  }

  private static void assertOverwritten(Session session, String table) throws Exception {
    assertThat(session.sortedRows("select * from " + table))
        .containsExactly("10\t1", "20\t2", "30\t3");
    assertThat(bucket.files(table + "/")).hasSize(3);
    // A task that was held may abort its upload after its query has ended.
    Await.until("no upload is pending", () -> bucket.pendingUploads("").isEmpty());
  }
}
