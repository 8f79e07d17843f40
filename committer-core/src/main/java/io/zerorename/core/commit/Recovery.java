package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.commit.Recovered.UnderWay;
import io.zerorename.core.manifest.MalformedManifestException;
import io.zerorename.core.manifest.OtherVersionException;
import io.zerorename.core.metrics.CommitterMetrics;
import io.zerorename.core.metrics.Metric;
import io.zerorename.core.store.ObjectStores;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the commits to their end that other processes have left open at one destination: those
 * that were decided are carried out, those that were not are undone. It works from the
 * destination's {@link CommitLog} and the store alone, may be repeated, and may run beside another
 * recovery or beside the process that it takes for dead.
 */
public final class Recovery {
  private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);

  private static final Duration FIRST_PAUSE = Duration.ofMillis(250);
  private static final Duration LAST_PAUSE = Duration.ofSeconds(5);

  private final ObjectStores stores;
  private final CommitLog log;
  private final CommitSettings settings;
  private final RecoveryEngine engine;
  private final Pauses.Sleep sleep;

  /**
   * A recovery at one destination.
   *
   * @param log of that destination
   */
  public Recovery(
      ObjectStores stores, CommitLog log, CommitSettings settings, RecoveryEngine engine) {
    this(stores, log, settings, engine, Pauses::pause);
  }

  /**
   * @param sleep between two looks
   */
  Recovery(
      ObjectStores stores,
      CommitLog log,
      CommitSettings settings,
      RecoveryEngine engine,
      Pauses.Sleep sleep) {
    this.sleep = requireNonNull(sleep, "sleep");
    this.stores = new PacedStores(stores, settings);
    this.log = requireNonNull(log, "log");
    this.settings = requireNonNull(settings, "settings");
    this.engine = requireNonNull(engine, "engine");
  }

  /** The ids of jobs whose commits are open, in the order in which they began to; one listing. */
  public List<String> open() throws IOException {
    return log.open().stream()
        .filter(open -> !open.documents().isEmpty())
        .map(OpenJob::id)
        .toList();
  }

  /**
   * Recovers every job that no process can be at work on. One listing where there is none.
   *
   * @param patience how long a commit whose process may be alive is left alone
   * @return what was found, job by job, in the order of their commits
   */
  public List<Recovered> run(Duration patience) throws IOException {
    return recoverAll(log.open(), patience, false);
  }

  /**
   * Like {@link #run}, for a job that does not depend on it: what this process has tried for
   * seconds and in vain, less than a minute ago, is not tried again, but told again.
   */
  public List<Recovered> runUnlessVain(Duration patience) throws IOException {
    return runUnlessVain(patience, VainRecoveries.ofProcess());
  }

  List<Recovered> runUnlessVain(Duration patience, VainRecoveries vain) throws IOException {
    List<Recovered> results = new ArrayList<>();
    for (OpenJob open : log.open()) {
      vain.recover(open.id(), () -> recover(open, patience, false)).ifPresent(results::add);
    }
    return results;
  }

  /** Like {@link #run}, and tries again what was found to be damaged before. */
  public List<Recovered> retry(Duration patience) throws IOException {
    return recoverAll(log.open(), patience, true);
  }

  /**
   * Like {@link #run}, but waits for those that may be under way, until they are at their end or
   * the patience is.
   */
  public List<Recovered> await(Duration patience) throws IOException {
    return await(log.open(), patience);
  }

  private List<Recovered> await(List<OpenJob> jobs, Duration patience) throws IOException {
    Instant until = Instant.now().plus(patience);
    Map<String, Recovered> results = new LinkedHashMap<>();
    recoverAll(jobs, patience, false).forEach(result -> results.put(result.jobId(), result));
    Duration pause = FIRST_PAUSE;
    while (results.values().stream().anyMatch(UnderWay.class::isInstance)
        && Instant.now().isBefore(until)) {
      sleep.pause(pause, "Interrupted while another commit was waited for");
      pause = pause.multipliedBy(2).compareTo(LAST_PAUSE) < 0 ? pause.multipliedBy(2) : LAST_PAUSE;
      List<OpenJob> waitedFor =
          log.open().stream().filter(open -> results.get(open.id()) instanceof UnderWay).toList();
      // Whoever was at work has come to its end, unless it is found again.
      results.values().removeIf(UnderWay.class::isInstance);
      recoverAll(waitedFor, patience, false).forEach(result -> results.put(result.jobId(), result));
    }
    return List.copyOf(results.values());
  }

  /**
   * Makes sure that nobody makes files of an earlier job visible in some directories from now on,
   * or deletes any there. Commits that change other directories only are left alone.
   *
   * @param ownJobIds the job that wants to replace files, and others of the same statement, which
   *     write to other directories and are at their end only when the statement is; what an earlier
   *     attempt of them has proposed is not decided, and does not count
   * @param directories whose files it wants to replace, with all that is below them
   * @return what was found
   * @throws IOException where such a commit is open that cannot be ended now
   */
  public List<Recovered> clear(
      Duration patience, Set<String> ownJobIds, Collection<Path> directories) throws IOException {
    ReplacedDirectories replaced = new ReplacedDirectories(directories);
    Map<String, Recovered> results = new LinkedHashMap<>();
    Set<String> left = Set.of();
    Instant giveUp = log.now().plus(patience.plus(PutWindow.LENGTH).multipliedBy(2));
    // Until one listing shows that nothing is left: while something was waited for, others began.
    for (List<OpenJob> open = others(ownJobIds, replaced);
        !isClear(open, left);
        open = others(ownJobIds, replaced)) {
      if (log.now().isAfter(giveUp)) {
        throw new IOException(
            "other commits were open for as long as this job has waited; run it again later. Open are "
                + open.stream().map(OpenJob::id).toList());
      }
      List<Recovered> found = await(open, patience);
      for (Recovered result : found) {
        if (result.isPending()) {
          throw new IOException(
              "an earlier commit is open, and to replace files before it is at its end would bring"
                  + " older rows back. "
                  + result.message());
        }
        results.put(result.jobId(), result);
      }
      left =
          found.stream()
              .filter(it -> it instanceof Recovered.Damaged || it instanceof Recovered.Failed)
              .map(Recovered::jobId)
              .collect(Collectors.toSet());
      awaitLatePuts(ownJobIds, replaced);
    }
    return List.copyOf(results.values());
  }

  private List<OpenJob> others(Set<String> ownJobIds, ReplacedDirectories replaced)
      throws IOException {
    return replaced.concerning(
        log.open().stream().filter(open -> !ownJobIds.contains(open.id())).toList(), log);
  }

  /**
   * @param left jobs that cannot be brought to their end, and make nothing visible any more
   */
  private boolean isClear(List<OpenJob> open, Set<String> left) {
    return open.stream()
        .allMatch(it -> (it.documents().isEmpty() || left.contains(it.id())) && !mayBeWritten(it));
  }

  /** Whether a small file of a job may still be written by a request that was sent before. */
  private boolean mayBeWritten(OpenJob open) {
    return open.putsUntil().filter(log::mayStillTakeEffect).isPresent();
  }

  /**
   * Waits until what was announced is over. To be told by a listing that is made after the
   * recovery: it, and others at the same time, announce what they write.
   */
  private void awaitLatePuts(Set<String> ownJobIds, ReplacedDirectories replaced)
      throws IOException {
    for (OpenJob late : others(ownJobIds, replaced).stream().filter(this::mayBeWritten).toList()) {
      Instant over = late.putsUntil().orElseThrow().plus(PutWindow.SETTLED);
      Duration rest = Duration.between(log.now(), over);
      if (!rest.isNegative()) {
        LOG.info(
            "Requests for job {} may reach the store until {}, which is waited for",
            late.id(),
            over);
        sleep.pause(
            rest.plus(FIRST_PAUSE), "Interrupted while requests of another commit were waited for");
      }
    }
  }

  /**
   * Like {@link #retry}, and ends commits of which files are lost or whose records were changed:
   * what is visible stays, and no job meets them again.
   */
  public List<Recovered> giveUp(Duration patience) throws IOException {
    List<Recovered> results = new ArrayList<>();
    for (OpenJob open : log.open()) {
      Optional<Recovered> result = recover(open, patience, true);
      if (result.isPresent()) {
        results.add(result.get());
        boolean lost =
            result.get() instanceof Recovered.Damaged
                || (result.get() instanceof Recovered.Failed failed && failed.isUnreadable());
        if (lost) {
          results.add(giveUp(open));
        }
      }
    }
    return results;
  }

  /**
   * Ends the commit of one job as it is, whether or not it could be completed.
   *
   * @return what became of it; empty where it is not open
   */
  public Optional<Recovered> giveUp(String jobId, Duration patience) throws IOException {
    Optional<OpenJob> open = log.openOf(jobId);
    if (open.isEmpty()) {
      return Optional.empty();
    }
    Optional<String> alive = mayBeAtWork(open.get(), readable(jobId), patience);
    return Optional.of(
        alive.isPresent()
            ? new UnderWay(jobId, open.get().since(), alive.get())
            : giveUp(open.get()));
  }

  private Recovered giveUp(OpenJob open) throws IOException {
    String jobId = open.id();
    if (readable(jobId).isEmpty() && isCommittedInstead(jobId)) {
      return new UnderWay(jobId, open.since(), "its own process, which has just decided to commit");
    }
    AtomicInteger aborted = new AtomicInteger();
    try (Workers workers = new Workers(settings.threads())) {
      log.forEachUndecided(
          open,
          part -> {
            check(part);
            aborted.addAndGet(abortWhatCanBe(part, workers));
          });
    } catch (MalformedManifestException | NotAllowedException e) {
      LOG.warn("What job {} has uploaded is left alone", jobId, e);
    }
    Optional<Decision> decision = readable(jobId);
    if (decision.isPresent()) {
      announceLatePuts(jobId, decision.get());
    }
    log.finish(jobId, new CommitSummary(0, 0, 0, true), open.names());
    return new Recovered.GivenUp(jobId, aborted.get());
  }

  /** Whoever gives up does so because something cannot be reached, such as one of two buckets. */
  private int abortWhatCanBe(PlanPart part, Workers workers) {
    SweepUploads sweep = SweepUploads.ofPart(stores, part);
    try {
      return sweep.run(workers).aborted();
    } catch (IOException e) {
      LOG.warn(
          "Not all of what job {} has uploaded could be aborted. The bucket's lifecycle rule for"
              + " incomplete uploads removes the rest, or zerorename uploads abort.",
          part.job().id(),
          e);
      return sweep.aborted();
    }
  }

  /** What the process that has decided has sent may still be under way. */
  private void announceLatePuts(String jobId, Decision decision) throws IOException {
    Optional<Instant> until = decision.putsUntil().filter(log::mayStillTakeEffect);
    if (until.isPresent()) {
      log.announcePuts(jobId, decision.proposal().orElseThrow(), until.get());
    }
  }

  /**
   * Decides against a job before anything of it is aborted, so that its process, if it wakes up,
   * cannot commit what is gone.
   *
   * @return whether that process was faster
   */
  private boolean isCommittedInstead(String jobId) throws IOException {
    try {
      return log.abort(jobId).commits();
    } catch (MalformedManifestException e) {
      LOG.warn("The decision about job {} cannot be read and stays as it is", jobId, e);
      return false;
    }
  }

  private Optional<Decision> readable(String jobId) throws IOException {
    try {
      return log.read(jobId);
    } catch (MalformedManifestException e) {
      return Optional.empty();
    }
  }

  private List<Recovered> recoverAll(List<OpenJob> jobs, Duration patience, boolean again) {
    List<Recovered> results = new ArrayList<>();
    for (OpenJob open : jobs) {
      recover(open, patience, again).ifPresent(results::add);
    }
    return results;
  }

  private Optional<Recovered> recover(OpenJob open, Duration patience, boolean again) {
    String jobId = open.id();
    try {
      if (open.putsUntil().isPresent() && log.finished(jobId).isPresent()) {
        return ended(open);
      }
      Optional<Decision> decision = log.read(jobId);
      Optional<String> alive = mayBeAtWork(open, decision, patience);
      if (alive.isPresent()) {
        return Optional.of(new UnderWay(jobId, open.since(), alive.get()));
      }
      Decision standing = decision.isPresent() ? decision.get() : abort(open);
      return standing.commits()
          ? complete(open, standing, patience, again)
          : Optional.of(undo(open));
    } catch (CommitDamagedException e) {
      return Optional.of(new Recovered.Damaged(jobId, e.lost(), e.getMessage()));
    } catch (IOException | RuntimeException e) {
      if (isEnded(jobId, e)) {
        // By another process at the same time, which has deleted the plan.
        return Optional.empty();
      }
      LOG.warn("The commit of job {} cannot be brought to its end now", jobId, e);
      return Optional.of(
          new Recovered.Failed(
              jobId,
              "The commit of job "
                  + jobId
                  + " (see "
                  + log.location(jobId)
                  + ") is open and cannot be brought to its end now: "
                  + Sentence.of(e)
                  + " Nothing was deleted.",
              e,
              false));
    }
  }

  /** Of a job that never commits. What cannot be aborted now keeps no overwrite waiting. */
  private Recovered undo(OpenJob open) {
    try {
      return rollBack(open);
    } catch (IOException | RuntimeException e) {
      LOG.warn("What job {} has uploaded cannot be aborted now", open.id(), e);
      return new Recovered.Failed(
          open.id(),
          "Job "
              + open.id()
              + " (see "
              + log.location(open.id())
              + ") will never commit, and its uploads cannot be aborted now: "
              + Sentence.of(e)
              + " Each later job and zerorename recover try again.",
          e,
          true);
    }
  }

  private boolean isEnded(String jobId, Exception failure) {
    try {
      return log.finished(jobId).filter(end -> !end.givenUp()).isPresent();
    } catch (IOException e) {
      failure.addSuppressed(e);
      return false;
    }
  }

  /** Decides against a job of this destination; one of another is not ours to end. */
  private Decision abort(OpenJob open) throws IOException {
    try {
      log.forEachUndecided(open, part -> checkRoots(part.job()));
    } catch (OtherVersionException e) {
      throw e;
    } catch (MalformedManifestException e) {
      // Nobody could carry that out either.
      LOG.warn("What job {} has proposed cannot be read", open.id(), e);
    }
    return log.abort(open.id());
  }

  /** Who may be; empty where nobody can. */
  private Optional<String> mayBeAtWork(OpenJob open, Optional<Decision> decision, Duration patience)
      throws IOException {
    if (RunningCommits.isRunning(open.id())) {
      return Optional.of("this process");
    }
    Optional<ProcessIdentity> owner =
        decision.isPresent() ? Optional.of(decision.get().decidedBy()) : author(open);
    // Of this process it is known that it is not at work on this job.
    boolean dead =
        owner.isPresent()
            && (owner.get().equals(ProcessIdentity.current())
                || owner.get().isAlive().filter(alive -> !alive).isPresent());
    return dead || isOver(open, patience)
        ? Optional.empty()
        : Optional.of(owner.map(ProcessIdentity::toString).orElse("an unknown process"));
  }

  private Optional<ProcessIdentity> author(OpenJob open) throws IOException {
    try {
      return log.author(open);
    } catch (MalformedManifestException e) {
      return Optional.empty();
    }
  }

  private static boolean isOver(OpenJob open, Duration patience) {
    return patience.isZero() || open.since().plus(patience).isBefore(Instant.now());
  }

  /** Only its records were left, or another proposal that was written down too late. */
  private Optional<Recovered> ended(OpenJob open) throws IOException {
    log.drop(open.names());
    return open.putsUntil()
        .filter(log::mayStillTakeEffect)
        .map(until -> new Recovered.Settling(open.id(), until));
  }

  private Optional<Recovered> complete(
      OpenJob open, Decision decision, Duration patience, boolean again) throws IOException {
    String jobId = open.id();
    Proposal proposal = decision.proposal().orElseThrow();
    if (log.finished(jobId).isPresent()) {
      // Since the listing. Whoever has ended it in the place of another has announced that before.
      return ended(open);
    }
    announceLatePuts(jobId, decision);
    Optional<CommitPlan> unfinished = log.unfinished(jobId, proposal);
    if (unfinished.isEmpty()) {
      return ended(open);
    }
    CommitPlan plan = unfinished.get();
    Optional<Damage> damage = again ? Optional.empty() : log.damage(jobId);
    if (damage.isPresent()) {
      throw new CommitDamagedException(plan, damage.get().lost(), RecoverCommand.of(plan.job()));
    }
    for (PlanPart part : plan.parts()) {
      check(part);
    }
    PutWindow window = PutWindow.ofTakeover(log, jobId, proposal, decision.putsUntil());
    RunningCommits.begin(plan.job());
    try (Workers workers = new Workers(settings.threads())) {
      boolean carriedOut =
          Uninterrupted.call(
              () ->
                  new CarryOut(stores, log, settings, window, isOver(open, patience))
                      .run(plan, () -> false, workers, new StageTimes()));
      if (!carriedOut) {
        return Optional.empty();
      }
      sweep(plan.job(), plan, workers);
      // In the caller's thread, to which Hive has bound its session.
      engine.end(plan);
      log.finish(jobId, CommitSummary.of(plan), open.names(), window.needless());
      if (again) {
        log.dropDamage(jobId);
      }
    } finally {
      RunningCommits.end(jobId);
    }
    CommitterMetrics.add(Metric.COMMITS_RECOVERED, 1);
    return Optional.of(new Recovered.Completed(jobId, plan));
  }

  private void check(PlanPart part) throws IOException {
    try {
      new PlanChecks(part.job()).check(part);
    } catch (IOException e) {
      throw new MalformedManifestException(e.getMessage(), e);
    }
    checkRoots(part.job());
    Optional<String> refusal = engine.refuses(part.job());
    if (refusal.isPresent()) {
      throw new NotAllowedException(refusal.get());
    }
  }

  private void checkRoots(OutputJob job) throws IOException {
    for (Path root : job.roots()) {
      if (!engine.mayWrite(root)) {
        throw new NotAllowedException(
            "Its plan names " + root + ", where jobs of this destination may not write.");
      }
    }
  }

  private Recovered rollBack(OpenJob open) throws IOException {
    AtomicInteger aborted = new AtomicInteger();
    AtomicReference<OutputJob> job = new AtomicReference<>();
    try (Workers workers = new Workers(settings.threads())) {
      log.forEachUndecided(
          open,
          part -> {
            check(part);
            aborted.addAndGet(SweepUploads.ofPart(stores, part).run(workers).aborted());
            job.set(part.job());
          });
      if (job.get() != null) {
        aborted.addAndGet(sweep(job.get(), CommittedUploads.none(), workers));
      }
    }
    log.drop(open.names());
    CommitterMetrics.add(Metric.JOBS_ROLLED_BACK, 1);
    return new Recovered.RolledBack(open.id(), aborted.get());
  }

  /** Of what other attempts have left; a failure is told and goes no further. */
  private int sweep(OutputJob job, CommittedUploads committed, Workers workers) {
    try {
      Optional<JobDirectory> records = records(job);
      if (records.isEmpty()) {
        return SweepUploads.ofListing(stores, job, committed).run(workers).aborted();
      }
      SweepUploads.Result result = records.get().sweep(stores, committed).run(workers);
      records.get().finish(result);
      return result.aborted();
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "Uploads of attempts of {} that were not chosen could not all be aborted; the bucket's"
              + " lifecycle rule for incomplete uploads removes them.",
          job.description(),
          e);
      return 0;
    }
  }

  private Optional<JobDirectory> records(OutputJob job) {
    try {
      return engine.records(job);
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "The records of {} cannot be reached; its uploads are looked for by a listing",
          job.description(),
          e);
      return Optional.empty();
    }
  }
}
