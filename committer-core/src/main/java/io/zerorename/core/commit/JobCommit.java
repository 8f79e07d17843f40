package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.commit.CommitReport.Stage;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.PlanWriter;
import io.zerorename.core.log.Proposal;
import io.zerorename.core.metrics.CommitterMetrics;
import io.zerorename.core.metrics.Metric;
import io.zerorename.core.parallel.Uninterrupted;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectStores;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a job's output visible: all of it, or, up to the decision, nothing.
 *
 * <ol>
 *   <li>load the manifests of the chosen task attempts, as many at once as there are threads;
 *   <li>plan: their files, and the exact old objects that they replace; the plan is written down as
 *       it grows;
 *   <li>decide: the plan becomes what will be done, whoever does it;
 *   <li>complete every upload;
 *   <li>replace: delete the old objects;
 *   <li>publish: keep directories in existence that are now empty;
 *   <li>clean up: abort the uploads of attempts that were not chosen.
 * </ol>
 *
 * A failure before the decision is a {@link CommitFailedException}; the caller then runs {@link
 * JobAbort}. A failure after it is a {@link CommitStateUnknownException} or a {@link
 * CommitDamagedException}; nothing may be deleted then. A commit whose decision stands already
 * carries that one out, so it may be repeated.
 *
 * <p>When the engine has done what it has to do after the commit, it calls {@link
 * CommitLog#finish}. Until then the commit is open: if the process dies, {@link Recovery} brings it
 * to its end.
 */
public final class JobCommit {
  private static final Logger LOG = LoggerFactory.getLogger(JobCommit.class);

  /**
   * How long after the listing of old files they are taken to be what was listed. Nobody else can
   * have carried the plan out by then: {@link Recovery} leaves more to a process that it does not
   * know to be dead.
   */
  private static final Duration ALONE = Duration.ofSeconds(30);

  private final PacedStores stores;
  private final JobDirectory job;
  private final CommitLog log;
  private final CommitSettings settings;
  private final CommitProgress progress;
  private final EtagNotes etags;

  /** A commit of which nobody is told how far it is. */
  public JobCommit(ObjectStores stores, JobDirectory job, CommitLog log, CommitSettings settings) {
    this(stores, job, log, settings, CommitProgress.NONE);
  }

  /**
   * A commit of the job to which the directory belongs.
   *
   * @param log of the job's destination
   */
  public JobCommit(
      ObjectStores stores,
      JobDirectory job,
      CommitLog log,
      CommitSettings settings,
      CommitProgress progress) {
    this(new PacedStores(stores, settings), job, log, settings, progress, EtagNotes.none());
  }

  private JobCommit(
      PacedStores stores,
      JobDirectory job,
      CommitLog log,
      CommitSettings settings,
      CommitProgress progress,
      EtagNotes etags) {
    this.stores = requireNonNull(stores, "stores");
    this.job = requireNonNull(job, "job");
    this.log = requireNonNull(log, "log");
    this.settings = requireNonNull(settings, "settings");
    this.progress = requireNonNull(progress, "progress");
    this.etags = requireNonNull(etags, "etags");
  }

  /**
   * The same, whose report has ETags.
   *
   * @param limit of how many files, the first ones by path
   */
  public JobCommit notingEtags(int limit) {
    return new JobCommit(stores, job, log, settings, progress, new EtagNotes(limit));
  }

  /**
   * Commits.
   *
   * @throws CommitFailedException nothing is visible, nothing was deleted
   * @throws CommitStateUnknownException files may be visible, nothing may be deleted
   * @throws CommitDamagedException some files are lost, the others visible
   */
  public CommitReport run(CommitRequest request)
      throws CommitFailedException, CommitStateUnknownException, CommitDamagedException {
    CommitterMetrics.publish();
    StageTimes times = new StageTimes();
    RunningCommits.begin(request.job());
    boolean open = false;
    try (Workers workers = new Workers(settings.threads())) {
      Decided decided = decide(request, workers, times);
      if (decided.finished().isPresent()) {
        return CommitReport.finishedBefore(decided.finished().get());
      }
      Optional<Integer> aborted = carryOut(decided, workers, times);
      if (aborted.isEmpty()) {
        return CommitReport.finishedBefore(CommitSummary.of(decided.plan()));
      }
      open = true;
      CommitReport report =
          CommitReport.of(
              new OpenCommit(decided.plan(), decided.proposal().names()),
              aborted.get(),
              decided.byOther(),
              times.all(),
              etags.all());
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
    } catch (IOException e) {
      throw new AssertionError("every other failure is wrapped in one of those", e);
    } finally {
      if (!open) {
        RunningCommits.end(request.job().id());
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

  /**
   * A decision to commit.
   *
   * @param byOther it stood already, so that some of it may have been carried out before
   * @param putsUntil until when the process that has decided may write small files
   * @param finished set where all of it was
   * @param listed when the listing of old files began, in nanoseconds
   */
  private record Decided(
      Proposal proposal,
      CommitPlan plan,
      boolean byOther,
      Optional<Instant> putsUntil,
      Optional<CommitSummary> finished,
      long listed) {
    boolean isFresh() {
      return !byOther && System.nanoTime() - listed < ALONE.toNanos();
    }
  }

  private Decided decide(CommitRequest request, Workers workers, StageTimes times)
      throws CommitFailedException, CommitStateUnknownException {
    if (request.mayBeDecided()) {
      Optional<Decision> standing = standing(request);
      if (standing.isPresent()) {
        return decidedBefore(request, standing.get());
      }
    }
    CommitPlan plan;
    Proposal proposal;
    long listed;
    PlanWriter draft = log.draft(request.job());
    try {
      if (!request.job().id().equals(job.jobId())) {
        throw new IOException(
            "the request is for job "
                + request.job().id()
                + " and "
                + job.path()
                + " is another's");
      }
      MakePlan planning =
          new MakePlan(
              stores, request, new SmallFiles(stores, job, log, settings.inlineLimit()), draft);
      times.measure(
          Stage.LOAD_MANIFESTS,
          () ->
              request.manifests().forEach(workers, manifest -> planning.addAll(manifest.files())));
      Optional<ListingAhead.Listed> ahead =
          times.measure(Stage.PREPARE, () -> prepare(request, planning, workers));
      listed = ahead.map(ListingAhead.Listed::begun).orElseGet(System::nanoTime);
      times.measure(Stage.PLAN, () -> planning.addReplaced(ahead, workers));
      proposal = times.measure(Stage.PROPOSE, draft::propose);
      plan = log.proposed(request.job(), draft, proposal);
    } catch (ExistingFileException e) {
      drop(draft, e);
      // Two committers of one job may run at once, as of two sinks with one directory in a DAG.
      Decision standing = standing(request).orElseThrow(() -> failed(request, e));
      return decidedBefore(request, standing);
    } catch (IOException | RuntimeException e) {
      drop(draft, e);
      throw failed(request, e);
    }
    Decision decision;
    Optional<Instant> putsUntil;
    try {
      putsUntil =
          plan.inlinedCount() == 0
              ? Optional.empty()
              : Optional.of(log.now().plus(PutWindow.LENGTH));
    } catch (IOException e) {
      throw failed(request, e);
    }
    try {
      // A cancelled query must not leave it open whether it was decided.
      decision =
          times.measure(
              Stage.DECIDE,
              () -> Uninterrupted.call(() -> log.commit(job.jobId(), proposal, putsUntil)));
    } catch (IOException | RuntimeException e) {
      decision = settle(request, e);
    }
    return decision.proposal().equals(Optional.of(proposal))
        ? new Decided(proposal, plan, false, putsUntil, Optional.empty(), listed)
        : decidedBefore(request, decision);
  }

  /**
   * Makes sure that what is listed is not what another job is just making visible.
   *
   * @return the listing, where it was made ahead
   */
  private static Optional<ListingAhead.Listed> prepare(
      CommitRequest request, MakePlan planning, Workers workers) throws IOException {
    Optional<ListingAhead.Listed> ahead = request.before().ahead().await(planning.replaced());
    if (ahead.isEmpty()) {
      request.before().run(planning.replaced());
    }
    if (!planning.addWaiting(workers)) {
      return ahead;
    }
    // Meanwhile another may have begun.
    request.before().run(planning.replaced());
    return Optional.empty();
  }

  /** Nobody finds a draft that was not ended; what is left of it is deleted after days. */
  private void drop(PlanWriter draft, Exception failure) {
    try {
      log.drop(draft.written());
    } catch (IOException | RuntimeException e) {
      failure.addSuppressed(e);
    }
  }

  private Optional<Decision> standing(CommitRequest request) throws CommitStateUnknownException {
    try {
      return log.read(job.jobId());
    } catch (IOException | RuntimeException e) {
      throw unknown(request, e);
    }
  }

  /**
   * After an attempt to decide of which it is not known whether it took effect, or will yet. To
   * decide the contrary tells, and prevents it where it did not.
   */
  private Decision settle(CommitRequest request, Exception failure)
      throws CommitFailedException, CommitStateUnknownException {
    Decision standing;
    try {
      standing = Uninterrupted.call(() -> log.abort(job.jobId()));
    } catch (IOException | RuntimeException e) {
      failure.addSuppressed(e);
      throw unknown(request, failure);
    }
    if (!standing.commits()) {
      throw failed(request, failure);
    }
    return standing;
  }

  private Decided decidedBefore(CommitRequest request, Decision decision)
      throws CommitFailedException, CommitStateUnknownException {
    if (!decision.commits()) {
      throw failed(
          request, new IOException("the job was aborted, see " + log.location(job.jobId())));
    }
    Proposal proposal = decision.proposal().orElseThrow();
    try {
      Optional<CommitPlan> plan = log.unfinished(job.jobId(), proposal);
      if (plan.isEmpty()) {
        Optional<CommitSummary> end = log.finished(job.jobId());
        if (end.filter(CommitSummary::givenUp).isPresent()) {
          throw givenUp(request);
        }
        return new Decided(
            proposal, CommitPlan.nothing(request.job()), true, Optional.empty(), end, 0);
      }
      new PlanChecks(request.job()).check(plan.get());
      return new Decided(proposal, plan.get(), true, decision.putsUntil(), Optional.empty(), 0);
    } catch (CommitStateUnknownException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      throw unknown(request, e);
    }
  }

  private CommitStateUnknownException givenUp(CommitRequest request) throws IOException {
    return new CommitStateUnknownException(
        request.job().description()
            + " was committed, could not be completed, and was given up by "
            + RecoverCommand.of(request.job())
            + " --give-up. Some of its files may be visible; lost are "
            + log.damage(job.jobId()).map(Damage::lost).map(Object::toString).orElse("others")
            + ". Look at the data before you run it again.",
        null);
  }

  private CommitStateUnknownException unknown(CommitRequest request, Exception failure) {
    return new CommitStateUnknownException(
        request.job().description()
            + ": it is unknown what was decided, or what is left to do: "
            + Sentence.of(failure)
            + " Nothing was deleted. When "
            + log.location(job.jobId())
            + " can be read again: "
            + RecoverCommand.of(request.job())
            + " brings a commit to its end that was decided, and undoes one that was not.",
        failure);
  }

  private static CommitFailedException failed(CommitRequest request, Exception cause) {
    return new CommitFailedException(
        request.job().description()
            + " was not committed: "
            + Sentence.of(cause)
            + " Nothing of it is visible and no old file was deleted; run it again once the cause is"
            + " mended.",
        cause);
  }

  /**
   * Everything after the decision.
   *
   * @return the number of uploads that were aborted; empty where another process has brought the
   *     job to its end
   */
  private Optional<Integer> carryOut(Decided decided, Workers workers, StageTimes times)
      throws IOException {
    PutWindow window =
        decided.byOther()
            ? PutWindow.ofTakeover(log, job.jobId(), decided.proposal(), decided.putsUntil())
            : PutWindow.ofDecision(log, job.jobId(), decided.proposal(), decided.putsUntil());
    CarryOut work = new CarryOut(stores, log, settings, window, etags);
    return Uninterrupted.call(
        () ->
            work.run(decided.plan(), decided::isFresh, workers, times)
                ? Optional.of(times.measure(Stage.CLEAN_UP, () -> cleanUp(decided.plan(), workers)))
                : Optional.empty(),
        progress.interval(),
        () -> progress.tell(work.visibleFiles(), decided.plan().fileCount()));
  }

  /** The job is committed whatever happens here, so a failure is told and goes no further. */
  private int cleanUp(CommitPlan plan, Workers workers) {
    try {
      SweepUploads.Result sweep = job.sweep(stores, plan).run(workers);
      job.finish(sweep);
      return sweep.aborted();
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "{} is committed. Uploads of attempts that were not chosen could not all be aborted and go"
              + " on costing storage; a later job tries again (see {}).",
          plan.description(),
          job.path(),
          e);
      return 0;
    }
  }
}
