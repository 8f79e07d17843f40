package io.zerorename.core.commit;

import static io.zerorename.core.commit.SimulatedCluster.PREFIX;
import static io.zerorename.core.commit.SimulatedCluster.TABLE;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.zerorename.core.commit.Interleaving.Troubles;
import io.zerorename.core.commit.SimulatedJob.Told;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.EntryKind;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.PlanPart;
import io.zerorename.core.log.Plans;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.upload.OutputFile;
import io.zerorename.testing.InMemoryObjectStore.Variant;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Path;

/**
 * Jobs, and others, at work on one table at the same time.
 *
 * @param schedule seed of the order in which they take their turns
 */
record JobsScript(List<Actor> actors, boolean logOnFileSystem, long schedule) {
  /** Numbers clusters, whose names must differ in one JVM. */
  private static final AtomicInteger NUMBER = new AtomicInteger();

  JobsScript {
    actors = List.copyOf(actors);
  }

  /** What a process does. */
  enum Role {
    APPEND,
    OVERWRITE,
    /** Takes every other process for dead. */
    RECOVER,
    /** Takes every other process for dead, and ends what files are lost of. */
    GIVE_UP,
    /** Overwrites a partition by nothing. */
    CLEAR,
    /** Aborts the job of another process. */
    ABORT,
    /** A task attempt that outlives its job. */
    ZOMBIE_ATTEMPT,
    /** Does not use the log: truncates, overwrites, compacts, deletes by hand. */
    FOREIGN
  }

  /**
   * A process.
   *
   * @param name of its job, or of the job whose task it is
   * @param days the partitions that it writes
   * @param small whether its files are handed over to its commit, each second one
   */
  record Actor(Role role, String name, Set<Integer> days, boolean small, Troubles troubles)
      implements JobShape {
    Actor {
      days = new TreeSet<>(days);
    }

    @Override
    public Style style() {
      return Style.HIVE;
    }

    @Override
    public boolean plainNames() {
      return false;
    }

    @Override
    public List<Path> writes(String jobId) {
      return role == Role.CLEAR
          ? List.of()
          : days.stream().map(day -> new Path(TABLE, "day=" + day + "/0." + jobId)).toList();
    }

    @Override
    public Path loses(String jobId) {
      return new Path(TABLE, "day=0/9." + jobId);
    }

    @Override
    public Overwrite overwrite() {
      return switch (role) {
        case OVERWRITE -> Overwrite.directoriesOfFiles();
        case CLEAR ->
            written ->
                days.stream().map(day -> new Path(TABLE, "day=" + day)).collect(Collectors.toSet());
        default -> Overwrite.none();
      };
    }

    @Override
    public boolean inlines(int task) {
      return small && task % 2 == 0;
    }

    boolean isJob() {
      return role == Role.APPEND || role == Role.OVERWRITE || role == Role.CLEAR;
    }

    Actor untroubled() {
      return new Actor(role, name, days, small, Troubles.NONE);
    }
  }

  /** How often each kind of job comes: an append, an overwrite, an overwrite by nothing. */
  private static final String JOBS = "0001112";

  private static Troubles troubles(Random random, int oneOf, int calls) {
    return switch (random.nextInt(2 * oneOf)) {
      case 0, 1 -> new Troubles(1 + random.nextInt(calls), 0, 0);
      case 2 -> new Troubles(0, 1 + random.nextInt(calls), 0);
      case 3 -> new Troubles(0, 0, 1 + random.nextInt(calls));
      default -> Troubles.NONE;
    };
  }

  /**
   * A script of two to five jobs and some others.
   *
   * @param foreigners whether there are writers that do not use the log
   */
  static JobsScript random(long seed, boolean foreigners) {
    Random random = new Random(seed);
    List<Actor> actors = new ArrayList<>();
    int jobs = 2 + random.nextInt(4);
    for (int job = 0; job < jobs; job++) {
      Set<Integer> days = new TreeSet<>();
      days.add(1 + random.nextInt(2));
      if (random.nextBoolean()) {
        days.add(1 + random.nextInt(3));
      }
      Role role =
          List.of(Role.APPEND, Role.OVERWRITE, Role.CLEAR)
              .get(JOBS.charAt(random.nextInt(JOBS.length())) - '0');
      actors.add(
          new Actor(
              role,
              "job-" + job,
              days,
              random.nextBoolean(),
              // A PUT that is late, but in its window, may bring back what others have removed.
              foreigners ? troubles(random, 5, 90).inTime() : troubles(random, 5, 90)));
    }
    for (int other = random.nextInt(3); other > 0; other--) {
      Role role = random.nextInt(4) == 0 ? Role.GIVE_UP : Role.RECOVER;
      actors.add(new Actor(role, "recovery-" + other, Set.of(), false, troubles(random, 3, 25)));
    }
    String of = "job-" + random.nextInt(jobs);
    if (random.nextInt(3) == 0) {
      int crashAt = random.nextInt(3) * random.nextInt(8);
      actors.add(new Actor(Role.ZOMBIE_ATTEMPT, of, Set.of(1), false, new Troubles(crashAt, 0, 0)));
    }
    if (random.nextInt(4) == 0) {
      actors.add(new Actor(Role.ABORT, of, Set.of(), false, troubles(random, 3, 15)));
    }
    for (int foreign = foreigners ? 1 + random.nextInt(2) : 0; foreign > 0; foreign--) {
      actors.add(
          new Actor(
              Role.FOREIGN,
              "foreign-" + random.nextInt(1_000_000),
              Set.of(1 + random.nextInt(3)),
              false,
              Troubles.NONE));
    }
    return new JobsScript(actors, random.nextInt(4) == 0, random.nextLong());
  }

  /**
   * How a run ended.
   *
   * @param committed jobs whose commit was decided
   * @param foreignWrites how often a writer that does not use the log has changed something
   * @param back how many files came, or came back, after such a writer had emptied their directory
   */
  record Outcome(
      Optional<String> failure, List<String> history, int committed, int foreignWrites, int back) {}

  Outcome run(Variant variant) {
    Run run = new Run(variant);
    Optional<String> failure = run.failure();
    return new Outcome(
        failure, run.turns.history(), run.committed.size(), run.foreignWrites, run.back.size());
  }

  /** What an entry does. */
  private record Committed(LogEntry entry, PlanPart plan) {
    List<String> keys() {
      return plan.files().map(OutputFile::key).toList();
    }

    boolean replaces(String key) {
      return entry.replaces().stream().anyMatch(it -> key.startsWith(ObjectKeys.prefixOf(it)));
    }
  }

  private final class Run {
    private final SimulatedCluster cluster;
    private final Interleaving turns;
    private final Map<String, Committed> committed = new LinkedHashMap<>();
    private final Set<String> everThere = new HashSet<>();
    private final List<String> failures = new ArrayList<>();
    private final List<String> zombieFailures = new ArrayList<>();
    private final Set<String> jobs = new TreeSet<>();
    private final Map<String, String> ids = new LinkedHashMap<>();

    /** Numbers of entries whose files were all there at one time. */
    private final Set<Long> together = new HashSet<>();

    private final Set<String> beingRemoved = new HashSet<>();
    private final Set<String> removedByForeigners = new HashSet<>();

    /** What writers that do not use the log have removed for good. */
    private final Set<String> gone = new HashSet<>();

    private final Set<String> back = new HashSet<>();
    private int foreignWrites;

    Run(Variant variant) {
      int number = NUMBER.incrementAndGet();
      cluster = new SimulatedCluster("jobs-" + number, variant, logOnFileSystem);
      for (int day = 1; day <= 3; day++) {
        cluster.store.plant(PREFIX + "day=" + day + "/foreign", "foreign".getBytes(UTF_8));
      }
      turns = new Interleaving(schedule, this::observe);
      for (Actor actor : actors) {
        String id = actor.name() + "-of-" + number;
        ids.put(actor.name(), id);
        if (actor.isJob()) {
          jobs.add(id);
        }
        turns.add(
            actor.role() + " " + actor.name(),
            actor.troubles(),
            (calls, crashed) -> act(actor, id, calls, crashed));
      }
    }

    private void act(Actor actor, String id, Calls calls, BooleanSupplier crashed)
        throws IOException {
      SimulatedCluster.View view = cluster.new View(calls);
      switch (actor.role()) {
        case APPEND, OVERWRITE, CLEAR -> {
          SimulatedJob job = new SimulatedJob(cluster, view, actor, id);
          Told told = job.run();
          if (!crashed.getAsBoolean()) {
            check(id, told, actor, job.failure());
          }
          if (told == Told.COMMITTED) {
            recover(view, crashed);
          }
        }
        case RECOVER -> recover(view, crashed);
        case GIVE_UP -> {
          try {
            new SimulatedRecovery(view, false).recovery().giveUp(Duration.ZERO);
          } catch (IOException e) {
            zombieFailures.add(e.getMessage());
          }
        }
        case ABORT -> {
          try {
            new SimulatedJob(cluster, view, actor, id).abortAsAnother();
          } catch (IOException e) {
            // It has not begun, or a request of the aborter has got no answer.
            zombieFailures.add(e.getMessage());
          }
        }
        case FOREIGN ->
            new ForeignWriter(view.stores, actor.name(), this::foreignRemoves)
                .run(actor.days().iterator().next());
        case ZOMBIE_ATTEMPT -> {
          SimulatedJob job = new SimulatedJob(cluster, view, actor, id);
          try {
            if (!job.hasBegun()) {
              return;
            }
            job.write("zombie", new Path(TABLE, "day=1/zombie." + id));
          } catch (IOException e) {
            // It comes too late, and its records may be deleted under its hands.
            zombieFailures.add(e.getMessage());
          }
        }
      }
    }

    private void recover(SimulatedCluster.View view, BooleanSupplier crashed) {
      try {
        List<Recovered> results = new SimulatedRecovery(view, false).run();
        if (!crashed.getAsBoolean()) {
          check(results);
        }
      } catch (IOException e) {
        // A request has got no answer.
        zombieFailures.add(e.getMessage());
      }
    }

    private boolean hasForeigners() {
      return actors.stream().anyMatch(actor -> actor.role() == Role.FOREIGN);
    }

    private boolean hasLostAnswers() {
      return actors.stream()
          .anyMatch(it -> it.troubles().loseAt() > 0 || it.troubles().delayAt() > 0);
    }

    /** A writer that does not use the log is about to delete something. */
    private void foreignRemoves(Collection<String> keys) {
      foreignWrites++;
      beingRemoved.addAll(keys);
    }

    private void noteRemoved(Set<String> there) {
      for (String key : List.copyOf(beingRemoved)) {
        if (!there.contains(key)) {
          beingRemoved.remove(key);
          removedByForeigners.add(key);
          for (Committed it : committed.values()) {
            if (together.contains(it.entry().number()) && it.keys().contains(key)) {
              gone.add(key);
            }
          }
        }
      }
    }

    private void check(List<Recovered> results) {
      for (Recovered result : results) {
        boolean good =
            result instanceof Recovered.Completed
                || result instanceof Recovered.UnderWay
                || (hasForeigners() && !(result instanceof Recovered.Failed))
                || (hasLostAnswers() && result instanceof Recovered.Failed);
        if (!good) {
          violated("recovery says " + result);
        }
      }
    }

    private void check(String id, Told told, Actor actor, Exception failure) {
      boolean commit = cluster.isCommitted(id);
      switch (told) {
        case COMMITTED -> {
          if (!commit) {
            violated(id + " is told to be committed, and is not");
          }
        }
        case FAILED -> {
          if (commit) {
            violated(id + " is told to have failed, and is committed");
          }
        }
        default -> {
          boolean disturbed = !actor.troubles().equals(Troubles.NONE) || hasForeigners();
          if (!disturbed || (told == Told.WRONGLY_FAILED)) {
            violated(
                id
                    + " is told to be "
                    + told
                    + " after "
                    + failure
                    + Arrays.toString(failure.getSuppressed()));
          }
        }
      }
    }

    private synchronized void violated(String property) {
      failures.add(property);
    }

    /** Between any two calls. */
    private void observe(Calls.Call call) {
      // Nobody may rely on seeing the commits of other processes.
      jobs.stream().filter(RunningCommits::isRunning).forEach(RunningCommits::end);
      if (!call.changes()) {
        return;
      }
      if (call.what().contains("/log/")) {
        jobs.forEach(this::learn);
      }
      if (call.store()) {
        cluster.store.keys().stream().filter(key -> key.startsWith(PREFIX)).forEach(everThere::add);
        checkStep(call);
      }
    }

    private void learn(String id) {
      if (committed.containsKey(id)) {
        return;
      }
      Optional<LogEntry> entry = cluster.decision(id).filter(it -> it.kind() != EntryKind.VOID);
      if (entry.isPresent()) {
        try {
          CommitLog log = cluster.undisturbed().log();
          committed.put(id, new Committed(entry.get(), Plans.whole(log.plan(entry.get()))));
        } catch (IOException e) {
          violated("the plan of " + id + " cannot be read when it is decided: " + e);
        }
      }
    }

    private void checkStep(Calls.Call call) {
      Set<String> there = new HashSet<>(cluster.store.keys());
      for (Actor actor : actors) {
        String id = ids.get(actor.name());
        if (actor.isJob() && !committed.containsKey(id)) {
          for (Path path : actor.writes(id)) {
            if (there.contains(ObjectKeys.of(path))) {
              violated(path + " is visible before its decision, after " + call.what());
            }
          }
        }
      }
      Set<String> mayBeGone = new HashSet<>();
      for (Committed it : committed.values()) {
        if (it.keys().stream().allMatch(key -> everThere.contains(key) || isReplaced(key, it))) {
          it.plan().replaced().forEach(object -> mayBeGone.add(object.key()));
          earlier(it).filter(it::replaces).forEach(mayBeGone::add);
        }
      }
      noteRemoved(there);
      for (String key : everThere) {
        if (!there.contains(key)
            && !mayBeGone.contains(key)
            && !removedByForeigners.contains(key)) {
          violated(key + " is gone too early, after " + call.what());
        }
      }
      for (Committed it : committed.values()) {
        if (there.containsAll(it.keys())) {
          together.add(it.entry().number());
        }
        it.keys().stream()
            .filter(key -> removedByForeigners.contains(key) && there.contains(key))
            .forEach(back::add);
      }
      for (String key : gone) {
        if (there.contains(key)) {
          violated(key + " is there again after " + call.what());
        }
      }
    }

    /** Whether a later entry replaces a file of one. */
    private boolean isReplaced(String key, Committed of) {
      return committed.values().stream()
          .anyMatch(it -> it.entry().number() > of.entry().number() && it.replaces(key));
    }

    /** The files of the entries before one. */
    private Stream<String> earlier(Committed later) {
      return committed.values().stream()
          .filter(it -> it.entry().number() < later.entry().number())
          .flatMap(it -> it.keys().stream());
    }

    Optional<String> failure() {
      try {
        turns.run();
        failures.addAll(turns.failures());
        turns.takeLate();
        SimulatedRecovery recovery = new SimulatedRecovery(cluster.undisturbed(), false);
        jobs.forEach(RunningCommits::end);
        check(recovery.run());
        check(recovery.run());
        recovery.sweepLate(8);
        recovery.sweepLate(16);
        checkEnd();
      } catch (IOException | RuntimeException e) {
        failures.add("the end failed: " + e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        failures.add("interrupted");
      } finally {
        jobs.forEach(RunningCommits::end);
      }
      return failures.stream().findFirst();
    }

    private void checkEnd() throws IOException {
      Set<String> expected = new TreeSet<>();
      for (int day = 1; day <= 3; day++) {
        expected.add(PREFIX + "day=" + day + "/foreign");
      }
      committed.values().stream()
          .sorted(Comparator.comparing(it -> it.entry().number()))
          .forEach(
              it -> {
                expected.removeIf(it::replaces);
                expected.addAll(it.keys());
              });
      Set<String> there = new TreeSet<>();
      cluster.store.keys().stream().filter(key -> key.startsWith(PREFIX)).forEach(there::add);
      // A marker of an emptied directory is no data.
      there.removeIf(key -> key.endsWith("/"));
      expected.removeIf(key -> key.endsWith("/"));
      // What foreign writers cause is counted, not predicted.
      if (!hasForeigners() && !there.equals(expected)) {
        violated("there is " + there + ", not " + expected);
      }
      List<String> unfinished =
          new SimulatedRecovery(cluster.undisturbed(), false).recovery().open();
      if (!hasForeigners() && !unfinished.isEmpty()) {
        violated("not ended: " + unfinished);
      }
      if (!hasForeigners() && !cluster.store.pendingKeys().isEmpty()) {
        violated(
            "pending: " + cluster.store.pendingKeys() + "; zombies failed with " + zombieFailures);
      }
    }
  }
}
