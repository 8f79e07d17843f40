package io.zerorename.core.kill;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.kill.KilledTable.Outcome;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.testing.process.Await;
import io.zerorename.testing.process.ChildJvm;
import io.zerorename.testing.process.Kill;
import io.zerorename.testing.process.Kill.Side;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.RequestType;
import io.zerorename.testing.s3server.S3Gateway;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
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
 * {@code kill -9} of a JVM that commits through S3A: at chosen requests, before the server sees
 * them and after it has done their work, and at random moments. Recovery, in another process, makes
 * of the job under way all or nothing.
 */
final class KilledCommitTest {
  static final String BUCKET = "kills";

  /** Of the random moments; it is told with a failure, to have the same ones again. */
  private static final long SEED = Long.getLong("zerorename.kills.seed", System.nanoTime());

  /** In the keys of entries and markers: of each job first its entry, and at last its marker. */
  private static final String LOG = "/log/_9";

  private static final int RANDOM_KILLS = Integer.getInteger("zerorename.kills", 2);

  private static final int REQUESTS_OF_FOUR_JOBS = 80;
  private static final int MOST_MICROS = 10_000;

  @TempDir private static Path temporary;

  private static EmbeddedS3Server server;
  private static BucketContents bucket;
  private static S3AObjectStores stores;
  private static Victim spare;
  private static int tables;

  @BeforeAll
  static void start() throws IOException {
    server = EmbeddedS3Server.start();
    bucket = server.createBucket(BUCKET);
    Configuration conf = new Configuration();
    server.hadoopSettings().forEach(conf::set);
    stores = new S3AObjectStores(conf);
    spare = Victim.start();
  }

  @AfterAll
  static void stop() throws IOException {
    spare.close();
    stores.close();
    server.close();
  }

  /** A process that is ready to be told what to do, and the way to S3 that it alone takes. */
  private record Victim(ChildJvm process, S3Gateway gateway) implements Closeable {
    static Victim start() throws IOException {
      S3Gateway gateway = server.newGateway();
      List<String> settings = new ArrayList<>();
      server.hadoopSettings(gateway).forEach((key, value) -> settings.add(key + "=" + value));
      ChildJvm process =
          CommittingProcess.start(settings, "-Xmx128m", temporary.resolve("committing.log"));
      return new Victim(process, gateway);
    }

    void work(KilledTable table) throws IOException, InterruptedException {
      process.await(0, CommittingProcess.READY::equals, Await.LIMIT);
      process.send(table.location().toString());
      process.send(table.workDir().toString());
      process.send("1");
    }

    /** Returns when nothing of it is under way any more. */
    void awaitEnd() throws IOException, InterruptedException {
      process.awaitEnd(Await.LIMIT);
      assertThat(process.wasKilled()).as(process.lastOutput()).isTrue();
      gateway.awaitDisconnected(Await.LIMIT);
    }

    @Override
    public void close() throws IOException {
      process.close();
      gateway.close();
    }
  }

  /**
   * The steps of a commit, some before and some after a request. Of two jobs the second overwrites.
   */
  static Stream<Kill> beforeTheDecision() {
    return Stream.of(
            at(Side.AFTER, RequestType.UPLOAD_PART, "", 1),
            at(Side.BEFORE, RequestType.PUT_OBJECT, LOG, 3))
        .flatMap(kills -> kills);
  }

  static Stream<Kill> moreBeforeTheDecision() {
    return Stream.of(
            at(Side.BEFORE, RequestType.CREATE_MULTIPART_UPLOAD, "", 1, 8),
            at(Side.AFTER, RequestType.CREATE_MULTIPART_UPLOAD, "", 1, 8),
            at(Side.BEFORE, RequestType.UPLOAD_PART, "", 1, 10),
            at(Side.AFTER, RequestType.UPLOAD_PART, "", 10),
            // The old files of the partitions that are replaced.
            at(Side.BEFORE, RequestType.LIST_OBJECTS_V2, "/p=", 1, 2),
            at(Side.AFTER, RequestType.LIST_OBJECTS_V2, "/p=", 1, 2),
            at(Side.BEFORE, RequestType.LIST_OBJECTS_V2, "/log", 1, 2),
            at(Side.AFTER, RequestType.LIST_OBJECTS_V2, "/log", 1, 2),
            at(Side.BEFORE, RequestType.PUT_OBJECT, LOG, 1))
        .flatMap(kills -> kills);
  }

  static Stream<Kill> afterTheDecision() {
    return Stream.of(
            at(Side.AFTER, RequestType.PUT_OBJECT, LOG, 1),
            // Four for each job.
            at(Side.BEFORE, RequestType.COMPLETE_MULTIPART_UPLOAD, "", 8),
            // What the second job replaces.
            at(Side.BEFORE, RequestType.DELETE_OBJECTS, "", 1))
        .flatMap(kills -> kills);
  }

  static Stream<Kill> moreAfterTheDecision() {
    return Stream.of(
            at(Side.AFTER, RequestType.PUT_OBJECT, LOG, 3),
            at(Side.BEFORE, RequestType.COMPLETE_MULTIPART_UPLOAD, "", 1, 3, 4),
            at(Side.AFTER, RequestType.COMPLETE_MULTIPART_UPLOAD, "", 1, 3, 4, 8),
            at(Side.BEFORE, RequestType.ABORT_MULTIPART_UPLOAD, "", 1, 2),
            at(Side.AFTER, RequestType.ABORT_MULTIPART_UPLOAD, "", 1, 2),
            at(Side.BEFORE, RequestType.PUT_OBJECT, LOG, 2, 4),
            at(Side.AFTER, RequestType.PUT_OBJECT, LOG, 2, 4),
            // What the second job replaces.
            at(Side.AFTER, RequestType.DELETE_OBJECTS, "", 1))
        .flatMap(kills -> kills);
  }

  private static Stream<Kill> at(Side side, RequestType type, String place, int... each) {
    return Arrays.stream(each).mapToObj(nth -> new Kill(side, type, place, nth));
  }

  @Tag("stores")
  @ParameterizedTest
  @MethodSource("beforeTheDecision")
  void killedBeforeItsDecisionAJobLeavesNothing(Kill kill) throws Exception {
    assertThat(killed(kill)).isEqualTo(Outcome.NOTHING);
  }

  @Tag("stores")
  @ParameterizedTest
  @MethodSource("afterTheDecision")
  void killedAfterItsDecisionAJobIsCarriedOut(Kill kill) throws Exception {
    assertThat(killed(kill)).isEqualTo(Outcome.ALL);
  }

  /** At all the other requests. */
  @Test
  @Tag("thorough")
  void soItIsWhereverItIsKilled() throws Exception {
    for (Kill kill : moreBeforeTheDecision().toList()) {
      killedBeforeItsDecisionAJobLeavesNothing(kill);
    }
    for (Kill kill : moreAfterTheDecision().toList()) {
      killedAfterItsDecisionAJobIsCarriedOut(kill);
    }
  }

  private static Outcome killed(Kill kill) throws Exception {
    KilledTable table = newTable();
    try (Victim victim = nextVictim()) {
      victim.gateway().faults(kill.of(victim.process()));
      victim.work(table);
      victim.awaitEnd();
      return table.checkRecovery(kill.toString(), victim.process().output());
    }
  }

  static Stream<Arguments> moments() {
    assertThat(RANDOM_KILLS).as("kills at random moments").isPositive();
    Random random = new Random(SEED);
    return IntStream.range(0, RANDOM_KILLS)
        .mapToObj(
            number ->
                Arguments.of(
                    SEED, 1 + random.nextInt(REQUESTS_OF_FOUR_JOBS), random.nextInt(MOST_MICROS)));
  }

  @ParameterizedTest(name = "seed {0}: {2} µs after request {1} has come")
  @MethodSource("moments")
  @Tag("thorough")
  void killedAtAnyMomentAJobIsThereWholeOrNotAtAll(long seed, int request, int micros)
      throws Exception {
    KilledTable table = newTable();
    try (Victim victim = nextVictim()) {
      AtomicInteger seen = new AtomicInteger();
      CountDownLatch come = new CountDownLatch(1);
      victim
          .gateway()
          .faults(
              any -> {
                if (seen.incrementAndGet() == request) {
                  come.countDown();
                }
                return Optional.empty();
              });
      victim.work(table);
      assertThat(come.await(Await.LIMIT.toSeconds(), TimeUnit.SECONDS))
          .as(victim.process().lastOutput())
          .isTrue();
      // Not for a condition: meanwhile the process goes on.
      TimeUnit.MICROSECONDS.sleep(micros);
      victim.process().kill();
      victim.awaitEnd();
      table.checkRecovery(
          micros + " µs after request " + request + ", seed " + seed, victim.process().output());
    }
  }

  /** One that has started meanwhile; the next one starts while this one works. */
  private static Victim nextVictim() throws IOException {
    Victim victim = spare;
    spare = Victim.start();
    return victim;
  }

  private static KilledTable newTable() throws IOException {
    tables++;
    return new KilledTable(server, bucket, stores, "table-" + tables, temporary);
  }
}
