package io.zerorename.core.commit;

import static io.zerorename.core.commit.SimulatedCluster.PREFIX;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.zerorename.core.commit.Fault.Kind;
import io.zerorename.core.commit.SimulatedJob.Told;
import io.zerorename.core.recovery.Recovered;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Runs one job in which calls go wrong, then what later jobs do, and checks what users see at every
 * step.
 */
final class FaultRun implements FaultScenario.Run {
  private static final AtomicInteger NUMBER = new AtomicInteger();

  private final FaultSetting setting;
  private final FaultyCalls calls;
  private final String id;
  private final String laterId;
  private final SimulatedCluster cluster;
  private final SimulatedCluster.View undisturbed;
  private final FaultChecks checks;

  FaultRun(FaultSetting setting, List<Fault> faults) {
    this.setting = setting;
    int number = NUMBER.incrementAndGet();
    this.id = "job-" + number + "-a";
    this.laterId = "job-" + number + "-z";
    this.cluster = new SimulatedCluster("cluster-" + number, setting.variant());
    this.undisturbed = cluster.undisturbed();
    for (String key : setting.job().there()) {
      cluster.plant(key, (key.endsWith("/") ? "" : "old").getBytes(UTF_8));
    }
    cluster.store.plant("w/other/file", "other".getBytes(UTF_8));
    this.checks =
        new FaultChecks(
            setting,
            faults.stream().map(Fault::kind).toList(),
            id,
            cluster,
            job(undisturbed).made());
    this.calls = new FaultyCalls(faults, this::othersWork, checks::step);
  }

  private void othersWork(boolean overwrite) throws IOException {
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

  @Override
  public int run() {
    try {
      runJob();
      if (checks.violation().isPresent()) {
        throw new AssertionError(checks.violation().get());
      }
      return calls.steps();
    } catch (IOException | RuntimeException | AssertionError e) {
      throw new AssertionError(
          this + ": " + checks.violation().map(it -> it + "; ").orElse("") + e.getMessage(), e);
    }
  }

  @Override
  public boolean hasStruck(Fault fault) {
    return calls.hasStruck(fault);
  }

  @Override
  public String toString() {
    return setting + ", " + calls;
  }

  private void runJob() throws IOException {
    String foreign = cluster.store.createUpload(PREFIX + "foreign", Map.of());
    AtomicReference<SimulatedJob> first = new AtomicReference<>();
    Optional<Told> told =
        calls.process(
            process -> {
              first.set(job(cluster.new View(process)));
              return first.get().run();
            });
    SimulatedJob job = first.get();
    if (told.isPresent()) {
      checks.told(told.get(), job);
    }
    if (calls.struck().isEmpty() && !told.equals(Optional.of(Told.COMMITTED))) {
      throw new AssertionError("nothing went wrong, and the job is " + told);
    }

    if (calls.have(Kind.CRASH_RESTART) && job.tasksDone()) {
      told = Optional.of(commitAgain());
      checks.told(told.get(), job);
    }
    List<Recovered> disturbed = recoverDisturbed();
    List<Recovered> second = recover();
    FaultChecks.recovered(second);
    FaultChecks.nothingChanges(cluster, setting.clusterGone());
    if (calls.areLateBehindAnOverwrite()) {
      overwrite();
    }
    if (calls.takeLate(call -> true)) {
      FaultChecks.recovered(recover());
    }
    FaultChecks.nothingChanges(cluster, setting.clusterGone());
    checks.end(told, !disturbed.isEmpty() || !second.isEmpty(), calls.struck());
    if (!setting.clusterGone() && cluster.decision(id).isPresent()) {
      // A process that was taken for dead, or that the engine has started too late.
      Told late = commitAgain();
      if (late != (checks.isCommitted() ? Told.COMMITTED : Told.FAILED)) {
        throw new AssertionError("a late committer is " + late);
      }
      FaultChecks.nothingChanges(cluster, setting.clusterGone());
      checks.end(told, !disturbed.isEmpty() || !second.isEmpty(), calls.struck());
    }
    cluster.store.abortUpload(PREFIX + "foreign", foreign);
  }

  private Told commitAgain() {
    return job(undisturbed).commit(true);
  }

  /** The recovery may be struck as well, where several faults are planned. */
  private List<Recovered> recoverDisturbed() {
    int struckBefore = calls.struck().size();
    Optional<List<Recovered>> results;
    try {
      results =
          calls.process(
              process ->
                  new SimulatedRecovery(cluster.new View(process), setting.clusterGone()).run());
    } catch (IOException e) {
      if (calls.struck().size() == struckBefore) {
        throw new AssertionError("the recovery failed", e);
      }
      return List.of();
    }
    if (calls.struck().size() == struckBefore) {
      FaultChecks.recovered(results.orElseThrow());
    }
    return results.orElse(List.of());
  }

  private List<Recovered> recover() throws IOException {
    return new SimulatedRecovery(undisturbed, setting.clusterGone()).run();
  }
}
