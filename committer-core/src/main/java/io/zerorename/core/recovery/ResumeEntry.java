package io.zerorename.core.recovery;

import io.zerorename.core.commit.CompletedEtags;
import io.zerorename.core.commit.ExecuteEntry;
import io.zerorename.core.commit.FingerprintSet;
import io.zerorename.core.commit.LaterEntries;
import io.zerorename.core.commit.OpenCommit;
import io.zerorename.core.commit.PlanChecks;
import io.zerorename.core.commit.RecoveryAdvice;
import io.zerorename.core.commit.StageTimes;
import io.zerorename.core.commit.TakeOver;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.job.RunningCommit;
import io.zerorename.core.job.UploadSweep;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.EndNote;
import io.zerorename.core.log.Ending;
import io.zerorename.core.log.EntryKind;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.manifest.MalformedManifestException;
import io.zerorename.core.metrics.CommitterMetrics;
import io.zerorename.core.metrics.Metric;
import io.zerorename.core.parallel.Uninterrupted;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.CountedStores;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.RequestType;
import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Executes an entry whose own executor has gone, under an entry of this process. */
public record ResumeEntry(
    ObjectStores stores, CommitLog log, CommitSettings settings, JobEngine engine) {
  private static final Logger LOG = LoggerFactory.getLogger(ResumeEntry.class);

  /**
   * Resumes an entry, unless it has to be left to an operator.
   *
   * @param byOperator nothing is left to an operator then
   */
  public Recovered run(LogEntry target, LogTail tail, boolean byOperator) throws IOException {
    try {
      return execute(
          target,
          tail,
          (plan, workers) -> {
            refuse(plan);
            return new TakeOver(stores, log).begin(target, plan, tail, byOperator, workers);
          });
    } catch (TakeOver.NeedsOperatorException e) {
      return new Recovered.Left(target, e.getMessage(), RecoveryAdvice.of(target.job()));
    }
  }

  /** The execution failed after its begin. */
  static final class FailedException extends IOException {
    private final String state;

    private FailedException(String state, Exception reason) {
      super(reason.getMessage(), reason);
      this.state = state;
    }

    /** What is done by now, in a sentence. */
    String state() {
      return state;
    }

    Exception reason() {
      return (Exception) getCause();
    }
  }

  /** Writes the entry by which this process executes another. */
  @FunctionalInterface
  private interface Begin {
    LogEntry with(CommitPlan plan, Workers workers) throws IOException;
  }

  boolean hasMetastore() {
    return engine.hasMetastore();
  }

  /**
   * Ends an entry without the files that are lost; others must not be at work on it. The engine's
   * refusal does not count: nothing of it is made visible, and what has been aborted stays away.
   */
  Recovered forceClose(LogEntry target, LogTail tail) throws IOException {
    return execute(target, tail, (plan, workers) -> log.forceClose(target, tail));
  }

  /**
   * Any user who may write at the destination can have written it.
   *
   * @throws MalformedManifestException where the job cannot have made it
   * @throws NotAllowedException where it must not be executed here
   */
  void check(CommitPlan plan) throws IOException {
    checkRoots(plan);
    refuse(plan);
  }

  private void checkRoots(CommitPlan plan) throws IOException {
    new PlanChecks(plan.job()).check(plan);
    for (Path root : plan.job().roots()) {
      if (!engine.mayWrite(root)) {
        throw new NotAllowedException(
            "ZR-1307: Its plan names " + root + ", where jobs of this destination may not write.");
      }
    }
  }

  private void refuse(CommitPlan plan) throws IOException {
    Optional<String> refusal = engine.refuses(plan.job());
    if (refusal.isPresent()) {
      throw new NotAllowedException(refusal.get());
    }
  }

  private Recovered execute(LogEntry target, LogTail tail, Begin begin) throws IOException {
    CommitPlan plan = log.plan(target);
    try {
      checkRoots(plan);
      return execute(target, plan, tail, begin);
    } finally {
      plan.release();
    }
  }

  private Recovered execute(LogEntry target, CommitPlan plan, LogTail tail, Begin begin)
      throws IOException {
    try (RunningCommit running = RunningCommit.begin(plan.job());
        Workers workers = settings.workers()) {
      LogEntry own = begin.with(plan, workers);
      CountedStores counted = new CountedStores(stores);
      Optional<ExecuteEntry.Result> result = Optional.empty();
      try {
        result =
            Optional.of(
                Uninterrupted.call(
                    () ->
                        new ExecuteEntry(
                                counted,
                                log,
                                tail,
                                settings,
                                new CompletedEtags(0),
                                new FingerprintSet())
                            .run(own, target, plan, () -> false, workers, new StageTimes())));
        return end(own, target, plan, result.get(), workers, running);
      } catch (MalformedManifestException e) {
        // Of another entry: its own records were read before. That one has to be force-closed.
        throw new FailedException(
            state(target, result, counted), new IOException(e.getMessage(), e));
      } catch (IOException | RuntimeException e) {
        throw new FailedException(state(target, result, counted), e);
      }
    }
  }

  private static String state(
      LogEntry target, Optional<ExecuteEntry.Result> result, CountedStores counted) {
    boolean replaces = target.kind().replaces();
    if (result.filter(it -> it.lost().isEmpty() && !it.forceClosed()).isPresent()) {
      return "All of its files are in place"
          + (replaces ? ", and what it replaces was deleted." : ".");
    }
    return replaces && counted.counts().toMap().containsKey(RequestType.BULK_DELETE)
        ? "Some of what it replaces may be deleted already."
        : Recovery.NOTHING_DELETED;
  }

  private Recovered end(
      LogEntry own,
      LogEntry target,
      CommitPlan plan,
      ExecuteEntry.Result result,
      Workers workers,
      RunningCommit running)
      throws IOException {
    boolean forceClosed = own.kind() == EntryKind.GIVEUP;
    if (!result.lost().isEmpty() && !forceClosed) {
      return damaged(own, target, plan, result);
    }
    if (result.forceClosed()) {
      log.end(own, Ending.LEFT, EndNote.NOTHING);
      return new Recovered.Left(
          target,
          "ZR-1308: an operator has begun to force-close it (recover --give-up).",
          RecoveryAdvice.of(target.job()) + " --give-up");
    }
    sweepAttempts(plan, workers);
    OpenCommit commit = new OpenCommit(log, own, target, plan, result, settings, running);
    // In the caller's thread, to which Hive has bound its session.
    // What is force-closed is not left to Hive: its files are what they are.
    if (!endEngine(plan, commit) && !forceClosed) {
      commit.finishWithoutMetastore();
      return new Recovered.MetastoreOpen(target, plan);
    }
    commit.finish();
    if (forceClosed) {
      return new Recovered.ForceClosed(target.number(), target.job().id(), result.lost());
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
      engine.end(plan, LaterEntries.than(target.number(), log)::replace);
    }
    log.end(own, ended ? Ending.DAMAGED : Ending.LEFT, EndNote.of(plan, result.lost()));
    return new Recovered.Damaged(target, result.lost(), ended, RecoveryAdvice.of(target.job()));
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

  /**
   * Aborts what attempts have left that were not chosen: by the job's records where they can be
   * reached, by a listing where not. A failure is logged and goes no further.
   */
  private void sweepAttempts(CommitPlan plan, Workers workers) {
    OutputJob job = plan.job();
    try {
      Optional<JobDirectory> records = records(job);
      if (records.isEmpty()) {
        UploadSweep.ofListing(stores, job, plan).run(workers);
      } else {
        records.get().finish(records.get().sweep(stores, plan).run(workers));
      }
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "ZR-1309: Uploads of attempts of {} that were not chosen could not all be aborted; the"
              + " bucket's lifecycle rule for incomplete uploads removes them.",
          job.description(),
          e);
    }
  }

  private Optional<JobDirectory> records(OutputJob job) {
    try {
      return engine.records(job);
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "ZR-1310: The records of {} cannot be reached; its uploads are found by a listing",
          job.description(),
          e);
      return Optional.empty();
    }
  }
}
