package io.zerorename.hiveserver2;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.process.Await;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.HeldRequests;
import io.zerorename.testing.s3server.RequestRecording;
import io.zerorename.testing.s3server.RequestType;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A HiveServer2 that many sessions use at once: threads and connections stay within the limit of
 * the process, and no session waits for the commit of another.
 */
@Tag("thorough")
class CrowdedHiveServer2Test {
  private static final int SESSIONS = 20;
  private static final int STATEMENTS = 50;
  private static final int TABLES = 5;

  /** Of each statement, with a file each. */
  private static final int PARTITIONS = 4;

  /** Sessions beside one with a large commit. */
  private static final int OTHERS = 5;

  /** Fewer than the commits ask for. */
  private static final int PROCESS_THREADS = 32;

  /** One for each thread and each commit, and some for Hive. */
  private static final int MOST_CONNECTIONS = 100;

  /** Half of the process's, all of which Hive, its metastore and the tasks use too. */
  private static final long MOST_HEAP = 512L << 20;

  @TempDir private static Path home;

  private static EmbeddedS3Server server;
  private static BucketContents bucket;
  private static HiveServer2Process hive;

  @BeforeAll
  static void start() throws Exception {
    server = EmbeddedS3Server.start();
    bucket = server.createBucket(HiveServer2OnS3.BUCKET);
    hive =
        HiveServer2Process.start(
            Installation.in(home),
            server,
            Map.of(
                "zerorename.process.threads",
                String.valueOf(PROCESS_THREADS),
                "fs.s3a.connection.maximum",
                String.valueOf(MOST_CONNECTIONS),
                // Requests are held for longer than a request may take otherwise.
                "fs.s3a.connection.request.timeout",
                "15m",
                "fs.s3a.connection.timeout",
                "15m"));
  }

  @AfterAll
  static void stop() throws IOException {
    hive.close();
    server.close();
  }

  @AfterEach
  void letAllPass() {
    hive.gateway().faults(FaultRule.NONE);
  }

  @Test
  void fiftyInsertsOfTwentySessionsCommitAtOnceWithinTheLimitOfTheProcess() throws Exception {
    try (Crowd crowd = Crowd.open(hive, SESSIONS);
        RequestRecording recording = hive.gateway().record()) {
      CrowdTables tables = CrowdTables.create(crowd.any(), "crowd", TABLES);
      HeldRequests files = filesOf("crowd_");
      List<Future<List<String>>> running =
          crowd.commitTogether(tables.inserts(STATEMENTS, PARTITIONS), files);
      Await.until("all threads have a request", () -> files.seen() == PROCESS_THREADS + STATEMENTS);
      Footprint full = hive.footprint();
      files.pass();
      Crowd.assertCommitted(running);

      assertThat(full.jobThreads()).isEqualTo(PROCESS_THREADS + STATEMENTS);
      assertThat(full.shown()).isEqualTo(PROCESS_THREADS);
      assertThat(full.heap()).as("with the plans of all").isLessThan(MOST_HEAP);
      Footprint after = hive.footprint();
      assertThat(after.mostJobThreads()).isEqualTo(PROCESS_THREADS + STATEMENTS);
      assertThat(after.mostShown()).isEqualTo(PROCESS_THREADS);
      assertThat(after.heap()).isLessThan(MOST_HEAP);
      assertThat(hive.gateway().mostConnections()).isLessThanOrEqualTo(MOST_CONNECTIONS);
      assertThat(recording.requests()).noneMatch(request -> request.type().isCopy());
      tables.assertRows(crowd.any());
    }
    Await.until("the threads of all commits have ended", () -> hive.footprint().jobThreads() == 0);
    assertThat(hive.footprint().shown()).isZero();
    assertThat(bucket.pendingUploads("")).isEmpty();
  }

  @Test
  void insertsOfOtherSessionsAreCompleteWhileALargeCommitHasAllThreads() throws Exception {
    try (Crowd crowd = Crowd.open(hive, 1 + OTHERS)) {
      CrowdTables slow = CrowdTables.create(crowd.any(), "slow", 1);
      CrowdTables tables = CrowdTables.create(crowd.any(), "quick", OTHERS);
      HeldRequests files = filesOf("slow_");
      Future<List<String>> large =
          crowd.commitTogether(slow.inserts(1, 2 * PROCESS_THREADS), files).get(0);
      Await.until("the large commit has all threads", () -> files.seen() == PROCESS_THREADS + 1);
      assertThat(hive.footprint().shown()).isEqualTo(PROCESS_THREADS);

      Crowd.assertCommitted(crowd.commitTogether(tables.inserts(OTHERS, PARTITIONS), files));
      tables.assertRows(crowd.any());

      assertThat(large.isDone()).isFalse();
      assertThat(files.seen()).isEqualTo(PROCESS_THREADS + 1);
      files.pass();
      Crowd.assertCommitted(List.of(large));
      slow.assertRows(crowd.any());
    }
  }

  private static HeldRequests filesOf(String table) {
    return new HeldRequests(
        1,
        request ->
            request.type() == RequestType.COMPLETE_MULTIPART_UPLOAD
                && request.key().startsWith(table)
                && request.key().contains("/p="));
  }
}
