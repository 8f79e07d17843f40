package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.commit.Decision.Decided;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.job.JobRecords;
import io.zerorename.core.job.RunningCommit;
import io.zerorename.core.job.UploadSweep;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.EndNote;
import io.zerorename.core.log.Ending;
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
 * resumes that entry, so it may be repeated.
 *
 * <p>When the engine has done what it has to do after the commit, it calls {@link
 * OpenCommit#finish}. Until then the entry has not ended: if the process dies, recovery resumes it.
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
    RunningCommit running = RunningCommit.begin(request.job());
    boolean open = false;
    try (Workers workers = settings.workers()) {
      Decision.Outcome outcome =
          new Decision(stores, job, log, settings, request, times).run(workers);
      if (outcome instanceof Decision.Ended ended) {
        return CommitReport.finishedBefore(ended.note());
      }
      CommitReport report = execute((Decided) outcome, workers, times, running);
      open = true;
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
    } finally {
      if (!open) {
        running.close();
      }
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
      Decided decided, Workers workers, StageTimes times, RunningCommit running)
      throws CommitStateUnknownException, CommitDamagedException {
    CommitPlan plan = decided.plan();
    ExecuteEntry work =
        new ExecuteEntry(stores, log, decided.tail(), settings, etags, new FingerprintSet());
    try {
      return Uninterrupted.call(
          () -> {
            OpenCommit commit = execute(work, decided, workers, times, running);
            int aborted = times.measure(CommitStage.CLEAN_UP, () -> cleanUp(plan, workers));
            return CommitReport.of(
                commit,
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
    } catch (TakeOver.NeedsOperatorException e) {
      throw new CommitStateUnknownException(
          RecoveryAdvice.afterInterruption(
              decided.target(), e.getMessage(), RecoveryAdvice.of(plan.job())),
          e);
    } catch (IOException | RuntimeException e) {
      throw new CommitStateUnknownException(interrupted(decided, work.visibleFiles(), e), e);
    }
  }

  private String interrupted(Decided decided, long visible, Exception cause) {
    CommitPlan plan = decided.plan();
    return ("ZR-1119: %s is committed, but could not be completed: %s%s Do not simply run it again:"
            + " rows could be there twice. The next job that writes there completes it, or: %s (see"
            + " %s).")
        .formatted(
            plan.description(),
            ErrorText.of(cause),
            visible < plan.fileCount()
                ? " %s of its %s files are visible, and no old file was deleted."
                    .formatted(visible, plan.fileCount())
                : (" All of its %s files are visible, and old ones that they replace may be, so"
                        + " that both are read.")
                    .formatted(plan.fileCount()),
            RecoveryAdvice.of(plan.job()),
            log.location(decided.target().number()));
  }

  private OpenCommit execute(
      ExecuteEntry work, Decided decided, Workers workers, StageTimes times, RunningCommit running)
      throws IOException {
    LogEntry target = decided.target();
    CommitPlan plan = decided.plan();
    LogEntry entry = decided.decidedBefore() ? resume(target, plan, workers) : target;
    ExecuteEntry.Result result =
        work.run(entry, target, plan, () -> isFresh(decided), workers, times);
    refuseIncomplete(entry, target, plan, result);
    return new OpenCommit(log, entry, target, plan, result, settings, running);
  }

  /** Whether what was listed is surely what is there. */
  private boolean isFresh(Decided decided) throws IOException {
    Optional<ListingTime> listed = decided.listed();
    return listed.isPresent() && listed.get().isWithin(ALONE, log);
  }

  private LogEntry resume(LogEntry target, CommitPlan plan, Workers workers) throws IOException {
    return new TakeOver(stores, log)
        .begin(target, plan, log.tailDownTo(target.number()), false, workers);
  }

  /** Notes, and reports, that files are lost or the entry was force-closed. */
  private void refuseIncomplete(
      LogEntry entry, LogEntry target, CommitPlan plan, ExecuteEntry.Result result)
      throws IOException {
    if (!result.lost().isEmpty()) {
      boolean replaces = target.kind().replaces();
      if (!replaces) {
        log.end(entry, Ending.DAMAGED, EndNote.of(plan, result.lost()));
      }
      throw new CommitDamagedException(
          plan,
          result.lost(),
          replaces ? Optional.of(RecoveryAdvice.of(plan.job())) : Optional.empty());
    }
    if (result.forceClosed()) {
      if (entry.number() != target.number()) {
        log.end(entry, Ending.LEFT, EndNote.NOTHING);
      }
      throw new CommitStateUnknownException(
          ("ZR-1120: %s was committed, and then force-closed by an operator (recover --give-up):"
                  + " what was visible of it then stays, the rest never will be. Look at the data"
                  + " before you run it again.")
              .formatted(target.description()),
          null);
    }
  }

  /** The job is committed whatever happens here, so a failure is logged and goes no further. */
  private int cleanUp(CommitPlan plan, Workers workers) {
    try {
      UploadSweep.Result sweep = job.sweep(stores, plan).run(workers);
      job.finish(sweep);
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
