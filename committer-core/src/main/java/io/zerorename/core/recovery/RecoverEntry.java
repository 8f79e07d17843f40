package io.zerorename.core.recovery;

import io.zerorename.core.commit.EntryExecutor;
import io.zerorename.core.commit.ForeignChanges;
import io.zerorename.core.commit.LaterEntries;
import io.zerorename.core.commit.OpenCommit;
import io.zerorename.core.commit.PlanChecks;
import io.zerorename.core.document.MalformedDocumentException;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.job.UploadSweep;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.EndNote;
import io.zerorename.core.log.EntryState;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.log.OpenEntry;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.metrics.CommitterMetrics;
import io.zerorename.core.metrics.Metric;
import io.zerorename.core.parallel.Uninterrupted;
import io.zerorename.core.store.ErrorText;
import io.zerorename.core.store.ObjectStores;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Executes an entry that another process has decided. */
public record RecoverEntry(
    ObjectStores stores, CommitLog log, CommitSettings settings, JobEngine engine) {
  private static final Logger LOG = LoggerFactory.getLogger(RecoverEntry.class);
  static final String NOTHING_DELETED = "This attempt deleted nothing.";

  /** What is done with an entry. */
  public enum Manner {
    /** What could bring back what others have removed is left to an operator. */
    CAREFUL,
    /** An operator has checked the data. */
    BY_OPERATOR,
    /**
     * It ends without the files that are lost: that is noted, its pending uploads are aborted, and
     * then it is executed.
     */
    GIVING_UP
  }

  /**
   * Executes an entry, unless it has to be left to an operator.
   *
   * @param tail in which it was found
   * @throws IOException where it failed before the first change
   */
  public Recovered run(LogEntry entry, LogTail tail, Manner manner) throws IOException {
    CommitPlan plan = log.plan(entry);
    boolean giveUp = manner == Manner.GIVING_UP;
    Optional<String> refusal = refusal(plan, giveUp);
    if (refusal.isPresent()) {
      throw new IOException(refusal.get());
    }
    if (manner == Manner.CAREFUL) {
      Optional<String> foreign =
          new ForeignChanges(stores, log).leaveIfChanged(entry, plan, tail, settings.workers());
      if (foreign.isPresent()) {
        return new Recovered.Left(entry, foreign.get());
      }
    } else if (giveUp) {
      log.mark(entry, EntryState.GIVEN_UP, EndNote.NOTHING);
    }
    return execute(new OpenEntry(log, entry, plan), tail, giveUp);
  }

  /**
   * Why an entry must not be executed here, though it may be elsewhere. Any user who may write at
   * the destination can have written it.
   *
   * @param giveUp whether the engine's refusal does not count: nothing of it is made visible
   * @throws MalformedDocumentException where its job cannot have made it
   */
  public Optional<String> refusal(CommitPlan plan, boolean giveUp) throws IOException {
    new PlanChecks(plan.job()).check(plan);
    for (Path root : plan.job().roots()) {
      if (!engine.mayWrite(root)) {
        return Optional.of(
            "ZR-1307: Its plan names " + root + ", where jobs of this destination may not write.");
      }
    }
    return giveUp ? Optional.empty() : engine.refuses(plan.job());
  }

  private Recovered execute(OpenEntry open, LogTail tail, boolean giveUp) {
    EntryExecutor executor = new EntryExecutor(stores, open, settings);
    try {
      EntryExecutor.Result result =
          Uninterrupted.call(
              () -> executor.run(tail, giveUp),
              engine.progress().interval(),
              () -> engine.progress().report(executor.visibleFiles(), open.plan().fileCount()));
      return conclude(open, result, giveUp);
    } catch (IOException | RuntimeException e) {
      // Of another entry: its own records were read before. That one has to be given up.
      Exception cause =
          e instanceof MalformedDocumentException ? new IOException(e.getMessage(), e) : e;
      return failed(open.entry().number(), Optional.of(open.entry()), executor.state(), cause);
    }
  }

  /**
   * Reports an entry that cannot be completed now.
   *
   * @param entry empty where it cannot be read
   * @param state what is done by now, in a sentence
   */
  Recovered.Failed failed(long number, Optional<LogEntry> entry, String state, Exception cause) {
    LOG.warn("ZR-1305: Entry {} cannot be completed now", log.location(number), cause);
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

  private Recovered conclude(OpenEntry open, EntryExecutor.Result result, boolean giveUp)
      throws IOException {
    LogEntry entry = open.entry();
    CommitPlan plan = open.plan();
    switch (result.outcome()) {
      case ENDED_BY_OTHERS -> {
        List<Path> lost = log.lost(entry.number(), log.tailDownTo(entry.number()));
        return lost.isEmpty()
            ? new Recovered.Completed(entry, plan)
            : new Recovered.Damaged(entry, lost, EntryState.DAMAGED);
      }
      case BEHIND_LATER -> {
        return new Recovered.Behind(entry);
      }
      case HALTED -> {
        log.mark(entry, EntryState.LEFT, EndNote.of(plan, result.lost()));
        return new Recovered.Damaged(entry, result.lost(), EntryState.LEFT);
      }
      case EXECUTED -> {}
    }
    OpenCommit commit = new OpenCommit(open, result, settings);
    boolean isDamaged = !result.lost().isEmpty() && !giveUp;
    if (result.lost().isEmpty() || giveUp) {
      sweepAttempts(open);
    }
    // In the caller's thread, to which Hive has bound its session. Partitions are registered where
    // files are lost or given up, too: others that lie in them are visible.
    if (!endEngine(commit)) {
      commit.endWithoutMetastore();
      return Recovered.metastoreOpen(entry, plan, result.lost());
    }
    commit.end();
    if (giveUp) {
      return new Recovered.GivenUp(entry.number(), entry.job().id(), result.lost());
    }
    if (isDamaged) {
      return new Recovered.Damaged(entry, result.lost(), EntryState.DAMAGED);
    }
    CommitterMetrics.add(Metric.COMMITS_RECOVERED, 1);
    LOG.info("{} is complete", entry.description());
    return new Recovered.Completed(entry, plan);
  }

  /** An entry that has to wait for one which is left to an operator is left, too. */
  Recovered leaveBehind(Recovered.Behind behind) throws IOException {
    if (!LaterEntries.than(behind.entry(), log).isLeft()) {
      return behind;
    }
    log.mark(behind.entry(), EntryState.LEFT, EndNote.NOTHING);
    return new Recovered.Left(
        behind.entry(),
        "files of it are gone, and a later overwrite that may replace them was left to an"
            + " operator.");
  }

  /** Where the engine fails, the next attempt finds that the files are in place. */
  private boolean endEngine(OpenCommit commit) throws IOException {
    try {
      return engine.afterFiles(commit);
    } catch (IOException | RuntimeException e) {
      try {
        if (engine.hasMetastore()) {
          commit.endWithoutMetastore();
        }
      } catch (IOException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
  }

  /** Aborts what attempts have left that were not chosen. A failure goes no further. */
  private void sweepAttempts(OpenEntry entry) {
    OutputJob job = entry.plan().job();
    try {
      new UploadSweep(stores, job.id(), Map.of(), job.roots(), Optional.of(entry))
          .run(settings.workers());
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "ZR-1309: Uploads of attempts of {} that were not chosen could not all be aborted; the"
              + " bucket's lifecycle rule for incomplete uploads removes them.",
          job.description(),
          e);
    }
  }
}
