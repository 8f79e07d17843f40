package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.commit.Decision.Decided;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.job.JobRecords;
import io.zerorename.core.job.UploadSweep;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.EndNote;
import io.zerorename.core.log.EntryKind;
import io.zerorename.core.log.EntryState;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.metrics.CommitterMetrics;
import io.zerorename.core.metrics.Metric;
import io.zerorename.core.parallel.Uninterrupted;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ErrorText;
import io.zerorename.core.store.ObjectStores;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a job's output visible: all of it, or, up to the decision, nothing. Its stages are those of
 * {@link CommitStage}:
 *
 * <ol>
 *   <li>up to the decision, {@link Decision}: read the log, load manifests, plan, write the plan,
 *       and decide: the job's entry gets the next free number of the log;
 *   <li>execute the entry, {@link ExecuteEntry}: complete, replace, publish;
 *   <li>clean up: abort the uploads of attempts that were not chosen.
 * </ol>
 *
 * A failure before the decision is a {@link CommitFailedException}; the caller then runs {@link
 * JobAbort}. A failure after it is a {@link CommitStateUnknownException} or a {@link
 * CommitDamagedException}; nothing may be deleted then. A commit of a job that is decided already
 * executes that entry, so it may be repeated.
 *
 * <p>When the engine has done what it has to do after the commit, it calls {@link
 * OpenCommit#finish}. Until then the entry has not ended: if the process dies, another one executes
 * it.
 */
public final class JobCommit {
  private static final Logger LOG = LoggerFactory.getLogger(JobCommit.class);

  /**
   * How long after the listing of old files they are taken to be what was listed, and to have been
   * touched by no other process.
   */
  private static final Duration ALONE = Duration.ofSeconds(30);

  private final ObjectStores stores;
  private final JobRecords job;
  private final CommitLog log;
  private final CommitSettings settings;
  private final CommitProgress progress;
  private CompletedEtags etags = new CompletedEtags(0);

  /**
   * A commit of the job to which the directory belongs.
   *
   * @param log of the job's destination
   */
  public JobCommit(
      ObjectStores stores,
      JobRecords job,
      CommitLog log,
      CommitSettings settings,
      CommitProgress progress) {
    this.stores = requireNonNull(stores, "stores");
    this.job = requireNonNull(job, "job");
    this.log = requireNonNull(log, "log");
    this.settings = requireNonNull(settings, "settings");
    this.progress = requireNonNull(progress, "progress");
  }

  /**
   * Puts ETags into its report.
   *
   * @param limit of how many files, the first ones by path
   */
  public JobCommit notingEtags(int limit) {
    etags = new CompletedEtags(limit);
    return this;
  }

  /**
   * @throws CommitFailedException nothing is visible, nothing was deleted
   * @throws CommitStateUnknownException files may be visible, nothing may be deleted
   * @throws CommitDamagedException some files are lost, the others visible
   */
  public CommitReport run(CommitRequest request)
      throws CommitFailedException, CommitStateUnknownException, CommitDamagedException {
    CommitterMetrics.publish();
    StageTimes times = new StageTimes();
    try (Workers workers = settings.workers()) {
      Decision decision = new Decision(stores, job, log, settings, request, times);
      Decision.Outcome outcome = decision.run(workers);
      if (outcome instanceof Decision.Ended ended) {
        return CommitReport.finishedBefore(
            ended.note(), () -> LaterEntries.than(ended.number(), log)::anyReplaces);
      }
      CommitReport report = execute((Decided) outcome, decision, workers, times);
      count(report);
      return report;
    } catch (CommitFailedException e) {
      CommitterMetrics.add(Metric.COMMITS_FAILED, 1);
      throw e;
    } catch (CommitStateUnknownException e) {
      CommitterMetrics.add(Metric.COMMITS_UNKNOWN, 1);
      throw e;
    } catch (CommitDamagedException e) {
      CommitterMetrics.add(Metric.COMMITS_DAMAGED, 1);
      throw e;
    }
  }

  private static void count(CommitReport report) {
    CommitterMetrics.add(Metric.COMMITS, 1);
    CommitterMetrics.add(Metric.FILES, report.files());
    CommitterMetrics.add(Metric.BYTES, report.bytes());
    CommitterMetrics.add(Metric.FILES_REPLACED, report.replaced());
    CommitterMetrics.add(Metric.COMMIT_MILLIS, report.duration().toMillis());
  }

  /** Everything after the decision. */
  private CommitReport execute(
      Decided decided, Decision decision, Workers workers, StageTimes times)
      throws CommitStateUnknownException, CommitDamagedException {
    CommitPlan plan = decided.plan();
    ExecuteEntry work =
        new ExecuteEntry(stores, log, decided.tail(), settings, etags, new FingerprintSet());
    try {
      return Uninterrupted.call(
          () -> {
            Optional<OpenCommit> commit = execute(work, decided, workers, times);
            int aborted = times.measure(CommitStage.CLEAN_UP, () -> cleanUp(plan, workers));
            if (commit.isEmpty()) {
              // Another process has ended the entry.
              plan.release();
              long number = decided.entry().number();
              return CommitReport.finishedBefore(
                  decision.note(decided.entry()),
                  () -> LaterEntries.than(number, log)::anyReplaces);
            }
            return CommitReport.of(
                commit.get(),
                aborted,
                decided.decidedBefore(),
                decided.openEntries(),
                times.all(),
                etags.all());
          },
          progress.interval(),
          () -> progress.report(work.visibleFiles(), plan.fileCount()));
    } catch (CommitDamagedException | CommitStateUnknownException e) {
      throw e;
    } catch (ForeignChanges.FoundException e) {
      throw new CommitStateUnknownException(
          RecoveryAdvice.afterInterruption(
              decided.entry(), e.getMessage(), RecoveryAdvice.of(plan.job())),
          e);
    } catch (IOException | RuntimeException e) {
      throw new CommitStateUnknownException(interrupted(decided, work, e), e);
    }
  }

  private String interrupted(Decided decided, ExecuteEntry work, Exception cause) {
    CommitPlan plan = decided.plan();
    return ("ZR-1119: %s is committed, but could not be completed: %s%s Do not simply run it again:"
            + " rows could be there twice. The next job that writes there completes it, or: %s (see"
            + " %s).")
        .formatted(
            plan.description(),
            ErrorText.of(cause),
            !work.hasReplaced()
                ? " %s of its %s files are visible, and no old file was deleted."
                    .formatted(work.visibleFiles(), plan.fileCount())
                : (" All of its %s files are visible, and old ones that they replace may be, so"
                        + " that both are read.")
                    .formatted(plan.fileCount()),
            RecoveryAdvice.of(plan.job()),
            log.location(decided.entry().number()));
  }

  /** Empty where another process has ended the entry. */
  private Optional<OpenCommit> execute(
      ExecuteEntry work, Decided decided, Workers workers, StageTimes times) throws IOException {
    LogEntry entry = decided.entry();
    CommitPlan plan = decided.plan();
    if (decided.decidedBefore()) {
      new ForeignChanges(stores, log).refuse(entry, plan, decided.tail(), workers);
    }
    ExecuteEntry.Result result =
        work.run(
            entry,
            plan,
            () -> isFresh(decided),
            decided.tail().isGivenUp(entry.number()),
            workers,
            times);
    if (result.outcome() == ExecuteEntry.Outcome.ENDED_BY_OTHERS) {
      return Optional.empty();
    }
    if (result.outcome() == ExecuteEntry.Outcome.BEHIND_LATER) {
      throw new CommitStateUnknownException(
          ("ZR-1134: %s was committed, and files of it are gone. A later overwrite replaces them,"
                  + " which has to be completed first. To complete both: %s")
              .formatted(entry.description(), RecoveryAdvice.of(plan.job())),
          null);
    }
    refuseIncomplete(entry, plan, result);
    return Optional.of(new OpenCommit(log, entry, plan, result, settings));
  }

  /** Whether what was listed is surely what is there. */
  private boolean isFresh(Decided decided) throws IOException {
    Optional<ListingTime> listed = decided.listed();
    return listed.isPresent() && listed.get().isWithin(ALONE, log);
  }

  /** Notes, and reports, that files are lost. */
  private void refuseIncomplete(LogEntry entry, CommitPlan plan, ExecuteEntry.Result result)
      throws IOException {
    if (result.lost().isEmpty()) {
      return;
    }
    boolean halted = result.outcome() == ExecuteEntry.Outcome.HALTED;
    log.mark(entry, halted ? EntryState.LEFT : EntryState.DAMAGED, EndNote.of(plan, result.lost()));
    if (!halted && entry.kind() == EntryKind.REPLACE) {
      throw new CommitStateUnknownException(
          ("ZR-1120: %s was committed, and an operator has given up what is lost of it (recover"
                  + " --give-up): %s of its files never will be visible. Look at the data before you"
                  + " run it again.")
              .formatted(entry.description(), result.lost().size()),
          null);
    }
    throw new CommitDamagedException(
        plan,
        result.lost(),
        halted ? Optional.of(RecoveryAdvice.of(plan.job())) : Optional.empty());
  }

  /** The job is committed whatever happens here, so a failure is logged and goes no further. */
  private int cleanUp(CommitPlan plan, Workers workers) {
    try {
      UploadSweep.Result sweep = job.sweep(stores, plan.job().roots(), plan).run(workers);
      job.finish(sweep, workers);
      return sweep.aborted();
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "ZR-1121: {} is committed. Uploads of attempts that were not chosen could not all be"
              + " aborted and go on costing storage; a later job tries again (see {}).",
          plan.description(),
          job.path(),
          e);
      return 0;
    }
  }
}
