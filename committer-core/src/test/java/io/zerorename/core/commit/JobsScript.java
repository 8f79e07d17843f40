package io.zerorename.core.commit;

import static io.zerorename.core.commit.SimulatedCluster.PREFIX;
import static io.zerorename.core.commit.SimulatedCluster.TABLE;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.zerorename.core.commit.RandomTurns.Joins;
import io.zerorename.core.commit.RandomTurns.Troubles;
import io.zerorename.core.commit.SimulatedJob.Told;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.log.EntryKind;
import io.zerorename.core.log.NotWrittenException;
import io.zerorename.core.log.RunId;
import io.zerorename.core.recovery.RecoverEntry.Manner;
import io.zerorename.core.recovery.Recovered;
import io.zerorename.core.recovery.Recovery;
import io.zerorename.testing.InMemoryObjectStore.Variant;
import io.zerorename.testing.OpenJobs;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.Path;

/**
 * Jobs, and others, at work on one table at the same time.
 *
 * @param schedule seed of the order in which they take their turns
 */
record JobsScript(List<Actor> actors, long schedule) {
  /** Numbers clusters, whose names must differ in one JVM. */
  private static final AtomicInteger NUMBER = new AtomicInteger();

  private static final Pattern ENTRY = Pattern.compile("PUT \\S*/log/_\\d+");

  JobsScript {
    actors = List.copyOf(actors);
  }

  /** What a process does. */
  enum Role {
    APPEND,
    /** Appends as one attempt of the run, of which one is committed. */
    REPEAT,
    OVERWRITE,
    /** Executes each open entry, also beside its own process. */
    RECOVER,
    /** The same, and ends what files are lost of. */
    GIVE_UP,
    /** Overwrites a partition by nothing. */
    CLEAR,
    /** Aborts the job of another process. */
    ABORT,
    /** A task attempt that outlives its job. */
    ZOMBIE_ATTEMPT,
    /** Removes files on the engine's own path, and has its place in the log: TRUNCATE. */
    STATEMENT,
    /** Lets days pass, and deletes the low end of the log. */
    CUT,
    /** Does not use the log: truncates, overwrites, compacts, deletes by hand. */
    FOREIGN
  }

  /**
   * A process.
   *
   * @param name of its job, or of the job whose task it is
   * @param days the partitions that it writes
   * @param small whether its files are handed over to its commit, each second one; of a statement
   *     whether it writes files of its own, as an overwrite does; of who gives up whether that is
   *     each open job by its name, whether or not it could be completed
   */
  record Actor(Role role, String name, Set<Integer> days, boolean small, Troubles troubles)
      implements JobShape {
    Actor {
      days = new TreeSet<>(days);
    }

    @Override
    public List<Path> writes(String jobId) {
      return role == Role.CLEAR || role == Role.STATEMENT
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
        case CLEAR -> written -> directories();
        default -> Overwrite.none();
      };
    }

    @Override
    public boolean inlines(int task) {
      return small && task % 2 == 0;
    }

    @Override
    public Optional<RunId> run() {
      return role == Role.REPEAT
          ? Optional.of(new RunId("run", TABLE.toString(), ""))
          : Optional.empty();
    }

    Set<Path> directories() {
      return days.stream().map(day -> new Path(TABLE, "day=" + day)).collect(Collectors.toSet());
    }

    boolean isJob() {
      return JOB_ROLES.contains(role);
    }
  }

  private static final List<Role> JOB_ROLES =
      List.of(Role.APPEND, Role.OVERWRITE, Role.CLEAR, Role.REPEAT);

  /** How often each of these comes. */
  private static final String JOBS = "000111233";

  /** Turns that a process which gives up leaves to others, at most. */
  private static final int LONGEST_IDLE = 200;

  private static Troubles troubles(Random random, int oneOf, int calls) {
    return switch (random.nextInt(2 * oneOf)) {
      case 0, 1 -> new Troubles(1 + random.nextInt(calls), 0, 0, Joins.AT_ONCE);
      case 2 -> new Troubles(0, 1 + random.nextInt(calls), 0, Joins.AT_ONCE);
      case 3 -> new Troubles(0, 0, 1 + random.nextInt(calls), Joins.AT_ONCE);
      case 4 -> new Troubles(0, 0, 0, random.nextBoolean() ? Joins.LATER : Joins.LATER_AND_DIES);
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
      Role role = JOB_ROLES.get(JOBS.charAt(random.nextInt(JOBS.length())) - '0');
      actors.add(
          new Actor(role, "job-" + job, days, random.nextBoolean(), troubles(random, 5, 90)));
    }
    for (int other = random.nextInt(3); other > 0; other--) {
      Role role = random.nextInt(3) == 0 ? Role.GIVE_UP : Role.RECOVER;
      // Who gives up what is lost resumes the rest, and says that no other program has come.
      boolean small = role == Role.GIVE_UP && (foreigners || random.nextInt(4) > 0);
      actors.add(new Actor(role, "recovery-" + other, Set.of(), small, troubles(random, 3, 25)));
    }
    String of = "job-" + random.nextInt(jobs);
    if (random.nextInt(3) == 0) {
      int crashAt = random.nextInt(3) * random.nextInt(8);
      actors.add(
          new Actor(
              Role.ZOMBIE_ATTEMPT,
              of,
              Set.of(1),
              false,
              new Troubles(crashAt, 0, 0, Joins.AT_ONCE)));
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
    for (int statement = foreigners ? 0 : random.nextInt(4) - 1; statement > 0; statement--) {
      Set<Integer> days = new TreeSet<>();
      for (int day = 1 + random.nextInt(3); day > 0; day--) {
        days.add(1 + random.nextInt(3));
      }
      actors.add(
          new Actor(
              Role.STATEMENT,
              "statement-" + statement,
              days,
              random.nextBoolean(),
              troubles(random, 4, 25)));
    }
    if (!foreigners && random.nextInt(4) == 0) {
      actors.add(
          new Actor(
              Role.CUT,
              "cut-" + random.nextInt(1_000_000),
              Set.of(),
              false,
              troubles(random, 3, 60)));
    }
    return new JobsScript(actors, random.nextLong());
  }

  /**
   * How a run ended.
   *
   * @param committed jobs whose commit was decided
   * @param cleared statements of engines that were decided
   * @param foreignWrites how often a writer that does not use the log has changed something
   * @param kinds how many entries of each kind were written
   * @param cut how many entries were deleted as old
   * @param joined how many Completes the store was at work on for a while
   * @param repeats how many jobs were told that their run was committed before
   */
  record Outcome(
      Optional<String> failure,
      List<String> history,
      int committed,
      int cleared,
      int foreignWrites,
      Map<EntryKind, Integer> kinds,
      int cut,
      int joined,
      int repeats) {}

  Outcome run() {
    Run run = new Run();
    Optional<String> failure = run.failure();
    return new Outcome(
        failure,
        run.turns.history(),
        run.checks.committed(),
        run.checks.cleared(),
        run.checks.foreignWrites(),
        run.checks.kinds(),
        run.cut,
        run.completing.begun(),
        run.repeats);
  }

  private final class Run {
    private final SimulatedCluster cluster;
    private final Interleaving turns;
    private final CompletesInProgress completing;
    private int cut;
    private int repeats;
    private final HistoryChecks checks;

    /** Statements by their ids. */
    private final Map<String, Actor> statements = new TreeMap<>();

    /** Those whose process has ended. */
    private final Set<String> ended = ConcurrentHashMap.newKeySet();

    /** What processes have failed with that come too late. */
    private final List<String> zombieFailures = new ArrayList<>();

    Run() {
      int number = NUMBER.incrementAndGet();
      cluster = new SimulatedCluster("jobs-" + number, Variant.aws());
      for (int day = 1; day <= 3; day++) {
        cluster.store.plant(PREFIX + "day=" + day + "/foreign", "foreign".getBytes(UTF_8));
      }
      Map<String, List<Path>> jobs = new TreeMap<>();
      actors.stream()
          .filter(Actor::isJob)
          .forEach(it -> jobs.put(idOf(it, number), it.writes(idOf(it, number))));
      actors.stream()
          .filter(it -> it.role() == Role.STATEMENT)
          .forEach(it -> statements.put(idOf(it, number), it));
      for (String id : statements.keySet()) {
        jobs.put(id, List.of());
        jobs.put(SimulatedStatement.again(id), List.of());
      }
      checks = new HistoryChecks(cluster, jobs, hasForeigners());
      completing = new CompletesInProgress(cluster);
      RandomTurns order = new RandomTurns(schedule, completing);
      turns = new Interleaving(order, checks);
      // The store ends in a minute what it has begun.
      cluster.afterTime(
          () ->
              completing.endThoseBefore(
                  cluster.store.now().minus(SimulatedCluster.SETTINGS.settling()), turns));
      for (Actor actor : actors) {
        String process = actor.role() + " " + actor.name();
        order.trouble(process, actor.troubles());
        turns.add(process, (calls, crashed) -> act(actor, idOf(actor, number), calls, crashed));
      }
    }

    private static String idOf(Actor actor, int number) {
      return actor.name() + "-of-" + number;
    }

    private void act(Actor actor, String id, Calls calls, BooleanSupplier crashed)
        throws IOException {
      SimulatedCluster.View view = cluster.new View(calls);
      switch (actor.role()) {
        case APPEND, REPEAT, OVERWRITE, CLEAR -> {
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
            Recovery recovery = new SimulatedRecovery(view).recovery();
            if (actor.small()) {
              // As long as there is hardly anything to give up.
              view.idle(new Random(schedule).nextInt(LONGEST_IDLE));
              for (String open : OpenJobs.of(recovery)) {
                recovery.giveUp(open);
              }
            } else {
              recovery.run(Duration.ZERO, Manner.GIVING_UP);
            }
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
            new ForeignWriter(view.bucket, actor.name(), checks::foreignRemoves)
                .run(actor.days().iterator().next());
        case STATEMENT -> {
          try {
            new SimulatedStatement(view, checks, id, actor.directories(), actor.small()).run();
          } catch (IOException e) {
            // Days after it has listed the log it must not decide; then it runs again.
            if (actor.troubles().equals(Troubles.NONE) && !isCut()) {
              throw e;
            }
            zombieFailures.add(e.getMessage());
          } finally {
            ended.add(id);
          }
        }
        case CUT -> {
          try {
            cut += new CuttingProcess(view, actor.name(), this::jump).run();
          } catch (IOException e) {
            // A request has got no answer.
            zombieFailures.add(e.getMessage());
          }
        }
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

    /**
     * Time passes for longer than a request may be under way: the store refuses it afterwards. A
     * look at the clock and the PUT of an entry behind it are one step, as in the model. And no
     * statement of an engine takes so long that entries are cut which have come since it began.
     */
    private void jump(Duration time) {
      boolean atWork =
          statements.keySet().stream().anyMatch(it -> checks.hasBegun(it) && !ended.contains(it));
      if ((atWork && time.toDays() >= CoreKeys.FEWEST_LOG_DAYS)
          || turns.isAboutTo(call -> ENTRY.matcher(call.what()).matches())) {
        return;
      }
      endRequests();
      cluster.passTime(time);
    }

    private void endRequests() {
      completing.keys().forEach(key -> completing.end(key, turns));
      turns.takeLate();
    }

    private void recover(SimulatedCluster.View view, BooleanSupplier crashed) {
      try {
        List<Recovered> results = new SimulatedRecovery(view).run();
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

    private boolean isCut() {
      return actors.stream().anyMatch(actor -> actor.role() == Role.CUT);
    }

    /** Who has slept writes no entry any more. */
    private boolean isTooLate(Exception failure) {
      return isCut() && failure instanceof NotWrittenException;
    }

    private boolean hasLostAnswers() {
      return actors.stream()
          .anyMatch(it -> it.troubles().loseAt() > 0 || it.troubles().delayAt() > 0);
    }

    private static boolean isFailure(Recovered result) {
      return result instanceof Recovered.Failed || result instanceof Recovered.Behind;
    }

    private void check(List<Recovered> results) {
      for (Recovered result : results) {
        boolean good =
            checks.mayBeSaid(result)
                || result instanceof Recovered.UnderWay
                || (result instanceof Recovered.Failed failed && isTooLate(failed.cause()))
                || (hasForeigners() && !isFailure(result))
                || (hasLostAnswers() && isFailure(result));
        if (!good) {
          checks.violated("recovery says " + result);
        }
      }
    }

    private void check(String id, Told told, Actor actor, Exception failure) {
      boolean commit = checks.isCommitted(id);
      switch (told) {
        case COMMITTED -> {
          if (!commit) {
            checks.violated(id + " is told to be committed, and is not");
          }
        }
        case FAILED -> {
          if (commit) {
            checks.violated(id + " is told to have failed, and is committed");
          }
        }
        case REPEATS -> {
          repeats++;
          if (!checks.wasThere(actor.run())) {
            checks.violated(
                id + " is told that its run was committed, and its rows were not there");
          }
        }
        case REPEATS_LESS -> {
          boolean gone = failure.getMessage().contains("ZR-1138");
          boolean disturbed =
              gone
                  || failure.getMessage().contains("ZR-1137")
                  || !actor.troubles().equals(Troubles.NONE)
                  || isCut();
          if (!disturbed || (gone && checks.isThere(actor.run()))) {
            checks.violated(id + " is told that rows of its run are not there: " + failure);
          }
        }
        default -> {
          // A job that has slept for days decides no abort.
          boolean left = isCut() && told == Told.FAILED_UNSWEPT && !commit;
          // Nor does one know what has taken its number, if that was deleted as old before its
          // look.
          boolean slept = isCut() && !commit && failure.getMessage().contains("ZR-1209");
          boolean disturbed =
              left
                  || slept
                  || checks.isGivenUp(id)
                  || !actor.troubles().equals(Troubles.NONE)
                  || hasForeigners()
                  || (failure instanceof CommitDamagedException damaged
                      && checks.areRemovedByEngines(damaged.commit.result().lost()));
          if (!disturbed || (told == Told.WRONGLY_FAILED)) {
            checks.violated(
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

    Optional<String> failure() {
      try {
        turns.run();
        turns.failures().forEach(checks::violated);
        endRequests();
        SimulatedRecovery recovery = new SimulatedRecovery(cluster.undisturbed());
        // Whose statement has failed runs it again.
        for (String id : checks.interrupted()) {
          Actor actor = statements.get(id);
          new SimulatedStatement(
                  cluster.new View(checks.observed()),
                  checks,
                  SimulatedStatement.again(id),
                  actor.directories(),
                  actor.small())
              .run();
        }
        check(recovery.run());
        check(recovery.run());
        if (!statements.isEmpty() || isCut()) {
          // An operator knows who has removed files, and that nobody else has.
          check(recovery.recovery().run(Duration.ZERO, Manner.BY_OPERATOR));
        }
        // Who was interrupted while he gave up does it again.
        for (String open : OpenJobs.of(recovery.recovery())) {
          if (checks.isGivenUp(open)) {
            check(recovery.recovery().giveUp(open).stream().toList());
          }
        }
        checks.checkEnd();
      } catch (IOException | RuntimeException e) {
        checks.violated("the end failed: " + e + "; others with " + zombieFailures);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        checks.violated("interrupted");
      }
      return checks.failures().stream().findFirst();
    }
  }
}
