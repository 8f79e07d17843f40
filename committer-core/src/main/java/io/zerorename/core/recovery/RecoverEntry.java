package io.zerorename.core.recovery;

import io.zerorename.core.commit.EntryExecutor;
import io.zerorename.core.commit.ForeignChanges;
import io.zerorename.core.commit.LaterEntries;
import io.zerorename.core.commit.OpenCommit;
import io.zerorename.core.commit.PlanChecks;
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
import io.zerorename.core.log.OpenEntry;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.manifest.MalformedManifestException;
import io.zerorename.core.metrics.CommitterMetrics;
import io.zerorename.core.metrics.Metric;
import io.zerorename.core.parallel.Uninterrupted;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ErrorText;
import io.zerorename.core.store.ObjectStores;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Executes an entry that another process has decided. */
public record RecoverEntry(
    ObjectStores stores, CommitLog log, CommitSettings settings, JobEngine engine) {
  private static final Logger LOG = LoggerFactory.getLogger(RecoverEntry.class);
  static final String NOTHING_DELETED = "Nothing that it replaces was deleted.";

  /** A commit that must not be executed here, though it may be elsewhere. */
  static final class NotAllowedException extends IOException {
    private NotAllowedException(String message) {
      super(message);
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

  /**
   * Executes an entry, unless it has to be left to an operator.
   *
   * @param tail in which it was found
   * @param byOperator nothing is left to an operator then
   * @throws IOException where it failed before the first change
   */
  public Recovered run(LogEntry entry, LogTail tail, boolean byOperator) throws IOException {
    CommitPlan plan = log.plan(entry);
    try {
      check(plan);
      Workers workers = settings.workers();
      Optional<String> foreign =
          byOperator
              ? Optional.empty()
              : new ForeignChanges(stores, log).leave(entry, plan, tail, workers);
      return foreign.isPresent()
          ? new Recovered.Left(entry, foreign.get())
          : execute(entry, plan, tail, false, workers);
    } finally {
      plan.release();
    }
  }

  /**
   * Ends an entry without the files that are lost: that is noted, its pending uploads are aborted,
   * and then it is executed. The engine's refusal does not count: nothing of it is made visible.
   */
  Recovered giveUp(LogEntry entry, LogTail tail) throws IOException {
    CommitPlan plan = log.plan(entry);
    try {
      checkRoots(plan);
      log.mark(entry, EntryState.GIVEN_UP, EndNote.NOTHING);
      return execute(entry, plan, tail, true, settings.workers());
    } finally {
      plan.release();
    }
  }

  boolean hasMetastore() {
    return engine.hasMetastore();
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

  private Recovered execute(
      LogEntry entry, CommitPlan plan, LogTail tail, boolean giveUp, Workers workers) {
    EntryExecutor executor = new EntryExecutor(stores, log, settings, workers);
    try {
      EntryExecutor.Result result =
          Uninterrupted.call(() -> executor.run(entry, plan, tail, giveUp));
      return end(entry, plan, result, giveUp, workers);
    } catch (MalformedManifestException e) {
      // Of another entry: its own records were read before. That one has to be given up.
      return failed(entry, plan, executor, new IOException(e.getMessage(), e));
    } catch (IOException | RuntimeException e) {
      return failed(entry, plan, executor, e);
    }
  }

  private Recovered failed(
      LogEntry entry, CommitPlan plan, EntryExecutor executor, Exception cause) {
    boolean replaces = entry.kind() == EntryKind.REPLACE;
    String state = NOTHING_DELETED;
    if (executor.isExecuted()) {
      long visible = executor.visibleFiles();
      state =
          (visible == plan.fileCount()
                  ? "All of its files are in place"
                  : visible + " of its " + plan.fileCount() + " files are in place")
              + (replaces ? ", and what it replaces was deleted." : ".");
    } else if (replaces && executor.hasReplaced()) {
      state = "Some of what it replaces may be deleted already.";
    }
    return failed(entry.number(), Optional.of(entry), state, cause);
  }

  /**
   * Reports an entry that cannot be completed now.
   *
   * @param entry empty where it cannot be read
   * @param state what is done by now, in a sentence
   */
  Recovered.Failed failed(long number, Optional<LogEntry> entry, String state, Exception cause) {
    if (!(cause instanceof BehindLaterException)) {
      LOG.warn("ZR-1305: Entry {} cannot be completed now", log.location(number), cause);
    }
    return new Recovered.Failed(
        number,
        entry.map(it -> it.job().id()).orElse(""),
        ("ZR-1306: %s was committed as entry %s (%s) and interrupted, and cannot be completed now:"
                + " %s %s")
            .formatted(
                entry.map(it -> it.job().description()).orElse("A job"),
                number,
                log.location(number),
                ErrorText.of(cause),
                state),
        cause);
  }

  private Recovered end(
      LogEntry entry, CommitPlan plan, EntryExecutor.Result result, boolean giveUp, Workers workers)
      throws IOException {
    switch (result.outcome()) {
      case ENDED_BY_OTHERS -> {
        return endedByOthers(entry, plan);
      }
      case BEHIND_LATER -> throw new BehindLaterException();
      case HALTED -> {
        log.mark(entry, EntryState.LEFT, EndNote.of(plan, result.lost()));
        return new Recovered.Damaged(entry, result.lost(), false);
      }
      case EXECUTED -> {}
    }
    OpenCommit commit = new OpenCommit(log, entry, plan, result, settings);
    if (!result.lost().isEmpty() && !giveUp) {
      // Partitions are registered all the same: other files that lie in them are visible.
      engine.end(plan, commit.replacedLater());
      commit.finish();
      return new Recovered.Damaged(entry, result.lost(), true);
    }
    sweepAttempts(entry, plan, workers);
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
        : new Recovered.Damaged(entry, lost, true);
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
                + " operator."));
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
  private void sweepAttempts(LogEntry entry, CommitPlan plan, Workers workers) {
    OutputJob job = plan.job();
    Optional<OpenEntry> open = Optional.of(new OpenEntry(log, entry, plan));
    try {
      Optional<JobDirectory> records = records(job);
      if (records.isEmpty()) {
        UploadSweep.ofListing(stores, job.id(), job.roots(), open).run(workers);
      } else {
        records.get().end(stores, open, workers);
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
