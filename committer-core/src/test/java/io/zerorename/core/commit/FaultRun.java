package io.zerorename.core.commit;

import static io.zerorename.core.commit.SimulatedCluster.PREFIX;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.zerorename.core.commit.Fault.Kind;
import io.zerorename.core.commit.SimulatedJob.Told;
import io.zerorename.core.store.StoreException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/**
 * Runs one job in which calls go wrong, then what later jobs do, and checks what users see at every
 * step.
 */
final class FaultRun {
  /** The end of a process: it makes no further call. */
  private static final class Crash extends Error {
    private static final long serialVersionUID = 1L;

    Crash() {
      super("the process has crashed", null, false, false);
    }
  }

  private static final AtomicInteger NUMBER = new AtomicInteger();

  private final FaultSetting setting;
  private final Map<Integer, Kind> faults;
  private final String id;
  private final String laterId;
  private final SimulatedCluster cluster;
  private final SimulatedCluster.View undisturbed;
  private final List<Calls.Effect<?>> late = new ArrayList<>();
  private final List<String> struck = new ArrayList<>();
  private final Set<Integer> struckSteps = new HashSet<>();
  private final FaultChecks checks;
  private int steps;

  FaultRun(FaultSetting setting, List<Fault> faults) {
    this.setting = setting;
    this.faults = faults.stream().collect(Collectors.toMap(Fault::step, Fault::kind));
    int number = NUMBER.incrementAndGet();
    this.id = "job-" + number + "-a";
    this.laterId = "job-" + number + "-z";
    this.cluster =
        new SimulatedCluster("cluster-" + number, setting.variant(), setting.logOnFileSystem());
    this.undisturbed = cluster.undisturbed();
    for (String key : setting.job().there()) {
      cluster.plant(key, (key.endsWith("/") ? "" : "old").getBytes(UTF_8));
    }
    cluster.store.plant("w/other/file", "other".getBytes(UTF_8));
    this.checks =
        new FaultChecks(setting, this.faults.values(), id, cluster, job(undisturbed).made());
  }

  /** A crashed process, seen from inside, and one that is yet to crash. */
  private final class Victim implements Calls {
    private boolean dead;

    @Override
    public <T> T make(Call call, Effect<T> effect) throws IOException {
      if (dead) {
        throw new Crash();
      }
      steps++;
      Kind kind = faults.get(steps);
      if (kind == null) {
        return taken(call, effect);
      }
      struckSteps.add(steps);
      struck.add(kind + " at step " + steps + ": " + call.what());
      switch (kind) {
        case REFUSED -> throw refused(call);
        case LOST_BEFORE -> throw lost(call);
        case LOST_AFTER -> {
          taken(call, effect);
          throw lost(call);
        }
        case LOST_LATE, LOST_LATE_OVERWRITE -> {
          late.add(effect);
          throw lost(call);
        }
        case CRASH_BEFORE -> {
          dead = true;
          throw new Crash();
        }
        case CRASH_AFTER, CRASH_RESTART -> {
          taken(call, effect);
          dead = true;
          throw new Crash();
        }
        case CRASH_LATE, CRASH_LATE_OVERWRITE -> {
          late.add(effect);
          dead = true;
          throw new Crash();
        }
        case STALL, STALL_OVERWRITE -> {
          othersWork(kind == Kind.STALL_OVERWRITE);
          return taken(call, effect);
        }
      }
      throw new AssertionError(kind);
    }

    private <T> T taken(Call call, Effect<T> effect) throws IOException {
      T result = effect.take();
      if (call.store() && call.changes()) {
        checks.step(call);
      }
      return result;
    }
  }

  private static IOException refused(Calls.Call call) {
    String message = "planned: " + call.what() + " is refused";
    return call.store()
        ? new StoreException(StoreException.Kind.ACCESS_DENIED, message)
        : new IOException(message);
  }

  private static IOException lost(Calls.Call call) {
    String message = "planned: no answer to " + call.what();
    return call.store()
        ? new StoreException(StoreException.Kind.AMBIGUOUS, message)
        : new IOException(message);
  }

  private void othersWork(boolean overwrite) throws IOException {
    RunningCommits.end(id);
    FaultChecks.recovered(new SimulatedRecovery(undisturbed, false).run());
    if (overwrite) {
      overwrite();
    }
  }

  private void overwrite() throws IOException {
    SimulatedJob later =
        new SimulatedJob(
            cluster,
            undisturbed,
            setting.job().isInTwoBuckets()
                ? JobKind.TWO_BUCKETS_OVERWRITE
                : JobKind.OVERWRITE_TABLE,
            laterId);
    checks.overwriting(laterId, later.made());
    Told told = later.run();
    if (told != Told.COMMITTED) {
      throw new AssertionError("a later job was " + told);
    }
  }

  private SimulatedJob job(SimulatedCluster.View view) {
    return new SimulatedJob(cluster, view, setting.job(), id);
  }

  /**
   * Runs and checks.
   *
   * @return how many steps there were in which something could go wrong
   * @throws AssertionError with all that is needed to repeat it
   */
  int run() {
    try {
      runJob();
      if (checks.violation().isPresent()) {
        throw new AssertionError(checks.violation().get());
      }
      return steps;
    } catch (IOException | RuntimeException | AssertionError e) {
      throw new AssertionError(
          this + ": " + checks.violation().map(it -> it + "; ").orElse("") + e.getMessage(), e);
    } finally {
      RunningCommits.end(id);
    }
  }

  /**
   * Whether the job, or the recovery after it, has made the call that this fault is planned for.
   */
  boolean hasStruck(Fault fault) {
    return struckSteps.contains(fault.step());
  }

  private boolean createStruck() {
    return struck.stream().anyMatch(it -> it.contains("CREATE_UPLOAD") || it.contains(".upload"));
  }

  @Override
  public String toString() {
    return setting + ", " + faults + " " + struck;
  }

  private void runJob() throws IOException {
    String foreign = cluster.store.createUpload(PREFIX + "foreign", Map.of());
    Victim process = new Victim();
    SimulatedJob job = job(cluster.new View(process));
    Optional<Told> told = Optional.empty();
    try {
      Told answer = job.run();
      told = process.dead ? Optional.empty() : Optional.of(answer);
    } catch (Crash e) {
      if (!process.dead) {
        throw e;
      }
    }
    if (told.isPresent()) {
      checks.told(told.get(), job);
    }
    if (faults.isEmpty() && !told.equals(Optional.of(Told.COMMITTED))) {
      throw new AssertionError("nothing went wrong, and the job is " + told);
    }
    RunningCommits.end(id);

    if (faults.containsValue(Kind.CRASH_RESTART) && job.tasksDone()) {
      told = Optional.of(commitAgain());
      checks.told(told.get(), job);
    }
    List<Recovered> first = recoverDisturbed();
    List<Recovered> second = recover();
    FaultChecks.recovered(second);
    checkNothingChanges();
    if (faults.values().stream().anyMatch(kind -> kind.isLate() && kind.overwrites())) {
      overwrite();
    }
    boolean tookEffectLate = !late.isEmpty();
    for (Calls.Effect<?> effect : late) {
      take(effect);
    }
    if (tookEffectLate) {
      FaultChecks.recovered(recover());
    }
    if (!setting.clusterGone()) {
      new SimulatedRecovery(undisturbed, false).sweepLate(8);
      new SimulatedRecovery(undisturbed, false).sweepLate(16);
    }
    FaultChecks.recovered(recover());
    checkNothingChanges();
    checks.end(told, !first.isEmpty() || !second.isEmpty(), createStruck());
    if (!setting.clusterGone() && cluster.decision(id).isPresent()) {
      // A process that was taken for dead, or that the engine has started too late.
      Told late = commitAgain();
      if (late != (checks.isCommitted() ? Told.COMMITTED : Told.FAILED)) {
        throw new AssertionError("a late committer is " + late);
      }
      checkNothingChanges();
      checks.end(told, !first.isEmpty() || !second.isEmpty(), createStruck());
    }
    cluster.store.abortUpload(PREFIX + "foreign", foreign);
  }

  private Told commitAgain() {
    return job(undisturbed).commit(true);
  }

  /** The recovery may be struck as well, where several faults are planned. */
  private List<Recovered> recoverDisturbed() {
    Victim process = new Victim();
    int struckBefore = struck.size();
    List<Recovered> results;
    try {
      results = new SimulatedRecovery(cluster.new View(process), setting.clusterGone()).run();
    } catch (Crash | IOException e) {
      if (struck.size() == struckBefore) {
        throw new AssertionError("the recovery failed", e);
      }
      return List.of();
    } finally {
      RunningCommits.end(id);
    }
    if (struck.size() == struckBefore) {
      FaultChecks.recovered(results);
    }
    return results;
  }

  private List<Recovered> recover() throws IOException {
    return new SimulatedRecovery(undisturbed, setting.clusterGone()).run();
  }

  /** A request that nobody waits for any more may fail as well as succeed. */
  private void take(Calls.Effect<?> effect) {
    try {
      effect.take();
      struck.add("late effect");
    } catch (IOException e) {
      struck.add("late failure: " + e.getMessage());
    }
  }

  private void checkNothingChanges() throws IOException {
    List<String> snapshot = cluster.snapshot();
    List<String> changes = new ArrayList<>();
    SimulatedCluster.View watched =
        cluster
        .new View(
            new Calls() {
              @Override
              public <T> T make(Call call, Effect<T> effect) throws IOException {
                if (call.changes()) {
                  changes.add(call.what());
                }
                return effect.take();
              }
            });
    List<Recovered> results = new SimulatedRecovery(watched, setting.clusterGone()).run();
    if (!results.isEmpty() || !changes.isEmpty() || !cluster.snapshot().equals(snapshot)) {
      throw new AssertionError(
          "another recovery has something to do: " + results + ", and changes " + changes);
    }
  }
}
