package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.EndNote;
import io.zerorename.core.log.Ending;
import io.zerorename.core.log.EntryKind;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.manifest.MalformedManifestException;
import io.zerorename.core.metrics.CommitterMetrics;
import io.zerorename.core.metrics.Metric;
import io.zerorename.core.parallel.Pauses;
import io.zerorename.core.parallel.Uninterrupted;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectStores;
import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Executes an entry whose own executor has gone, under an entry of this process. */
final class ResumeEntry {
  private static final Logger LOG = LoggerFactory.getLogger(ResumeEntry.class);

  private final ObjectStores stores;
  private final CommitLog log;
  private final CommitSettings settings;
  private final RecoveryEngine engine;
  private final SweepAttempts attempts;
  private final Pauses.Sleep sleep;

  ResumeEntry(
      ObjectStores stores,
      CommitLog log,
      CommitSettings settings,
      RecoveryEngine engine,
      Pauses.Sleep sleep) {
    this.stores = requireNonNull(stores, "stores");
    this.log = requireNonNull(log, "log");
    this.settings = requireNonNull(settings, "settings");
    this.engine = requireNonNull(engine, "engine");
    this.attempts = new SweepAttempts(stores, engine);
    this.sleep = requireNonNull(sleep, "sleep");
  }

  /**
   * Resumes an entry, unless it has to be left to an operator.
   *
   * @param byOperator nothing is left to anybody else then
   */
  Recovered run(LogEntry target, LogTail tail, boolean byOperator) throws IOException {
    CommitPlan plan = log.plan(target);
    try {
      check(plan);
      return execute(
          target,
          plan,
          tail,
          workers -> new TakeOver(stores, log).begin(target, plan, tail, byOperator, workers));
    } catch (TakeOver.LeftException e) {
      return left(target, e.getMessage());
    } finally {
      plan.release();
    }
  }

  /** Writes the entry by which this process executes another. */
  @FunctionalInterface
  private interface Begin {
    LogEntry with(Workers workers) throws IOException;
  }

  /** Whether partitions can be registered. */
  boolean hasMetastore() {
    return engine.hasMetastore();
  }

  /** Ends an entry without the files that are lost; others must not be at work on it. */
  Recovered giveUp(LogEntry target, LogTail tail) throws IOException {
    CommitPlan plan = log.plan(target);
    try {
      check(plan);
      return execute(target, plan, tail, workers -> log.giveUp(target, tail));
    } finally {
      plan.release();
    }
  }

  /**
   * Whoever may write at the destination can have written it.
   *
   * @throws MalformedManifestException where the job cannot have made it
   * @throws NotAllowedException where it is not to be carried out here
   */
  private void check(CommitPlan plan) throws IOException {
    new PlanChecks(plan.job()).check(plan);
    for (Path root : plan.job().roots()) {
      if (!engine.mayWrite(root)) {
        throw new NotAllowedException(
            "Its plan names " + root + ", where jobs of this destination may not write.");
      }
    }
    Optional<String> refusal = engine.refuses(plan.job());
    if (refusal.isPresent()) {
      throw new NotAllowedException(refusal.get());
    }
  }

  private Recovered execute(LogEntry target, CommitPlan plan, LogTail tail, Begin begin)
      throws IOException {
    RunningCommits.begin(plan.job());
    try (Workers workers = new Workers(settings.threads())) {
      LogEntry own = begin.with(workers);
      ExecuteEntry.Result result =
          Uninterrupted.call(
              () ->
                  new ExecuteEntry(stores, log, tail, settings, EtagNotes.none(), sleep)
                      .run(own, target, plan, () -> false, workers, new StageTimes()));
      return end(own, target, plan, result, workers);
    } catch (MalformedManifestException e) {
      // Of another entry: its own records were read before. That one has to be given up, not this.
      throw new IOException(e.getMessage(), e);
    } finally {
      RunningCommits.end(plan.job().id());
    }
  }

  private Recovered end(
      LogEntry own, LogEntry target, CommitPlan plan, ExecuteEntry.Result result, Workers workers)
      throws IOException {
    boolean givenUp = own.kind() == EntryKind.GIVEUP;
    if (!result.lost().isEmpty() && !givenUp) {
      return damaged(own, target, plan, result);
    }
    if (result.givenUp()) {
      log.end(own, Ending.LEFT, EndNote.NOTHING);
      return new Recovered.Left(
          target,
          "an operator has begun to give it up.",
          RecoverCommand.of(target.job()) + " --give-up");
    }
    attempts.run(plan.job(), plan, workers);
    OpenCommit commit = new OpenCommit(log, own, target, plan, result);
    // In the caller's thread, to which Hive has bound its session.
    // What is given up is not left to Hive: its files are what they are.
    if (!endEngine(plan, commit) && !givenUp) {
      commit.finishWithoutMetastore();
      return new Recovered.MetastoreOpen(target, plan);
    }
    commit.finish();
    if (givenUp) {
      return new Recovered.GivenUp(target.number(), target.job().id(), result.lost());
    }
    CommitterMetrics.add(Metric.COMMITS_RECOVERED, 1);
    LOG.info("{} is complete", target.description());
    return new Recovered.Completed(target, plan);
  }

  /** Partitions are registered all the same: other files that lie in them are visible. */
  private Recovered damaged(
      LogEntry own, LogEntry target, CommitPlan plan, ExecuteEntry.Result result)
      throws IOException {
    boolean ended = !target.kind().replaces();
    if (ended) {
      engine.end(plan, new OpenCommit(log, own, target, plan, result).replacedLater());
    }
    log.end(own, ended ? Ending.DAMAGED : Ending.LEFT, EndNote.of(plan, result.lost()));
    return new Recovered.Damaged(target, result.lost(), ended, RecoverCommand.of(target.job()));
  }

  /** Where the engine fails, the next attempt finds that the files are in place. */
  private boolean endEngine(CommitPlan plan, OpenCommit commit) throws IOException {
    try {
      return engine.end(plan, commit.replacedLater());
    } catch (IOException | RuntimeException e) {
      try {
        if (engine.hasMetastore()) {
          commit.finishWithoutMetastore();
        }
      } catch (IOException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
  }

  private static Recovered left(LogEntry target, String reason) {
    return new Recovered.Left(target, reason, RecoverCommand.of(target.job()));
  }
}
