package io.zerorename.hiveserver2;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.zerorename.testing.process.Await;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.FaultRule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A HiveServer2 in which sessions come and go, each with the classes of the committer for itself:
 * what it takes of its machine does not grow.
 *
 * <p>{@code -Dsoak.minutes=60} has it run longer than four rounds. {@code soak.sessions} and {@code
 * soak.statements} say how many each round has.
 */
@Tag("thorough")
class CrowdSoakTest {
  private static final Logger LOG = LoggerFactory.getLogger(CrowdSoakTest.class);
  private static final int MINUTES = Integer.getInteger("soak.minutes", 0);
  private static final int SESSIONS = Integer.getInteger("soak.sessions", 20);
  private static final int STATEMENTS = Integer.getInteger("soak.statements", 30);
  private static final int TABLES = 5;
  private static final int PARTITIONS = 2;
  private static final String KEEP_ALIVE = "1s";

  /** Threads that wait for clients, at the least by Hive's default, and one that ends sessions. */
  private static final int SERVERS_KEPT = 6;

  /** The file with the classes of the heap, of which {@code target} gets one for each round. */
  private static final String CLASSES = "classes.txt";

  /**
   * Not Tez: in local mode each of its application masters leaves a file system of its own user in
   * Hadoop's cache, which keeps the class loader of its session.
   */
  private static final String[] ENGINE = {
    "set hive.execution.engine=mr", "set hive.merge.mapfiles=false"
  };

  private static final Map<String, String> SETTINGS =
      Map.of(
          // Requests are held for longer than a request may take otherwise.
          "fs.s3a.connection.request.timeout",
          "15m",
          "fs.s3a.connection.timeout",
          "15m",
          // Each thread keeps a connection of the metastore with 0.75 MB. Else more of them live at
          // the end of a round if it was fast.
          "hive.server2.thrift.worker.keepalive.time",
          KEEP_ALIVE,
          "hive.server2.async.exec.keepalive.time",
          KEEP_ALIVE,
          // Not only after half an hour, so that rounds before and after are alike.
          "hikaricp.maxLifetime",
          "120000");

  private static final int LEAST_ROUNDS = 4;

  /** What may be added in the second half of the rounds. */
  private static final Map<String, Long> MARGINS =
      Map.of(
          "heap", 24L << 20, "threads", 60L, "files", 60L, "connections", 20L, "localFiles", 20L);

  /**
   * Class loaders that Hive keeps of closed sessions, however many rounds there were: those of the
   * first sessions, and of the last that each of its handlers and each connection of its metastore
   * has served, of which there are as many as sessions at once.
   */
  private static final int LOADERS_KEPT = 15 + SESSIONS;

  /** Three small files of each job, which later jobs delete after 7 days. */
  private static final String RECORDS = "/zerorename-";

  @TempDir private static Path home;

  private static EmbeddedS3Server server;
  private static BucketContents bucket;
  private static HiveServer2Process hive;

  /** What it took after each round, when all sessions were closed. */
  private final List<Map<String, Long>> rounds = new ArrayList<>();

  @BeforeAll
  static void start() throws Exception {
    server = EmbeddedS3Server.start();
    bucket = server.createBucket(HiveServer2OnS3.BUCKET);
    hive =
        HiveServer2Process.start(
            Installation.in(home),
            server,
            SETTINGS,
            List.of(
                "-D" + Footprint.CLASSES + "=" + home.resolve(CLASSES),
                // Hive's planner keeps what it has found out of the last 1,000 plans, and with it
                // the class loaders of closed sessions.
                "-Dcalcite.metadata.handler.cache.maximum.size=10",
                // Else what is only softly reachable stays for minutes: the loaders as well.
                "-XX:SoftRefLRUPolicyMSPerMB=0"));
  }

  @AfterAll
  static void stop() throws IOException {
    hive.close();
    server.close();
  }

  @Test
  void whatTheProcessTakesDoesNotGrow() throws Exception {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(MINUTES);
    while (System.nanoTime() < end || rounds.size() < LEAST_ROUNDS) {
      round();
      LOG.info("round {}: {}", rounds.size(), rounds.get(rounds.size() - 1));
      Files.writeString(
          Path.of("target", "crowd-soak.json"),
          new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsString(rounds));
    }
    MARGINS.forEach(this::assertDoesNotGrow);
    assertThat(SESSIONS * rounds.size()).isGreaterThan(2 * LOADERS_KEPT);
    // Threads of pools of Hive's and of S3A's have kept theirs while there was work.
    Await.until(
        "the class loaders of closed sessions are gone",
        () -> hive.footprint().loaders() <= LOADERS_KEPT);
    LOG.info("after {} sessions: {}", SESSIONS * rounds.size(), hive.footprint());
  }

  /** What it takes at the least in the second half is not above the most in the first. */
  private void assertDoesNotGrow(String figure, long margin) {
    int half = rounds.size() / 2;
    // Not the first round, in which most classes are loaded.
    List<Long> first = rounds.subList(1, half).stream().map(it -> it.get(figure)).toList();
    List<Long> second =
        rounds.subList(half, rounds.size()).stream().map(it -> it.get(figure)).toList();
    assertThat(Collections.min(second))
        .as("%s: %s and then %s", figure, first, second)
        .isLessThanOrEqualTo(Collections.max(first) + margin);
  }

  private void round() throws Exception {
    try (Crowd crowd = Crowd.open(hive, SESSIONS, ENGINE)) {
      CrowdTables tables = CrowdTables.create(crowd.any(), "round_" + rounds.size(), TABLES);
      Crowd.assertCommitted(
          crowd.commitTogether(tables.inserts(STATEMENTS, PARTITIONS), FaultRule.NONE));
      tables.assertRows(crowd.any());
      tables.drop(crowd.any());
    }
    Await.until("the threads of all commits have ended", () -> hive.footprint().jobThreads() == 0);
    Await.until(
        "the threads of closed sessions have ended",
        () -> hive.footprint().servers() <= SERVERS_KEPT);
    assertThat(bucket.pendingUploads("")).isEmpty();
    Map<String, Long> figures = new LinkedHashMap<>(hive.footprint().figures());
    figures.put("connections", (long) hive.gateway().connections());
    figures.put("localFiles", localFiles());
    rounds.add(figures);
    Files.copy(
        home.resolve(CLASSES),
        Files.createDirectories(Path.of("target", "crowd-soak")).resolve(rounds.size() + ".txt"),
        StandardCopyOption.REPLACE_EXISTING);
  }

  private static long localFiles() throws IOException {
    long count = 0;
    for (String directory : List.of("scratch", "local-scratch", "resources", "hadoop")) {
      Path path = home.resolve(directory);
      if (Files.exists(path)) {
        try (Stream<Path> files = Files.walk(path)) {
          count +=
              files
                  .filter(Files::isRegularFile)
                  .filter(file -> !file.toString().contains(RECORDS))
                  .count();
        }
      }
    }
    return count;
  }
}
