package io.zerorename.core.commit;

import io.zerorename.core.commit.CommitRequest.Committer;
import io.zerorename.core.commit.FindDecision.Decided;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.job.JobRecords;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.DirectorySet;
import io.zerorename.core.log.EndNote;
import io.zerorename.core.log.EntryKind;
import io.zerorename.core.log.EntryState;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.log.NotWrittenException;
import io.zerorename.core.log.OpenEntry;
import io.zerorename.core.log.PlanWriter;
import io.zerorename.core.metrics.CommitterMetrics;
import io.zerorename.core.metrics.Metric;
import io.zerorename.core.parallel.Uninterrupted;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ErrorText;
import io.zerorename.core.store.ObjectStores;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a job's output visible: all of it, or, up to the decision, nothing. Its stages are those of
 * {@link CommitStage}; {@link #decide} has those up to the decision, by which the job's entry gets
 * the next free number of the log, and {@link #execute} those after it.
 *
 * <p>A failure before the decision is a {@link CommitFailedException}; the caller then runs {@link
 * JobAbort}. A failure after it is a {@link CommitStateUnknownException} or a {@link
 * CommitDamagedException}; nothing may be deleted then. A commit of a job that is decided already
 * executes that entry, so it may be repeated. Where another job has committed its run, it executes
 * nothing: {@code Recovery} completes that one.
 *
 * <p>When the engine has done what it has to do after the commit, it calls {@link OpenCommit#end}.
 * Until then the entry has not ended: if the process dies, another one executes it.
 *
 * @param job its records
 * @param log of its destination
 */
public record JobCommit(
    ObjectStores stores,
    JobRecords job,
    CommitLog log,
    CommitSettings settings,
    CommitProgress progress,
    CommitRequest request) {
  private static final Logger LOG = LoggerFactory.getLogger(JobCommit.class);

  /**
   * @throws CommitFailedException nothing is visible, nothing was deleted
   * @throws CommitStateUnknownException files may be visible, nothing may be deleted
   * @throws CommitDamagedException some files are lost, the others visible
   */
  public CommitReport run()
      throws CommitFailedException, CommitStateUnknownException, CommitDamagedException {
    Map<CommitStage, Duration> times = new EnumMap<>(CommitStage.class);
    try {
      Decided decided = decide(times);
      if (decided.isOfAnother(request.job())) {
        return repeated(decided, times);
      }
      if (decided.plan().isEmpty()) {
        return endedByOthers(decided.entry(), decided.tail());
      }
      CommitReport report = execute(decided, decided.plan().get(), times);
      count(report);
      return report;
    } catch (CommitFailedException | CommitStateUnknownException | CommitDamagedException e) {
      CommitterMetrics.add(
          e instanceof CommitFailedException
              ? Metric.COMMITS_FAILED
              : e instanceof CommitDamagedException
                  ? Metric.COMMITS_DAMAGED
                  : Metric.COMMITS_UNKNOWN,
          1);
      throw e;
    }
  }

  private static void count(CommitReport report) {
    CommitterMetrics.add(Metric.COMMITS, 1);
    CommitterMetrics.add(Metric.FILES, report.made().files());
    CommitterMetrics.add(Metric.BYTES, report.made().bytes());
    CommitterMetrics.add(Metric.FILES_REPLACED, report.made().replaced());
    CommitterMetrics.add(Metric.COMMIT_MILLIS, report.duration().toMillis());
  }

  private FindDecision decision() {
    return new FindDecision(log, request);
  }

  /** The stages up to the decision. */
  private Decided decide(Map<CommitStage, Duration> times)
      throws CommitFailedException, CommitStateUnknownException {
    FindDecision decision = decision();
    LogTail tail;
    Optional<LogEntry> existing;
    try {
      tail = CommitStage.READ_LOG.measure(times, decision::readLog);
      existing = decision.find(tail);
    } catch (CommitFailedException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      if (request.committer() != Committer.ONE_OF_SEVERAL) {
        throw decision.failed(e);
      }
      // Another attempt may have decided the job.
      throw decision.unknown(e);
    }
    if (existing.isPresent()) {
      return decision.decidedBefore(existing.get());
    }
    PlanWriter plan = log.newPlan(request.job());
    SmallFiles smallFiles = new SmallFiles(stores, job);
    try {
      Decided decided = decide(tail, plan, smallFiles, times);
      if (!decided.entry().writeId().equals(plan.id())) {
        drop(plan, smallFiles);
      }
      return decided;
    } catch (CommitFailedException e) {
      drop(plan, smallFiles);
      throw e;
    }
  }

  private Decided decide(
      LogTail tail, PlanWriter plan, SmallFiles smallFiles, Map<CommitStage, Duration> times)
      throws CommitFailedException, CommitStateUnknownException {
    FindDecision decision = decision();
    Workers workers = settings.workers();
    ListingTime listed;
    LogEntry draft;
    SeenLog seen = request.seen();
    try {
      decision.refuseBesideOpenEntries(tail);
      NewFiles files =
          CommitStage.LOAD_MANIFESTS.measure(
              times, () -> NewFiles.load(stores, request, smallFiles, plan, workers));
      if (files.isEmpty()) {
        request.withoutFiles().apply();
      }
      Set<Path> replaced = request.overwrite().directories(files.directories());
      DirectorySet within = new DirectorySet(replaced);
      seen.refuse(tail.numbers(), within, log, tail);
      SortedSet<Long> follows = log.overlapping(tail.open(), within, tail);
      listed = ListingTime.now(log);
      CommitStage.PLAN.measure(
          times,
          () ->
              new ListReplaced(stores, request, files, plan, workers)
                  .run(replaced, seen.check(log, tail)));
      CommitStage.WRITE_PLAN.measure(
          times,
          () -> {
            plan.writeRest();
            files.refuseVanished(workers);
          });
      draft = plan.draft(files.scope(), replaced, follows);
      request.beforeDecision().apply();
    } catch (IOException | RuntimeException e) {
      if (request.committer() != Committer.ONE_OF_SEVERAL) {
        throw decision.failed(e);
      }
      // Another committer may have decided the job, and taken what this one needed.
      return decision.decidedMeanwhile(e);
    }
    LogEntry entry;
    try {
      // A cancelled query must not leave it open whether it was decided.
      entry =
          CommitStage.DECIDE.measure(
              times, () -> Uninterrupted.call(() -> decision.decide(draft, tail)));
    } catch (NotWrittenException e) {
      // While this process slept, another attempt of the job may have committed it.
      return decision.decidedMeanwhile(e);
    } catch (IOException | RuntimeException e) {
      entry = decision.settle(tail, e);
    }
    if (!entry.writeId().equals(plan.id())) {
      return decision.decidedBefore(entry);
    }
    return new Decided(
        entry,
        tail,
        Optional.of(plan.plan()),
        true,
        // Single objects were listed before, by the engine.
        Optional.of(listed).filter(it -> request.overwrite().objects().isEmpty()));
  }

  /**
   * Deletes what means nothing because no entry names it. What is left of it is deleted after days.
   */
  private void drop(PlanWriter plan, SmallFiles smallFiles) {
    try {
      smallFiles.drop(settings.workers());
      log.delete(plan.plan().documents());
    } catch (IOException | RuntimeException e) {
      LOG.info("The unused plan of {} cannot be deleted now", log.location(), e);
    }
  }

  /** The stages after the decision. */
  private CommitReport execute(Decided decided, CommitPlan plan, Map<CommitStage, Duration> times)
      throws CommitStateUnknownException, CommitDamagedException {
    LogEntry entry = decided.entry();
    OpenEntry open = new OpenEntry(log, entry, plan);
    EntryExecutor executor = new EntryExecutor(stores, open, settings);
    try {
      return Uninterrupted.call(
          () -> {
            if (!decided.isOwn()) {
              refuseForeignChanges(decided, plan);
            }
            EntryExecutor.Result result =
                executor.run(
                    decided.tail(),
                    decided.tail().isGivenUp(entry.number()),
                    new FingerprintSet(),
                    decided.listed(),
                    times);
            OpenCommit commit = new OpenCommit(open, result, settings);
            refuseIncomplete(commit);
            int aborted = CommitStage.CLEAN_UP.measure(times, () -> cleanUp(Optional.of(open)));
            if (result.outcome() == EntryExecutor.Outcome.ENDED_BY_OTHERS) {
              return endedByOthers(entry, log.tailDownTo(entry.number()));
            }
            return new CommitReport(
                Optional.of(commit),
                log,
                entry,
                EndNote.of(plan, result.lost()),
                aborted,
                !decided.isOwn(),
                Optional.empty(),
                decided.isOwn() ? List.copyOf(decided.tail().open()) : List.of(),
                decided.isOwn() && decided.tail().isOfEarlierDay(log.now()),
                times);
          },
          progress.interval(),
          () -> progress.report(executor.visibleFiles(), plan.fileCount()));
    } catch (CommitDamagedException | CommitStateUnknownException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      throw new CommitStateUnknownException(
          ("ZR-1119: %s is committed, but could not be completed: %s %s Do not simply run it"
                  + " again: rows could be there twice. A job that writes there completes it, once it"
                  + " is as old as zerorename.recovery.patience says, or at once: %s (see %s).")
              .formatted(
                  plan.job().description(),
                  ErrorText.of(e),
                  executor.state(),
                  RecoveryAdvice.of(plan.job()),
                  log.location(entry.number())),
          e);
    }
  }

  /** Another job has committed the run. What this one has written nobody needs. */
  private CommitReport repeated(Decided decided, Map<CommitStage, Duration> times) {
    LogEntry entry = decided.entry();
    return new CommitReport(
        Optional.empty(),
        log,
        entry,
        EndNote.NOTHING,
        cleanUp(Optional.empty()),
        true,
        Optional.of(decided.tail().written(entry.number())),
        List.of(),
        false,
        times);
  }

  /** Nothing is left to do for it. */
  private CommitReport endedByOthers(LogEntry entry, LogTail tail)
      throws CommitStateUnknownException {
    try {
      EndNote note = decision().note(entry, tail);
      return new CommitReport(
          Optional.empty(),
          log,
          entry,
          note,
          0,
          true,
          Optional.empty(),
          List.of(),
          false,
          Map.of());
    } catch (CommitStateUnknownException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      throw decision().unknown(e);
    }
  }

  private void refuseForeignChanges(Decided decided, CommitPlan plan) throws IOException {
    Optional<String> foreign =
        new ForeignChanges(stores, log)
            .leaveIfChanged(decided.entry(), plan, decided.tail(), settings.workers());
    if (foreign.isPresent()) {
      throw new CommitStateUnknownException(
          RecoveryAdvice.afterInterruption(decided.entry(), foreign.get()), null);
    }
  }

  /** Notes, and reports, that files are lost, or have to wait for a later entry. */
  private void refuseIncomplete(OpenCommit commit) throws IOException {
    LogEntry entry = commit.entry();
    CommitPlan plan = commit.plan();
    EntryExecutor.Result result = commit.result();
    if (result.outcome() == EntryExecutor.Outcome.BEHIND_LATER) {
      throw new CommitStateUnknownException(
          ("ZR-1134: %s was committed, and files of it are gone. A later overwrite replaces them,"
                  + " which has to be completed first. To complete both: %s")
              .formatted(entry.description(), RecoveryAdvice.of(plan.job())),
          null);
    }
    if (result.lost().isEmpty()) {
      return;
    }
    if (result.outcome() == EntryExecutor.Outcome.HALTED) {
      log.mark(entry, EntryState.LEFT, EndNote.of(plan, result.lost()));
      throw new CommitDamagedException(commit);
    }
    if (request.committer() == Committer.WITH_METASTORE) {
      // Its visible files lie in partitions that the metastore may not know yet.
      commit.endWithoutMetastore();
    } else {
      commit.end();
    }
    if (entry.kind() == EntryKind.REPLACE) {
      throw new CommitStateUnknownException(
          ("ZR-1120: %s was committed, and an operator has given up what is lost of it (recover"
                  + " --give-up): %s of its files never will be visible. Look at the data before you"
                  + " run it again.")
              .formatted(entry.description(), result.lost().size()),
          null);
    }
    throw new CommitDamagedException(commit);
  }

  /** The job is committed whatever happens here, so a failure is logged and goes no further. */
  private int cleanUp(Optional<OpenEntry> open) {
    try {
      return job.cleanUp(stores, open, settings.workers());
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "ZR-1121: Uploads of {} that are not part of a commit could not all be aborted and go on"
              + " costing storage, until the bucket's lifecycle rule for incomplete uploads removes"
              + " them. Committed files are not affected.",
          request.job().description(),
          e);
      return 0;
    }
  }
}
