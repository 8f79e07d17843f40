package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.commit.CommitLog.Open;
import io.zerorename.core.commit.Recovered.UnderWay;
import io.zerorename.core.manifest.MalformedManifestException;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

  /** A plan is decided at once after it was written down; longer, and its process has died. */
  private static final Duration UNDECIDED = Duration.ofSeconds(30);

  private static final Duration POLL = Duration.ofMillis(500);

  private final ObjectStores stores;
  private final CommitLog log;
  private final CommitSettings settings;
  private final RecoveryEngine engine;

  /**
   * A recovery at one destination.
   *
   * @param log of that destination
   */
  public Recovery(
      ObjectStores stores, CommitLog log, CommitSettings settings, RecoveryEngine engine) {
    this.stores = requireNonNull(stores, "stores");
    this.log = requireNonNull(log, "log");
    this.settings = requireNonNull(settings, "settings");
    this.engine = requireNonNull(engine, "engine");
  }

  /**
   * Recovers every job that no process can be at work on. One listing where there is none.
   *
   * @param patience how long a commit whose process may be alive is left alone
   * @return what was found, job by job, in the order of their commits
   */
  public List<Recovered> run(Duration patience) throws IOException {
    return recoverAll(patience, false);
  }

  /**
   * Like {@link #run}, but waits for those that may be under way, until they are at their end or
   * the patience is.
   */
  public List<Recovered> await(Duration patience) throws IOException {
    Instant until = Instant.now().plus(patience);
    Map<String, Recovered> results = new LinkedHashMap<>();
    while (true) {
      List<Recovered> round = run(patience);
      round.forEach(result -> results.put(result.jobId(), result));
      if (round.stream().noneMatch(UnderWay.class::isInstance)) {
        // Whoever was at work has come to its end.
        results.values().removeIf(UnderWay.class::isInstance);
        return List.copyOf(results.values());
      }
      if (Instant.now().isAfter(until)) {
        return List.copyOf(results.values());
      }
      pause();
    }
  }

  private static void pause() throws InterruptedIOException {
    try {
      Thread.sleep(POLL.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("Interrupted while another commit was waited for");
    }
  }

  /** Like {@link #run}, and tries again what was found to be damaged before. */
  public List<Recovered> retry(Duration patience) throws IOException {
    return recoverAll(patience, true);
  }

  /**
   * Like {@link #retry}, and ends commits that cannot be completed or understood: what is visible
   * stays, what is lost is lost, and no job meets them again.
   */
  public List<Recovered> giveUp(Duration patience) throws IOException {
    List<Recovered> results = recoverAll(patience, true);
    for (Open open : log.open()) {
      for (Recovered result : results) {
        if (result.jobId().equals(open.jobId()) && cannotBeCompleted(result)) {
          log.finish(open.jobId(), new CommitSummary(0, 0, 0, true), open.names());
          LOG.warn("Given up: {}", result.message());
        }
      }
    }
    return results;
  }

  private static boolean cannotBeCompleted(Recovered result) {
    return result instanceof Recovered.Damaged
        || (result instanceof Recovered.Failed failed && failed.isUnreadable());
  }

  private List<Recovered> recoverAll(Duration patience, boolean again) throws IOException {
    List<Recovered> results = new ArrayList<>();
    for (Open open : log.open()) {
      recover(open, patience, again).ifPresent(results::add);
    }
    return results;
  }

  private Optional<Recovered> recover(Open open, Duration patience, boolean again) {
    String jobId = open.jobId();
    try {
      Optional<Decision> decision = log.read(jobId);
      Optional<String> alive = mayBeAtWork(open, decision, patience);
      if (alive.isPresent()) {
        return Optional.of(new UnderWay(jobId, open.since(), alive.get()));
      }
      Decision standing = decision.isPresent() ? decision.get() : log.abort(jobId);
      return standing.commits()
          ? complete(open, standing.proposal().orElseThrow(), again)
          : Optional.of(rollBack(open));
    } catch (CommitDamagedException e) {
      return Optional.of(new Recovered.Damaged(jobId, e.lost(), e.getMessage()));
    } catch (IOException | RuntimeException e) {
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
              e));
    }
  }

  /** Who may be; empty where nobody can. */
  private Optional<String> mayBeAtWork(Open open, Optional<Decision> decision, Duration patience) {
    if (RunningCommits.isRunning(open.jobId())) {
      return Optional.of("this process");
    }
    Optional<ProcessIdentity> owner = decision.map(Decision::decidedBy);
    if (owner.isPresent()) {
      // Of this process it is known that it is not at work on this job.
      boolean dead =
          owner.get().equals(ProcessIdentity.current())
              || owner.get().isAlive().filter(alive -> !alive).isPresent();
      if (dead) {
        return Optional.empty();
      }
    }
    Duration time =
        decision.isPresent() || patience.compareTo(UNDECIDED) < 0 ? patience : UNDECIDED;
    return open.since().plus(time).isAfter(Instant.now())
        ? Optional.of(owner.map(ProcessIdentity::toString).orElse("an unknown process"))
        : Optional.empty();
  }

  private Optional<Recovered> complete(Open open, Proposal proposal, boolean again)
      throws IOException {
    String jobId = open.jobId();
    Optional<CommitPlan> unfinished =
        log.finished(jobId).isPresent() ? Optional.empty() : log.unfinished(jobId, proposal);
    if (unfinished.isEmpty()) {
      // Only its record was left, or another proposal that was written down too late.
      log.drop(open.names());
      return Optional.empty();
    }
    CommitPlan plan = unfinished.get();
    Optional<Damage> damage = again ? Optional.empty() : log.damage(jobId);
    if (damage.isPresent()) {
      throw new CommitDamagedException(plan, damage.get().lost(), RecoverCommand.of(plan.job()));
    }
    check(plan);
    RunningCommits.begin(plan.job());
    try (Workers workers = new Workers(settings.threads())) {
      Uninterrupted.call(
          () -> {
            new CarryOut(stores, log, settings)
                .run(plan, true, () -> false, workers, new StageTimes());
            sweep(plan.job(), plan.uploads(), workers);
            engine.end(plan);
            log.finish(jobId, CommitSummary.of(plan), open.names());
            return null;
          });
      if (again) {
        log.dropDamage(jobId);
      }
    } finally {
      RunningCommits.end(jobId);
    }
    return Optional.of(new Recovered.Completed(jobId, plan));
  }

  private void check(CommitPlan plan) throws IOException {
    for (Path root : plan.job().roots()) {
      if (!engine.mayWrite(root)) {
        throw new MalformedManifestException(
            "Its plan names "
                + root
                + ", where no job of this destination may write: it was changed. Nothing was done.",
            null);
      }
    }
    try {
      new PlanChecks(plan.job()).check(plan);
    } catch (IOException e) {
      throw new MalformedManifestException(e.getMessage(), e);
    }
  }

  private Recovered rollBack(Open open) throws IOException {
    int aborted = 0;
    try (Workers workers = new Workers(settings.threads())) {
      for (CommitPlan plan : log.undecided(open)) {
        check(plan);
        aborted += SweepUploads.ofPlan(stores, plan).run(workers).aborted();
        aborted += sweep(plan.job(), List.of(), workers);
      }
    }
    log.drop(open.names());
    return new Recovered.RolledBack(open.jobId(), aborted);
  }

  /** Of what other attempts have left; a failure is told and goes no further. */
  private int sweep(OutputJob job, List<PendingUpload> committed, Workers workers) {
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
