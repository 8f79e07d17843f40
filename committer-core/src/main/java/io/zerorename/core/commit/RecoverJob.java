package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.commit.Recovered.UnderWay;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.CommittedUploads;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.log.PlanPart;
import io.zerorename.core.log.Proposal;
import io.zerorename.core.manifest.MalformedManifestException;
import io.zerorename.core.manifest.OtherVersionException;
import io.zerorename.core.metrics.CommitterMetrics;
import io.zerorename.core.metrics.Metric;
import io.zerorename.core.parallel.Uninterrupted;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectStores;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the commit of one job to its end, which another process has left open: carries it out
 * where it was decided, and undoes it where it was not.
 */
final class RecoverJob {
  private static final Logger LOG = LoggerFactory.getLogger(RecoverJob.class);

  private final ObjectStores stores;
  private final CommitLog log;
  private final CommitSettings settings;
  private final RecoveryEngine engine;
  private final Ownership ownership;
  private final RecoveryChecks checks;
  private final SweepAttempts attempts;

  RecoverJob(ObjectStores stores, CommitLog log, CommitSettings settings, RecoveryEngine engine) {
    this.stores = requireNonNull(stores, "stores");
    this.log = requireNonNull(log, "log");
    this.settings = requireNonNull(settings, "settings");
    this.engine = requireNonNull(engine, "engine");
    this.ownership = new Ownership(log);
    this.checks = new RecoveryChecks(engine);
    this.attempts = new SweepAttempts(stores, engine);
  }

  /** Jobs one after the other, as {@link #run} does it. */
  List<Recovered> runAll(List<OpenJob> jobs, Duration patience, boolean again) {
    List<Recovered> results = new ArrayList<>();
    for (OpenJob open : jobs) {
      run(open, patience, again).ifPresent(results::add);
    }
    return results;
  }

  /**
   * Recovers a job.
   *
   * @param patience how long a commit whose process may be alive is left alone
   * @param again whether what was found to be damaged before is tried again
   * @return what was found, failures included; empty where nothing is left to do
   */
  Optional<Recovered> run(OpenJob open, Duration patience, boolean again) {
    String jobId = open.id();
    try {
      if (open.putsUntil().isPresent() && log.finished(jobId).isPresent()) {
        return ended(open);
      }
      Optional<Decision> decision = log.read(jobId);
      Optional<String> alive = ownership.mayBeAtWork(open, decision, patience);
      if (alive.isPresent() && (again || decision.isEmpty() || !isKnownToBeDamaged(jobId))) {
        return Optional.of(new UnderWay(jobId, open.since(), alive.get()));
      }
      Decision standing = decision.isPresent() ? decision.get() : abort(open);
      return standing.commits() ? complete(open, standing, again) : Optional.of(undo(open));
    } catch (CommitDamagedException e) {
      return Optional.of(new Recovered.Damaged(jobId, e.lost(), e.getMessage()));
    } catch (IOException | RuntimeException e) {
      if (log.isEndedElsewhere(jobId, e)) {
        // By another process at the same time, which has deleted the plan.
        return Optional.empty();
      }
      Optional<FilesMissingException> missing = FilesMissingException.in(e);
      if (missing.isPresent()) {
        return missing.map(
            it -> new Recovered.Missing(jobId, it.missing(), it.lostFrom(), it.getMessage()));
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

  /** Then whoever is at work on it can make nothing of it visible, and is not waited for. */
  private boolean isKnownToBeDamaged(String jobId) throws IOException {
    try {
      return log.damage(jobId).isPresent();
    } catch (MalformedManifestException e) {
      LOG.debug("Whether the commit of job {} is damaged cannot be read", jobId, e);
      return false;
    }
  }

  private Optional<Recovered> complete(OpenJob open, Decision decision, boolean again)
      throws IOException {
    String jobId = open.id();
    Proposal proposal = decision.proposal().orElseThrow();
    if (log.finished(jobId).isPresent()) {
      // Since the listing. Whoever has ended it in the place of another has announced that before.
      return ended(open);
    }
    PutWindow.announceUnsettled(log, jobId, decision);
    Optional<CommitPlan> unfinished = log.unfinished(jobId, proposal);
    if (unfinished.isEmpty()) {
      return ended(open);
    }
    CommitPlan plan = unfinished.get();
    try {
      if (!again) {
        refuseKnown(plan);
      }
      PutWindow window = PutWindow.ofTakeover(log, jobId, proposal, decision.putsUntil());
      if (!carryOn(open, plan, window, again)) {
        return Optional.empty();
      }
      CommitterMetrics.add(Metric.COMMITS_RECOVERED, 1);
      return Optional.of(new Recovered.Completed(jobId, plan));
    } finally {
      plan.release();
    }
  }

  /** Whoever has looked a while ago has found what another look would find. */
  private void refuseKnown(CommitPlan plan) throws IOException {
    Optional<Damage> damage = log.damage(plan.job().id());
    if (damage.isPresent()) {
      throw new CommitDamagedException(plan, damage.get().lost(), RecoverCommand.of(plan.job()));
    }
    new MissingFiles(log, settings.settling()).requireSettled(plan.job());
  }

  /**
   * @return false where another process has brought the job to its end meanwhile
   */
  private boolean carryOn(OpenJob open, CommitPlan plan, PutWindow window, boolean again)
      throws IOException {
    for (PlanPart part : plan.parts()) {
      checks.check(part);
    }
    RunningCommits.begin(plan.job());
    try (Workers workers = new Workers(settings.threads())) {
      boolean carriedOut =
          Uninterrupted.call(
              () ->
                  new CarryOut(stores, log, settings, window)
                      .run(plan, () -> false, workers, new StageTimes()));
      if (!carriedOut) {
        return false;
      }
      attempts.run(plan.job(), plan, workers);
      // In the caller's thread, to which Hive has bound its session.
      engine.end(plan);
      finish(plan, open, window, again);
    } catch (CommitDamagedException | CommitStateUnknownException e) {
      if (e instanceof CommitDamagedException || FilesMissingException.in(e).isPresent()) {
        takeBack(window, e);
      }
      throw e;
    } finally {
      RunningCommits.end(plan.job().id());
    }
    return true;
  }

  /** All small files are there, so that no overwrite need wait for what was announced for them. */
  private void takeBack(PutWindow window, IOException outcome) {
    try {
      log.takeBack(window.needless());
    } catch (IOException | RuntimeException e) {
      outcome.addSuppressed(e);
    }
  }

  private void finish(CommitPlan plan, OpenJob open, PutWindow window, boolean again)
      throws IOException {
    String jobId = open.id();
    try {
      log.finish(jobId, CommitSummary.of(plan), open.names(), window.needless());
      if (again) {
        log.dropDamage(jobId);
      }
    } catch (IOException e) {
      if (log.finished(jobId).isEmpty()) {
        throw e;
      }
      // Everything was done, and whoever comes next tells of it again.
      LOG.warn("The records of job {}, which is complete, cannot be deleted", jobId, e);
    }
  }

  /** Only its records were left, or another proposal that was written down too late. */
  private Optional<Recovered> ended(OpenJob open) {
    try {
      log.drop(open.names());
    } catch (IOException | RuntimeException e) {
      LOG.warn("The records of job {}, which is complete, cannot be deleted", open.id(), e);
      return Optional.of(
          new Recovered.Failed(
              open.id(),
              "Job "
                  + open.id()
                  + " is complete, and only its records (see "
                  + log.location(open.id())
                  + ") cannot be deleted: "
                  + Sentence.of(e)
                  + " Each later job and zerorename recover try again.",
              e,
              true));
    }
    return open.putsUntil()
        .filter(log::mayStillTakeEffect)
        .map(until -> new Recovered.Settling(open.id(), until));
  }

  /** Decides against a job of this destination; one of another is not ours to end. */
  private Decision abort(OpenJob open) throws IOException {
    try {
      log.forEachUndecided(open, part -> checks.checkRoots(part.job()));
    } catch (OtherVersionException e) {
      throw e;
    } catch (MalformedManifestException e) {
      // Nobody could carry that out either.
      LOG.warn("What job {} has proposed cannot be read", open.id(), e);
    }
    return log.abort(open.id());
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

  private Recovered rollBack(OpenJob open) throws IOException {
    AtomicInteger aborted = new AtomicInteger();
    AtomicReference<OutputJob> job = new AtomicReference<>();
    try (Workers workers = new Workers(settings.threads())) {
      log.forEachUndecided(
          open,
          part -> {
            checks.check(part);
            aborted.addAndGet(SweepUploads.ofPart(stores, part).run(workers).aborted());
            job.set(part.job());
          });
      if (job.get() != null) {
        aborted.addAndGet(attempts.run(job.get(), CommittedUploads.none(), workers));
      }
    }
    log.drop(open.names());
    CommitterMetrics.add(Metric.JOBS_ROLLED_BACK, 1);
    return new Recovered.RolledBack(open.id(), aborted.get());
  }
}
