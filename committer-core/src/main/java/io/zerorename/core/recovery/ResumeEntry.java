package io.zerorename.core.recovery;

import io.zerorename.core.commit.CompletedEtags;
import io.zerorename.core.commit.ExecuteEntry;
import io.zerorename.core.commit.FingerprintSet;
import io.zerorename.core.commit.ForeignChanges;
import io.zerorename.core.commit.LaterEntries;
import io.zerorename.core.commit.OpenCommit;
import io.zerorename.core.commit.PlanChecks;
import io.zerorename.core.commit.RecoveryAdvice;
import io.zerorename.core.commit.StageTimes;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.job.UploadSweep;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.EndNote;
import io.zerorename.core.log.EntryKind;
import io.zerorename.core.log.EntryState;
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
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Executes an entry that another process has decided. */
public record ResumeEntry(
    ObjectStores stores, CommitLog log, CommitSettings settings, JobEngine engine) {
  private static final Logger LOG = LoggerFactory.getLogger(ResumeEntry.class);

  /**
   * Executes an entry, unless it has to be left to an operator.
   *
   * @param tail in which it was found
   * @param byOperator nothing is left to an operator then
   */
  public Recovered run(LogEntry entry, LogTail tail, boolean byOperator) throws IOException {
    try {
      return execute(
          entry,
          tail,
          false,
          (plan, workers) -> {
            refuse(plan);
            if (!byOperator) {
              new ForeignChanges(stores, log).refuse(entry, plan, tail, workers);
            }
          });
    } catch (ForeignChanges.FoundException e) {
      return new Recovered.Left(entry, e.getMessage(), RecoveryAdvice.of(entry.job()));
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

  /** A later entry has to be executed before. */
  static final class BehindLaterException extends IOException {
    private static final long serialVersionUID = 1L;

    private BehindLaterException() {
      super(
          "ZR-1314: files of it are gone, and a later overwrite that replaces them has to be"
              + " completed before it.");
    }
  }

  /** What comes before the first change. */
  @FunctionalInterface
  private interface Begin {
    void with(CommitPlan plan, Workers workers) throws IOException;
  }

  boolean hasMetastore() {
    return engine.hasMetastore();
  }

  /**
   * Ends an entry without the files that are lost: that is noted, its pending uploads are aborted,
   * and then it is executed. The engine's refusal does not count: nothing of it is made visible.
   */
  Recovered giveUp(LogEntry entry, LogTail tail) throws IOException {
    return execute(
        entry,
        tail,
        true,
        (plan, workers) -> log.mark(entry, EntryState.GIVEN_UP, EndNote.NOTHING));
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

  private Recovered execute(LogEntry entry, LogTail tail, boolean giveUp, Begin begin)
      throws IOException {
    CommitPlan plan = log.plan(entry);
    try (Workers workers = settings.workers()) {
      checkRoots(plan);
      begin.with(plan, workers);
      return execute(entry, plan, tail, giveUp, workers);
    } finally {
      plan.release();
    }
  }

  private Recovered execute(
      LogEntry entry, CommitPlan plan, LogTail tail, boolean giveUp, Workers workers)
      throws IOException {
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
                          .run(entry, plan, () -> false, giveUp, workers, new StageTimes())));
      return end(entry, plan, result.get(), giveUp, workers);
    } catch (MalformedManifestException e) {
      // Of another entry: its own records were read before. That one has to be given up.
      throw new FailedException(state(entry, result, counted), new IOException(e.getMessage(), e));
    } catch (IOException | RuntimeException e) {
      throw new FailedException(state(entry, result, counted), e);
    }
  }

  private static String state(
      LogEntry entry, Optional<ExecuteEntry.Result> result, CountedStores counted) {
    boolean replaces = entry.kind() == EntryKind.REPLACE;
    if (result.filter(it -> it.outcome() == ExecuteEntry.Outcome.EXECUTED).isPresent()) {
      return "All of its files are in place"
          + (replaces ? ", and what it replaces was deleted." : ".");
    }
    return replaces && counted.counts().toMap().containsKey(RequestType.BULK_DELETE)
        ? "Some of what it replaces may be deleted already."
        : Recovery.NOTHING_DELETED;
  }

  private Recovered end(
      LogEntry entry, CommitPlan plan, ExecuteEntry.Result result, boolean giveUp, Workers workers)
      throws IOException {
    if (result.outcome() == ExecuteEntry.Outcome.ENDED_BY_OTHERS) {
      return endedByOthers(entry, plan);
    }
    if (result.outcome() == ExecuteEntry.Outcome.BEHIND_LATER) {
      throw new BehindLaterException();
    }
    boolean halted = result.outcome() == ExecuteEntry.Outcome.HALTED;
    boolean givenUp = giveUp || (entry.kind() == EntryKind.REPLACE && !halted);
    if (!result.lost().isEmpty() && !givenUp) {
      return damaged(entry, plan, result);
    }
    sweepAttempts(plan, workers);
    OpenCommit commit = new OpenCommit(log, entry, plan, result, settings);
    // In the caller's thread, to which Hive has bound its session.
    // What is given up is not left to Hive: its files are what they are.
    if (!endEngine(plan, commit) && !giveUp) {
      commit.finishWithoutMetastore();
      return new Recovered.MetastoreOpen(entry, plan);
    }
    commit.finish();
    if (giveUp) {
      return new Recovered.GivenUp(entry.number(), entry.job().id(), result.lost());
    }
    CommitterMetrics.add(Metric.COMMITS_RECOVERED, 1);
    LOG.info("{} is complete", entry.description());
    return new Recovered.Completed(entry, plan);
  }

  private Recovered endedByOthers(LogEntry entry, CommitPlan plan) throws IOException {
    List<Path> lost =
        log.notes(entry.number(), log.tailDownTo(entry.number())).stream()
            .flatMap(note -> note.lost().stream())
            .distinct()
            .toList();
    return lost.isEmpty()
        ? new Recovered.Completed(entry, plan)
        : new Recovered.Damaged(entry, lost, true, RecoveryAdvice.of(entry.job()));
  }

  /** Leaves an entry to an operator that has to wait for one which is. */
  Optional<Recovered> leaveBehind(LogEntry entry) throws IOException {
    if (!LaterEntries.than(entry.number(), log).isLeft()) {
      return Optional.empty();
    }
    log.mark(entry, EntryState.LEFT, EndNote.NOTHING);
    return Optional.of(
        new Recovered.Left(
            entry,
            "files of it are gone, and a later overwrite that may replace them was left to an"
                + " operator.",
            RecoveryAdvice.of(entry.job())));
  }

  /** Partitions are registered all the same: other files that lie in them are visible. */
  private Recovered damaged(LogEntry entry, CommitPlan plan, ExecuteEntry.Result result)
      throws IOException {
    boolean ended = result.outcome() != ExecuteEntry.Outcome.HALTED;
    if (ended) {
      engine.end(plan, LaterEntries.than(entry.number(), log)::replace);
    }
    log.mark(entry, ended ? EntryState.DAMAGED : EntryState.LEFT, EndNote.of(plan, result.lost()));
    return new Recovered.Damaged(entry, result.lost(), ended, RecoveryAdvice.of(entry.job()));
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
        UploadSweep.ofListing(stores, job.id(), job.roots(), plan).run(workers);
      } else {
        UploadSweep.Result sweep = records.get().sweep(stores, job.roots(), plan).run(workers);
        records.get().finish(sweep, workers);
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
