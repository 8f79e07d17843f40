package io.zerorename.core.kill;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.job.WorkDirectory;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.EntryKind;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.recovery.RecoverEntry.Manner;
import io.zerorename.core.recovery.Recovered;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.testing.OpenJobs;
import io.zerorename.testing.process.Await;
import io.zerorename.testing.process.ChildJvm;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.util.functional.RemoteIterators;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Twenty processes add to and overwrite one table at once, at a real S3 server, and are killed at
 * random moments, while another one recovers what they have left. At the end all is killed, what is
 * open is resumed as {@code zerorename recover} does, and the bucket must be what the order of the
 * log says: the entries one after the other, as if each had been alone.
 *
 * <p>{@code -Dsoak.minutes=30} has it run longer than two minutes.
 */
@Tag("thorough")
class SoakTest {
  private static final Logger LOG = LoggerFactory.getLogger(SoakTest.class);
  private static final int MINUTES = Integer.getInteger("soak.minutes", 2);

  /** Of all choices; the moments at which they are made differ from run to run. */
  private static final long SEED = Long.getLong("soak.seed", System.nanoTime());

  private static final int PROCESSES = 20;
  private static final int JOBS_OF_A_PROCESS = 100_000;
  private static final String BUCKET = "soak";
  private static final String PREFIX = "warehouse/t/";
  private static final org.apache.hadoop.fs.Path TABLE =
      new org.apache.hadoop.fs.Path("s3a://" + BUCKET + "/warehouse/t");

  /** Between two kills. */
  private static final int MOST_MILLIS = 10_000;

  /** What the server lists of a request that was cut off, see {@link EmbeddedS3Server}. */
  private static final Pattern CUT_OFF = Pattern.compile("(.*)-[0-9a-f]{8}(-[0-9a-f]{4}){3}-.{12}");

  /** A quarter of what is done where other builds keep both processors busy. */
  private static final int LEAST_COMMITS_A_MINUTE = 8;

  private static final int LEAST_KILLS_A_MINUTE = 4;

  @TempDir private Path directory;
  private final Random random = new Random(SEED);
  private final List<ChildJvm> all = new ArrayList<>();
  private final ChildJvm[] alive = new ChildJvm[PROCESSES];
  private EmbeddedS3Server server;
  private BucketContents bucket;
  private S3AObjectStores stores;
  private WorkDirectory work;
  private TableJobs jobs;
  private int kills;

  /** Of the entries that decide jobs, also against them. */
  private final Map<String, Long> numbers = new HashMap<>();

  /** Keys of files that are to be there. */
  private final Set<String> expected = new TreeSet<>();

  /** Keys of all files of all entries. */
  private final Set<String> promised = new HashSet<>();

  @BeforeEach
  void start() throws Exception {
    server = EmbeddedS3Server.start();
    bucket = server.createBucket(BUCKET);
    Configuration conf = new Configuration();
    server.hadoopSettings().forEach(conf::set);
    stores = new S3AObjectStores(conf);
    work =
        new WorkDirectory(
            FileSystem.getLocal(conf), new org.apache.hadoop.fs.Path(directory.toUri()));
    jobs = new TableJobs(stores, TABLE, work.create(), CommittingProcess.SETTINGS);
  }

  @AfterEach
  void stop() throws IOException {
    for (ChildJvm process : all) {
      process.close();
    }
    stores.close();
    server.close();
  }

  private void startProcess(int place) throws Exception {
    List<String> settings = new ArrayList<>();
    server.hadoopSettings().forEach((key, value) -> settings.add(key + "=" + value));
    ChildJvm process =
        CommittingProcess.start(
            settings, "-Xmx96m", directory.resolve("process-" + all.size() + ".log"));
    for (Object line : List.of(TABLE, work.create(), 1 + all.size() * JOBS_OF_A_PROCESS)) {
      process.send(line.toString());
    }
    all.add(process);
    alive[place] = process;
  }

  /**
   * One that does not know what became of a job has ended by itself. Of some it is told that
   * nothing was committed: the server lists requests that were cut off as objects without ETags.
   */
  private void kill(int place) throws Exception {
    alive[place].kill();
    assertThat(alive[place].wasKilled()).as(alive[place].lastOutput()).isTrue();
    kills++;
  }

  @Test
  void afterManyKillsTheBucketIsWhatTheOrderOfTheLogSays() throws Exception {
    LOG.info("{} minutes with seed {}", MINUTES, SEED);
    for (int place = 0; place < PROCESSES; place++) {
      startProcess(place);
    }
    for (ChildJvm process : List.copyOf(all)) {
      process.await(0, line -> line.startsWith(CommittingProcess.BEGUN), Await.LIMIT);
    }
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(MINUTES);
    while (System.nanoTime() < end) {
      // Not for a condition: the moment is chosen by chance.
      TimeUnit.MILLISECONDS.sleep(random.nextInt(MOST_MILLIS));
      int place = random.nextInt(PROCESSES);
      kill(place);
      startProcess(place);
      if (random.nextInt(3) == 0) {
        // As an operator does who does not wait, though most of what is open is under way.
        assertThat(jobs.recovery().run(Duration.ZERO))
            .hasOnlyElementsOfType(Recovered.Completed.class);
      }
    }
    for (int place = 0; place < PROCESSES; place++) {
      kill(place);
    }
    server.gateway().awaitDisconnected(Await.LIMIT);

    assertThat(jobs.recovery().run(Duration.ZERO, Manner.BY_OPERATOR))
        .hasOnlyElementsOfType(Recovered.Completed.class);
    assertThat(OpenJobs.of(jobs.recovery())).isEmpty();
    replay(jobs.log());
    checkOrder();
    checkBucket();
  }

  /** One entry after the other. */
  private void replay(CommitLog log) throws IOException {
    for (long number : new TreeSet<>(log.tailDownTo(1).numbers())) {
      LogEntry entry = log.read(number).orElseThrow();
      assertThat(numbers.put(entry.job().id(), number)).as("entries of %s", entry.job()).isNull();
      if (entry.kind() == EntryKind.REPLACE) {
        expected.removeIf(key -> entry.replaced().contains(directoryOf(key)));
      }
      RemoteIterators.foreach(log.plan(entry).uploads(), file -> expected.add(file.key()));
      promised.addAll(expected);
    }
  }

  private static org.apache.hadoop.fs.Path directoryOf(String key) {
    return new org.apache.hadoop.fs.Path("s3a://" + BUCKET + "/" + key).getParent();
  }

  /** What returned success is in the log, before all that began afterwards. */
  private void checkOrder() throws Exception {
    Map<String, Long> begun = new HashMap<>();
    Map<String, Long> committed = new HashMap<>();
    for (ChildJvm process : all) {
      begun.putAll(CommittingProcess.times(CommittingProcess.BEGUN, process.output()));
      committed.putAll(CommittingProcess.times(CommittingProcess.COMMITTED, process.output()));
    }
    LOG.info("{} jobs, {} acknowledged, {} kills", begun.size(), committed.size(), kills);
    assertThat(committed).hasSizeGreaterThanOrEqualTo(LEAST_COMMITS_A_MINUTE * MINUTES);
    assertThat(kills - PROCESSES).isGreaterThanOrEqualTo(LEAST_KILLS_A_MINUTE * MINUTES);

    Map<Long, String> byNumber = new TreeMap<>(Comparator.reverseOrder());
    for (String id : begun.keySet()) {
      if (numbers.containsKey(id)) {
        byNumber.put(numbers.get(id), id);
      }
    }
    assertThat(byNumber.values()).containsAll(committed.keySet());
    long firstEnd = Long.MAX_VALUE;
    for (String id : byNumber.values()) {
      assertThat(begun.get(id)).as("%s, and a later entry", id).isLessThanOrEqualTo(firstEnd);
      firstEnd = Math.min(firstEnd, committed.getOrDefault(id, Long.MAX_VALUE));
    }
  }

  /** Each file is there that no later entry replaces, and nothing else. */
  private void checkBucket() {
    Set<String> there = new TreeSet<>(bucket.files(PREFIX));
    there.removeIf(key -> CUT_OFF.matcher(key).matches());
    assertThat(there).isEqualTo(expected);
    for (String key : there) {
      String content = key.replaceFirst(".*/(.*)[.](.*)", "$1 of $2\n");
      assertThat(bucket.read(key)).as(key).asString(UTF_8).isEqualTo(content);
    }
    assertThat(bucket.pendingUploads(PREFIX))
        .extracting(BucketContents.PendingUpload::key)
        .as("uploads of entries")
        .doesNotContainAnyElementsOf(promised);
  }
}
