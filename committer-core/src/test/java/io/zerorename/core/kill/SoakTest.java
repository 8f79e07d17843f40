package io.zerorename.core.kill;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.zerorename.core.job.WorkDirectory;
import io.zerorename.core.log.EntryKind;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.recovery.OrphanSweep;
import io.zerorename.core.recovery.Recovered;
import io.zerorename.core.s3a.S3AObjectStores;
import io.zerorename.testing.process.Await;
import io.zerorename.testing.process.ChildJvm;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Twenty processes add to, overwrite and truncate overlapping directories of one table at once, at
 * a real S3 server, and are killed at random moments. At the end all is killed, what is open is
 * resumed as {@code zerorename recover} does, and the bucket must be what the order of the log
 * says: the entries one after the other, as if each had been alone.
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

  /** Of these one overwrites small files as well, and waits for minutes behind a crash. */
  private static final int OF_WHICH_ONE_WAITS = 10;

  private static final String BUCKET = "soak";
  private static final String PREFIX = "warehouse/t/";
  private static final org.apache.hadoop.fs.Path TABLE =
      new org.apache.hadoop.fs.Path("s3a://" + BUCKET + "/warehouse/t");

  /** Between two kills. */
  private static final int MOST_MILLIS = 10_000;

  /** What the server lists of a request that was cut off, see {@link EmbeddedS3Server}. */
  private static final Pattern CUT_OFF = Pattern.compile("(.*)-[0-9a-f]{8}(-[0-9a-f]{4}){3}-.{12}");

  /** A quarter of what is done where other builds keep both processors busy. */
  private static final Map<SoakJob.Kind, Integer> LEAST_A_MINUTE =
      Map.of(SoakJob.Kind.ADD, 6, SoakJob.Kind.REPLACE, 2, SoakJob.Kind.TRUNCATE, 2);

  private static final int LEAST_KILLS_A_MINUTE = 4;

  @TempDir private Path directory;

  private final Random random = new Random(SEED);
  private final List<ChildJvm> all = new ArrayList<>();
  private final ChildJvm[] alive = new ChildJvm[PROCESSES];
  private EmbeddedS3Server server;
  private BucketContents bucket;
  private S3AObjectStores stores;
  private TableJobs jobs;
  private int kills;

  @BeforeEach
  void start() throws Exception {
    server = EmbeddedS3Server.start();
    bucket = server.createBucket(BUCKET);
    Configuration conf = new Configuration();
    server.hadoopSettings().forEach(conf::set);
    stores = new S3AObjectStores(conf);
    jobs = new TableJobs(stores, TABLE, SoakingProcess.jobsIn(directory), SoakingProcess.SETTINGS);
  }

  @AfterEach
  void stop() throws IOException {
    for (ChildJvm process : all) {
      process.close();
    }
    stores.close();
    server.close();
  }

  private void startProcess(int place) throws IOException {
    String name = "p" + all.size();
    List<String> settings = new ArrayList<>();
    server.hadoopSettings().forEach((key, value) -> settings.add(key + "=" + value));
    List<String> options = new ArrayList<>(ChildJvm.UNVERIFIED);
    options.add("-Xmx96m");
    ChildJvm process =
        ChildJvm.start(
            ChildJvm.Command.of(SoakingProcess.class).withOptions(options).withArguments(settings),
            directory.resolve(name + ".log"));
    all.add(process);
    alive[place] = process;
    for (Object line :
        List.of(TABLE, directory, name, random.nextLong(), place % OF_WHICH_ONE_WAITS == 0)) {
      process.send(line.toString());
    }
  }

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
      process.await(0, SoakStatement::isBegun, Await.LIMIT);
    }
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(MINUTES);
    while (System.nanoTime() < end) {
      // Not for a condition: the moment is chosen by chance.
      TimeUnit.MILLISECONDS.sleep(random.nextInt(MOST_MILLIS));
      int place = random.nextInt(PROCESSES);
      kill(place);
      startProcess(place);
    }
    for (int place = 0; place < PROCESSES; place++) {
      kill(place);
    }
    server.gateway().awaitDisconnected(Await.LIMIT);

    Statements said = new Statements();
    List<Recovered> resumed = resume(said);
    LogReplay replay = new LogReplay(jobs.log());
    report(said, replay, resumed);
    said.checkAcknowledged(replay);
    said.checkFailed(replay);
    said.checkOrder(replay);
    checkBucket(said, replay);
    checkEnough(said, replay);
  }

  /** What the processes said, and what those that truncated have noted. */
  private final class Statements {
    final List<SoakStatement> all = new ArrayList<>();

    /** Truncates that ended without an entry. */
    final List<TruncateNote> quiet = new ArrayList<>();

    /** By key, what truncates that were killed may have deleted. */
    final Map<String, String> mayBeGone = new TreeMap<>();

    Statements() throws Exception {
      List<String> failedRecoveries = new ArrayList<>();
      for (ChildJvm process : SoakTest.this.all) {
        List<String> output = process.output();
        all.addAll(SoakStatement.of(output));
        output.stream().filter(SoakStatement::isFailedRecovery).forEach(failedRecoveries::add);
      }
      assertThat(failedRecoveries).isEmpty();
      for (SoakStatement statement : all) {
        Optional<TruncateNote> note =
            statement.kind() == SoakJob.Kind.TRUNCATE
                ? TruncateNote.of(statement.id(), directory)
                : Optional.empty();
        if (note.isPresent() && statement.done().isEmpty()) {
          note.get().keys().forEach(key -> mayBeGone.put(key, statement.id()));
        } else if (note.isPresent() && statement.number().isEmpty()) {
          quiet.add(note.get());
        }
      }
    }

    /** Whether a truncate that did not come to its end has deleted files of an entry. */
    boolean explain(long number, LogReplay replay) {
      return replay.files().entrySet().stream()
          .anyMatch(it -> it.getValue() == number && mayBeGone.containsKey(it.getKey()));
    }

    /** What returned success has its place in the order. */
    void checkAcknowledged(LogReplay replay) {
      for (SoakStatement it : all) {
        if (it.done().isPresent()
            && (it.number().isPresent() || it.kind() != SoakJob.Kind.TRUNCATE)) {
          assertThat(replay.of(it.id()).map(LogEntry::number)).as(it.id()).isEqualTo(it.number());
          assertThat(replay.of(it.id()).orElseThrow().kind())
              .as(it.id())
              .isEqualTo(
                  switch (it.kind()) {
                    case ADD -> EntryKind.ADD;
                    case REPLACE, TRUNCATE -> EntryKind.REPLACE;
                  });
        }
      }
    }

    /** Nothing goes wrong here, but for what a truncate that was killed takes from a commit. */
    void checkFailed(LogReplay replay) {
      assertThat(all)
          .filteredOn(it -> it.failure().isPresent())
          .allMatch(
              it ->
                  replay.of(it.id()).filter(entry -> explain(entry.number(), replay)).isPresent());
    }

    /** What was acknowledged before another began is before it in the log. */
    void checkOrder(LogReplay replay) {
      Map<Long, SoakStatement> byNumber = new TreeMap<>(Comparator.reverseOrder());
      for (SoakStatement it : all) {
        replay.of(it.id()).ifPresent(entry -> byNumber.put(entry.number(), it));
      }
      long firstEnd = Long.MAX_VALUE;
      for (SoakStatement it : byNumber.values()) {
        assertThat(it.begun()).as("%s, and a later entry", it).isLessThanOrEqualTo(firstEnd);
        firstEnd = Math.min(firstEnd, it.done().orElse(Long.MAX_VALUE));
      }
    }

    long count(SoakJob.Kind kind) {
      return all.stream().filter(it -> it.kind() == kind && it.done().isPresent()).count();
    }
  }

  /**
   * As an operator does. Only what a truncate that was killed has taken files from is not complete
   * then, and is given up after a look at the data.
   */
  private List<Recovered> resume(Statements said) throws Exception {
    List<Recovered> resumed = jobs.recovery().resumeAll();
    LogReplay replay = new LogReplay(jobs.log());
    assertThat(resumed)
        .allMatch(it -> it instanceof Recovered.Completed || said.explain(it.number(), replay));
    jobs.recovery().giveUp();
    assertThat(jobs.recovery().resumeAll()).isEmpty();
    assertThat(jobs.recovery().open()).isEmpty();
    return resumed;
  }

  private void checkBucket(Statements said, LogReplay replay) throws Exception {
    Set<String> there = new HashSet<>(bucket.files(PREFIX));
    there.removeIf(SoakTest::isCutOff);
    Set<String> deletedByQuiet = new HashSet<>();
    said.quiet.forEach(note -> deletedByQuiet.addAll(note.keys()));
    List<String> wrong = new ArrayList<>();
    for (Map.Entry<String, Long> file : replay.files().entrySet()) {
      String key = file.getKey();
      long number = file.getValue();
      String name = key.substring(PREFIX.length());
      String parent = name.substring(0, name.lastIndexOf('/'));
      Optional<Long> replacedBy = replay.replaces(key);
      boolean truncated =
          deletedByQuiet.contains(key)
              || said.quiet.stream().anyMatch(it -> it.isBehind(number, parent));
      if (replacedBy.isPresent() || truncated) {
        if (there.contains(key)) {
          wrong.add(key + " of entry " + number + " is there, though " + replacedBy + truncated);
        }
      } else if (!there.contains(key)) {
        if (!said.mayBeGone.containsKey(key)) {
          wrong.add(key + " of entry " + number + " is not there");
        }
      } else if (!SoakJob.content(name).equals(new String(bucket.read(key), UTF_8))) {
        wrong.add(key + " of entry " + number + " has other bytes");
      }
    }
    there.stream()
        .filter(key -> !replay.files().containsKey(key))
        .forEach(key -> wrong.add(key + " is of no entry"));
    assertThat(wrong).isEmpty();
    checkUploads(replay);
  }

  private static boolean isCutOff(String key) {
    return CUT_OFF.matcher(key).matches();
  }

  /**
   * Uploads of files that were decided are completed or gone; the sweep of later jobs finds all.
   */
  private void checkUploads(LogReplay replay) throws IOException {
    assertThat(bucket.pendingUploads(PREFIX))
        .extracting(BucketContents.PendingUpload::key)
        .as("uploads of entries")
        .filteredOn(replay.files()::containsKey)
        .isEmpty();
    Configuration conf = new Configuration();
    server.hadoopSettings().forEach(conf::set);
    WorkDirectory work =
        new WorkDirectory(
            FileSystem.getLocal(conf), new org.apache.hadoop.fs.Path(directory.toUri()));
    Instant later = Instant.now().plus(Duration.ofDays(8));
    for (int hour = 0; hour < MINUTES * 10 && !bucket.pendingUploads(PREFIX).isEmpty(); hour++) {
      OrphanSweep.from(stores, work, conf).run(later.plus(Duration.ofHours(hour)));
    }
    assertThat(bucket.pendingUploads(PREFIX)).isEmpty();
  }

  private void checkEnough(Statements said, LogReplay replay) {
    LEAST_A_MINUTE.forEach(
        (kind, least) ->
            assertThat(said.count(kind))
                .as("%s that were acknowledged", kind)
                .isGreaterThanOrEqualTo((long) least * MINUTES));
    assertThat(kills - PROCESSES)
        .as("kills")
        .isGreaterThanOrEqualTo(LEAST_KILLS_A_MINUTE * MINUTES);
    assertThat(replay.statements()).as("truncates with an entry").isPositive();
  }

  private void report(Statements said, LogReplay replay, Collection<Recovered> resumed)
      throws IOException {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("minutes", MINUTES);
    figures.put("seed", SEED);
    figures.put("processes", all.size());
    figures.put("kills", kills);
    Map<SoakJob.Kind, Long> acknowledged = new EnumMap<>(SoakJob.Kind.class);
    for (SoakJob.Kind kind : SoakJob.Kind.values()) {
      acknowledged.put(kind, said.count(kind));
    }
    figures.put("acknowledged", acknowledged);
    figures.put("truncates without an entry", said.quiet.size());
    figures.put(
        "statements that failed", said.all.stream().filter(it -> it.failure().isPresent()).count());
    Map<EntryKind, Long> entries = new EnumMap<>(EntryKind.class);
    for (EntryKind kind : EntryKind.values()) {
      entries.put(kind, replay.count(kind));
    }
    figures.put("entries", entries);
    figures.put("files", replay.files().size());
    figures.put("resumed at the end", resumed.size());
    figures.put("may be gone by killed truncates", said.mayBeGone.size());
    String json = new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsString(figures);
    Files.writeString(Path.of("target", "soak.json"), json);
    LOG.info("The soak: {}", json);
  }
}
