package io.zerorename.core.commit;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.zerorename.core.commit.Fault.Kind;
import io.zerorename.core.commit.SimulatedJob.Told;
import io.zerorename.core.recovery.Recovered;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.Path;

/**
 * Runs something in which calls go wrong, or calls of the recovery that follows, then what later
 * jobs do, and checks after each call and at the end what there is in the order of the log.
 */
abstract class FaultRun {
  private static final AtomicInteger NUMBER = new AtomicInteger();

  final int number = NUMBER.incrementAndGet();

  /** Of what is run. */
  final String id = "job-" + number + "-a";

  final SimulatedCluster cluster;
  final FaultyCalls calls;
  private final String laterId = "job-" + number + "-z";
  private final FaultScenario setting;
  private final JobShape later;
  private HistoryChecks checks;
  private SimulatedCluster.View undisturbed;
  private boolean overwritten;

  /**
   * A run that has not begun.
   *
   * @param there names of objects that are there before
   * @param later overwrites the table, where a fault has it do so
   */
  FaultRun(FaultScenario setting, List<Fault> faults, Collection<String> there, JobShape later) {
    this.setting = setting;
    this.later = later;
    this.cluster = new SimulatedCluster("cluster-" + number, setting.variant());
    there.forEach(it -> cluster.plant(it, (it.endsWith("/") ? "" : "old").getBytes(UTF_8)));
    this.calls = new FaultyCalls(faults, this::othersWork, call -> checks.observe(call));
  }

  /** What jobs write, by their ids. */
  abstract Map<String, List<Path>> writes();

  /** What comes before the calls that may go wrong. */
  abstract void prepare() throws IOException;

  /**
   * What is run.
   *
   * @param again whether an earlier process may have done a part of it
   */
  abstract Told act(SimulatedCluster.View view, boolean again);

  /** Whether that is a job, which a process that was taken for dead may run once more. */
  abstract boolean isJob();

  /** Whether another process may take it up where the first has died. */
  boolean mayBeRestarted() {
    return true;
  }

  /** What must be there as soon as it says that it has succeeded. */
  abstract void checkDone();

  /** Where nothing goes wrong, the scenario is what its name says. */
  abstract void checkUndisturbed() throws IOException;

  /** Whose command or statement has failed runs it again. */
  abstract void runAgain() throws IOException;

  /** Whether a recovery may say so. */
  abstract boolean mayBeSaid(Recovered result);

  /** Whether a request may still arrive that was delayed. */
  boolean mayArrive(Calls.Call call) {
    return true;
  }

  /**
   * What else must be so at the end.
   *
   * @param recovered whether there was something to recover
   */
  abstract void checkEnd(Optional<Told> told, boolean recovered) throws IOException;

  HistoryChecks checks() {
    return checks;
  }

  SimulatedCluster.View undisturbed() {
    return undisturbed;
  }

  boolean isOverwritten() {
    return overwritten;
  }

  SimulatedRecovery recovery(SimulatedCluster.View view) {
    return new SimulatedRecovery(view);
  }

  /**
   * Runs and checks.
   *
   * @return how many steps there were in which something could go wrong
   * @throws AssertionError with all that is needed to repeat it
   */
  final int run() {
    Map<String, List<Path>> writes = new HashMap<>(writes());
    writes.put(laterId, later.writes(laterId));
    checks = new HistoryChecks(cluster, writes, false);
    undisturbed = cluster.new View(checks.observed());
    try {
      runToTheEnd();
      return calls.steps();
    } catch (IOException | RuntimeException | AssertionError e) {
      throw new AssertionError(
          this + ": " + checks.failures().stream().findFirst().orElse("") + "; " + e.getMessage(),
          e);
    }
  }

  /** Whether the call was made that this fault is planned for. */
  final boolean hasStruck(Fault fault) {
    return calls.hasStruck(fault);
  }

  @Override
  public String toString() {
    return setting + ", " + calls;
  }

  private void runToTheEnd() throws IOException {
    prepare();
    Optional<Told> told = calls.process(process -> act(cluster.new View(process), false));
    if (told.isPresent()) {
      check(told.get());
    }
    if (calls.struck().isEmpty()) {
      if (!told.equals(Optional.of(Told.COMMITTED))) {
        throw new AssertionError("nothing went wrong, and it is " + told);
      }
      checkUndisturbed();
    }
    if (calls.have(Kind.CRASH_RESTART) && mayBeRestarted()) {
      told = Optional.of(act(undisturbed, true));
      check(told.get());
    }
    boolean recovered = recoverDisturbed();
    recovered |= recover();
    runAgain();
    recover();
    nothingChanges();
    if (calls.areLateBehindAnOverwrite()) {
      overwrite();
    }
    if (calls.takeLate(this::mayArrive)) {
      recover();
    }
    nothingChanges();
    checkAll(told, recovered);
    if (isJob() && cluster.decision(id).isPresent()) {
      // A process that was taken for dead, or that the engine has started too late.
      Told late = act(undisturbed, true);
      if (late != (cluster.isCommitted(id) ? Told.COMMITTED : Told.FAILED)) {
        throw new AssertionError("a late committer is " + late);
      }
      nothingChanges();
      checkAll(told, recovered);
    }
  }

  private void check(Told told) {
    switch (told) {
      case COMMITTED, COMMITTED_OPEN -> {
        if (!overwritten) {
          checkDone();
        }
      }
      case FAILED, FAILED_UNSWEPT -> {
        if (cluster.isCommitted(id)) {
          throw new AssertionError(told + " and decided to commit");
        }
      }
      case UNKNOWN -> {
        if (calls.onlyStall()) {
          throw new AssertionError("nothing failed, and it is " + told);
        }
      }
      case WRONGLY_FAILED, DAMAGED, REPEATS, REPEATS_LESS ->
          throw new AssertionError("no upload has vanished, and it is " + told);
    }
  }

  /** Who was told that a job is committed relies on it at once. */
  final void checkDone(JobShape job) {
    Set<String> there = cluster.names();
    Set<String> own = new HashSet<>();
    job.writes(id).forEach(path -> own.add(SimulatedCluster.nameOf(path)));
    if (!there.containsAll(own) || !cluster.isCommitted(id)) {
      throw new AssertionError("there is " + there + " without all of " + own);
    }
    Set<Path> written = new HashSet<>();
    job.writes(id).forEach(path -> written.add(path.getParent()));
    checkReplaced(job.overwrite().directories(written), own);
  }

  /** Nothing else is there that is not hidden. */
  final void checkReplaced(Set<Path> directories, Set<String> own) {
    Set<String> there = cluster.names();
    there.removeIf(
        name ->
            own.contains(name)
                || name.endsWith("/")
                || directories.stream().noneMatch(it -> HistoryChecks.isBelow(it, name)));
    if (!there.isEmpty()) {
      throw new AssertionError("it has replaced " + directories + ", and there is " + there);
    }
  }

  private void othersWork(boolean overwrite) throws IOException {
    recover();
    if (overwrite) {
      overwrite();
    }
  }

  private void overwrite() throws IOException {
    overwritten = true;
    Told told = new SimulatedJob(cluster, undisturbed, later, laterId).run();
    if (told != Told.COMMITTED) {
      throw new AssertionError("a later job was " + told);
    }
  }

  /** The recovery may be struck as well. Returns whether it has found something. */
  private boolean recoverDisturbed() {
    int struckBefore = calls.struck().size();
    try {
      Optional<List<Recovered>> results =
          calls.process(process -> recovery(cluster.new View(process)).run());
      if (calls.struck().size() == struckBefore) {
        check(results.orElseThrow());
      }
      return results.filter(it -> !it.isEmpty()).isPresent();
    } catch (IOException e) {
      if (calls.struck().size() == struckBefore) {
        throw new AssertionError("the recovery failed", e);
      }
      return false;
    }
  }

  private boolean recover() throws IOException {
    List<Recovered> results = recovery(undisturbed).run();
    check(results);
    return !results.isEmpty();
  }

  final void check(List<Recovered> results) {
    for (Recovered result : results) {
      if (!mayBeSaid(result)) {
        throw new AssertionError("recovery says: " + result);
      }
    }
  }

  /** Another recovery finds nothing to do. */
  private void nothingChanges() throws IOException {
    // A process that died while it resumed an entry has left one, which is closed by the next.
    recovery(undisturbed).run();
    List<String> snapshot = cluster.snapshot();
    List<String> changes = new ArrayList<>();
    Calls watched =
        Calls.between(
            call -> {
              if (call.changes()) {
                changes.add(call.what());
              }
            },
            call -> {});
    List<Recovered> results = recovery(cluster.new View(watched)).run();
    if (!results.isEmpty() || !changes.isEmpty() || !cluster.snapshot().equals(snapshot)) {
      throw new AssertionError(
          "another recovery has something to do: " + results + ", and changes " + changes);
    }
  }

  private void checkAll(Optional<Told> told, boolean recovered) throws IOException {
    checks.checkEnd();
    if (!checks.failures().isEmpty()) {
      throw new AssertionError("at the end");
    }
    Set<String> visible = new HashSet<>();
    Set<String> committed = new HashSet<>();
    Set<String> there = cluster.names();
    Map<String, List<Path>> writes = new HashMap<>(writes());
    writes.put(laterId, later.writes(laterId));
    for (Map.Entry<String, List<Path>> job : writes.entrySet()) {
      if (!job.getValue().isEmpty() && cluster.isCommitted(job.getKey())) {
        for (Path path : job.getValue()) {
          committed.add(path.getParent().getName());
          if (there.contains(SimulatedCluster.nameOf(path))) {
            visible.add(path.getParent().getName());
          }
        }
      }
    }
    if (!cluster.partitions.containsAll(visible) || !committed.containsAll(cluster.partitions)) {
      throw new AssertionError("partitions are " + cluster.partitions + ", not " + visible);
    }
    checkEnd(told, recovered);
  }
}
