package io.zerorename.core.kill;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.commit.OpenCommit;
import io.zerorename.core.commit.TestJob;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.parallel.Clock;
import io.zerorename.core.recovery.JobEngine;
import io.zerorename.core.recovery.Recovered;
import io.zerorename.core.recovery.Recovery;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.testing.process.Await;
import io.zerorename.testing.process.ChildJvm;
import io.zerorename.testing.process.Kill;
import io.zerorename.testing.process.Kill.Side;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.RequestCounts;
import io.zerorename.testing.s3server.RequestType;
import io.zerorename.testing.s3server.S3Gateway;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * {@code kill -9} of a JVM that commits through S3A: at chosen requests, before the server sees
 * them and after it has done their work. Recovery, in another process, makes of the job under way
 * all or nothing.
 */
@Tag("stores")
final class KilledCommitTest {
  private static final String PREFIX = ObjectKeys.prefixOf(TestJob.TABLE);

  /** In the keys of entries and markers: of each job first its entry, and at last its marker. */
  private static final String LOG = "/log/_9";

  private static final CommitSettings SETTINGS =
      new CommitSettings(2, 512, Duration.ZERO, Clock::sleep);

  private static final List<RequestType> CHANGING =
      List.of(
          RequestType.CREATE_MULTIPART_UPLOAD,
          RequestType.UPLOAD_PART,
          RequestType.COMPLETE_MULTIPART_UPLOAD,
          RequestType.PUT_OBJECT,
          RequestType.DELETE_OBJECT,
          RequestType.DELETE_OBJECTS);

  @TempDir private static Path temporary;

  private static EmbeddedS3Server server;
  private static BucketContents bucket;
  private static S3AObjectStores stores;
  private static Victim spare;
  private static int tables;

  @BeforeAll
  static void start() throws IOException {
    server = EmbeddedS3Server.start();
    bucket = server.createBucket(ObjectKeys.bucketOf(TestJob.TABLE));
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
      return new Victim(
          CommittingProcess.start(settings, temporary.resolve("committing.log")), gateway);
    }

    @Override
    public void close() throws IOException {
      process.close();
      gateway.close();
    }
  }

  /** Of two jobs the second overwrites. */
  static Stream<Kill> beforeTheDecision() {
    return Stream.of(
        new Kill(Side.AFTER, RequestType.UPLOAD_PART, "", 1),
        new Kill(Side.BEFORE, RequestType.PUT_OBJECT, LOG, 3));
  }

  static Stream<Kill> afterTheDecision() {
    return Stream.of(
        new Kill(Side.AFTER, RequestType.PUT_OBJECT, LOG, 1),
        // Four for each job.
        new Kill(Side.BEFORE, RequestType.COMPLETE_MULTIPART_UPLOAD, "", 8),
        // What the second job replaces.
        new Kill(Side.BEFORE, RequestType.DELETE_OBJECTS, "", 1));
  }

  @ParameterizedTest
  @MethodSource("beforeTheDecision")
  void killedBeforeItsDecisionAJobLeavesNothing(Kill kill) throws Exception {
    assertThat(isCarriedOut(kill)).isFalse();
  }

  @ParameterizedTest
  @MethodSource("afterTheDecision")
  void killedAfterItsDecisionAJobIsCarriedOut(Kill kill) throws Exception {
    assertThat(isCarriedOut(kill)).isTrue();
  }

  /** Whether recovery has made all of the job under way, and not nothing. */
  private static boolean isCarriedOut(Kill kill) throws Exception {
    bucket.clear("");
    Path workDir = temporary.resolve("work-" + ++tables);
    // One that has started meanwhile; the next one starts while this one works.
    Victim victim = spare;
    spare = Victim.start();
    try (victim) {
      victim.gateway().faults(kill.of(victim.process()));
      victim.process().await(0, CommittingProcess.READY::equals, Await.LIMIT);
      victim.process().send(workDir.toString());
      victim.process().awaitEnd(Await.LIMIT);
      assertThat(victim.process().wasKilled()).as(victim.process().lastOutput()).isTrue();
      // Nothing of it is under way any more.
      victim.gateway().awaitDisconnected(Await.LIMIT);
      return checkRecovery(workDir, "killed " + kill + ": ", victim.process().output());
    }
  }

  /**
   * Looks at the table as the killed process has left it, recovers, recovers again, runs a further
   * job, and looks each time.
   */
  private static boolean checkRecovery(Path workDir, String in, List<String> output)
      throws IOException {
    int number = (int) output.stream().filter(it -> it.startsWith(CommittingProcess.BEGUN)).count();
    ScriptedJob last = new ScriptedJob(number);
    SortedMap<String, String> before = new TreeMap<>();
    for (int earlier = 1; earlier < number; earlier++) {
      before = new ScriptedJob(earlier).applyTo(before);
    }
    SortedMap<String, String> after = last.applyTo(before);

    // Old files may be gone only where every new one is there, and nothing else ever is.
    SortedMap<String, String> broken = contents();
    boolean allNew = broken.entrySet().containsAll(last.made().entrySet());
    assertThat(broken)
        .as("%sbefore recovery, all new files visible: %s", in, allNew)
        .containsAllEntriesOf(allNew ? after : before);
    Set<String> known = new HashSet<>(before.keySet());
    known.addAll(after.keySet());
    assertThat(known).as(in + "before recovery").containsAll(broken.keySet());

    assertThat(recover(last, workDir))
        .as(in + "what recovery found")
        .hasSizeLessThanOrEqualTo(1)
        .allSatisfy(
            found ->
                assertThat(found)
                    .isInstanceOf(Recovered.Completed.class)
                    .extracting(Recovered::jobId)
                    .isEqualTo(last.id()));
    SortedMap<String, String> recovered = contents();
    assertThat(recovered).as(in + "after recovery").isIn(before, after);
    if (output.contains(CommittingProcess.COMMITTED + last.id())) {
      assertThat(recovered).as(in + "said to be committed").isEqualTo(after);
    }
    assertThat(bucket.pendingUploads(PREFIX)).as(in + "pending").isEmpty();

    RequestCounts counts = server.gateway().counts();
    assertThat(recover(last, workDir)).as(in + "what a second recovery found").isEmpty();
    RequestCounts again = server.gateway().counts().minus(counts);
    assertThat(CHANGING).as(in + "second recovery").allMatch(type -> again.of(type) == 0);
    assertThat(contents()).as(in + "after a second recovery").isEqualTo(recovered);

    ScriptedJob next = new ScriptedJob(number + 1);
    next.run(stores, workDir);
    assertThat(contents()).as(in + "after the next job").isEqualTo(next.applyTo(recovered));
    assertThat(bucket.pendingUploads(PREFIX)).as(in + "pending after the next job").isEmpty();
    return recovered.equals(after);
  }

  /** Carries out what was decided; of a job of which the log knows nothing a sweep takes care. */
  private static List<Recovered> recover(ScriptedJob last, Path workDir) throws IOException {
    JobEngine engine =
        new JobEngine() {
          @Override
          public boolean mayWrite(org.apache.hadoop.fs.Path root) {
            return root.equals(TestJob.TABLE);
          }

          @Override
          public boolean afterFiles(OpenCommit commit) {
            return true;
          }
        };
    List<Recovered> found =
        new Recovery(stores, new CommitLog(stores, TestJob.LOG), SETTINGS, engine)
            .run(Duration.ZERO);
    TestJob job = last.begin(stores, workDir);
    if (!job.isDecided()) {
      job.abort();
    }
    return found;
  }

  /** Contents of the table's files by name. */
  private static SortedMap<String, String> contents() {
    SortedMap<String, String> contents = new TreeMap<>();
    for (String key : bucket.files(PREFIX)) {
      contents.put(key.substring(PREFIX.length()), new String(bucket.read(key), UTF_8));
    }
    return contents;
  }
}
