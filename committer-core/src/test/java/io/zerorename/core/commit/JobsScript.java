package io.zerorename.core.commit;

import static io.zerorename.core.commit.SimulatedCluster.PREFIX;
import static io.zerorename.core.commit.SimulatedCluster.TABLE;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.zerorename.core.commit.SimulatedJob.Told;
import io.zerorename.core.log.PlanPart;
import io.zerorename.core.log.Plans;
import io.zerorename.core.log.Proposal;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.testing.InMemoryObjectStore.Variant;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
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
    /** A task attempt that outlives its job. */
    ZOMBIE_ATTEMPT
  }

  /**
   * A process.
   *
   * @param name of its job, or of the job whose task it is
   * @param days the partitions that it writes
   * @param crashAt number of the call before which it dies; 0 where it lives
   */
  record Actor(Role role, String name, Set<Integer> days, int crashAt) implements JobShape {
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
      return days.stream().map(day -> new Path(TABLE, "day=" + day + "/0." + jobId)).toList();
    }

    @Override
    public Path loses(String jobId) {
      return new Path(TABLE, "day=0/9." + jobId);
    }

    @Override
    public Overwrite overwrite() {
      return role == Role.OVERWRITE ? Overwrite.directoriesOfFiles() : Overwrite.none();
    }

    boolean isJob() {
      return role == Role.APPEND || role == Role.OVERWRITE;
    }

    Actor living() {
      return new Actor(role, name, days, 0);
    }
  }

  /** A script of one to five jobs and some others. */
  static JobsScript random(long seed) {
    Random random = new Random(seed);
    List<Actor> actors = new ArrayList<>();
    int jobs = 2 + random.nextInt(4);
    for (int job = 0; job < jobs; job++) {
      Set<Integer> days = new TreeSet<>();
      days.add(1 + random.nextInt(2));
      if (random.nextBoolean()) {
        days.add(1 + random.nextInt(3));
      }
      Role role = random.nextInt(5) < 2 ? Role.OVERWRITE : Role.APPEND;
      int crashAt = random.nextInt(5) < 2 ? 1 + random.nextInt(90) : 0;
      actors.add(new Actor(role, "job-" + job, days, crashAt));
    }
    for (int other = random.nextInt(3); other > 0; other--) {
      int crashAt = random.nextInt(3) == 0 ? 1 + random.nextInt(25) : 0;
      actors.add(new Actor(Role.RECOVER, "recovery-" + other, Set.of(), crashAt));
    }
    if (random.nextInt(3) == 0) {
      String of = "job-" + random.nextInt(jobs);
      actors.add(
          new Actor(Role.ZOMBIE_ATTEMPT, of, Set.of(1), random.nextInt(3) * random.nextInt(8)));
    }
    return new JobsScript(actors, random.nextInt(4) == 0, random.nextLong());
  }

  /**
   * How a run ended.
   *
   * @param committed jobs whose commit was decided
   */
  record Outcome(Optional<String> failure, List<String> history, int committed) {}

  Outcome run(Variant variant) {
    Run run = new Run(variant);
    Optional<String> failure = run.failure();
    return new Outcome(failure, run.turns.history(), run.committed.size());
  }

  private final class Run {
    private final SimulatedCluster cluster;
    private final Interleaving turns;
    private final Map<String, PlanPart> committed = new LinkedHashMap<>();
    private final Set<String> everThere = new HashSet<>();
    private final List<String> failures = new ArrayList<>();
    private final List<String> zombieFailures = new ArrayList<>();
    private final Set<String> jobs = new TreeSet<>();
    private final Map<String, String> ids = new LinkedHashMap<>();

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
            actor.crashAt(),
            (calls, crashed) -> act(actor, id, calls, crashed));
      }
    }

    private void act(Actor actor, String id, Calls calls, BooleanSupplier crashed)
        throws IOException {
      SimulatedCluster.View view = cluster.new View(calls);
      switch (actor.role()) {
        case APPEND, OVERWRITE -> {
          recover(view, crashed);
          SimulatedJob job = new SimulatedJob(cluster, view, actor, id);
          Told told = job.run();
          if (!crashed.getAsBoolean()) {
            check(id, told, job.failure());
          }
        }
        case RECOVER -> recover(view, crashed);
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

    private void recover(SimulatedCluster.View view, BooleanSupplier crashed) throws IOException {
      List<Recovered> results = new SimulatedRecovery(view, false).run();
      if (!crashed.getAsBoolean()) {
        check(results);
      }
    }

    private void check(List<Recovered> results) {
      for (Recovered result : results) {
        if (result instanceof Recovered.Damaged || result instanceof Recovered.Failed) {
          violated("recovery says " + result);
        }
      }
    }

    private void check(String id, Told told, Exception failure) {
      boolean commit = cluster.decision(id).filter(Decision.Outcome.COMMIT::equals).isPresent();
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
        default ->
            violated(
                id
                    + " is told to be "
                    + told
                    + " after "
                    + failure
                    + Arrays.toString(failure.getSuppressed()));
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
      if (call.what().contains("/decisions/")) {
        jobs.forEach(this::learn);
      }
      if (call.store()) {
        cluster.store.keys().stream().filter(key -> key.startsWith(PREFIX)).forEach(everThere::add);
        checkStep(call);
      }
    }

    private void learn(String id) {
      if (!committed.containsKey(id)
          && cluster.decision(id).filter(Decision.Outcome.COMMIT::equals).isPresent()) {
        CommitLog log = cluster.undisturbed().log();
        try {
          Proposal proposal = log.read(id).orElseThrow().proposal().orElseThrow();
          committed.put(id, Plans.whole(log.unfinished(id, proposal).orElseThrow()));
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
      for (PlanPart plan : committed.values()) {
        if (plan.uploads().stream().map(PendingUpload::key).allMatch(everThere::contains)) {
          plan.replaced().forEach(object -> mayBeGone.add(object.key()));
        }
      }
      for (String key : everThere) {
        if (!there.contains(key) && !mayBeGone.contains(key)) {
          violated(key + " is gone too early, after " + call.what());
        }
      }
    }

    Optional<String> failure() {
      try {
        turns.run();
        failures.addAll(turns.failures());
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
          .flatMap(plan -> plan.uploads().stream())
          .forEach(upload -> expected.add(upload.key()));
      committed.values().stream()
          .flatMap(plan -> plan.replaced().stream())
          .forEach(object -> expected.remove(object.key()));
      Set<String> there = new TreeSet<>();
      cluster.store.keys().stream().filter(key -> key.startsWith(PREFIX)).forEach(there::add);
      if (!there.equals(expected)) {
        violated("there is " + there + ", not " + expected);
      }
      if (!cluster.undisturbed().log().open().isEmpty()) {
        violated("open: " + cluster.undisturbed().log().open());
      }
      if (!cluster.store.pendingKeys().isEmpty()) {
        violated(
            "pending: " + cluster.store.pendingKeys() + "; zombies failed with " + zombieFailures);
      }
    }
  }
}
