package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.commit.Recovered.UnderWay;
import io.zerorename.core.log.PlanPart;
import io.zerorename.core.manifest.MalformedManifestException;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectStores;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the commit of one job as it is: what is visible stays, what is pending is aborted as far as
 * it can be, and no job meets it again.
 */
final class GiveUpJob {
  private static final Logger LOG = LoggerFactory.getLogger(GiveUpJob.class);

  private final ObjectStores stores;
  private final CommitLog log;
  private final CommitSettings settings;
  private final Ownership ownership;
  private final RecoveryChecks checks;

  GiveUpJob(ObjectStores stores, CommitLog log, CommitSettings settings, RecoveryEngine engine) {
    this.stores = requireNonNull(stores, "stores");
    this.log = requireNonNull(log, "log");
    this.settings = requireNonNull(settings, "settings");
    this.ownership = new Ownership(log);
    this.checks = new RecoveryChecks(engine);
  }

  /**
   * Gives a job up, unless a process may be at work on it.
   *
   * @param patience how long a commit whose process may be alive is left alone
   */
  Recovered unlessAtWork(OpenJob open, Duration patience) throws IOException {
    Optional<String> alive = ownership.mayBeAtWork(open, readable(open.id()), patience);
    return alive.isPresent() ? new UnderWay(open.id(), open.since(), alive.get()) : run(open);
  }

  /** Gives a job up on which no process can be at work. */
  Recovered run(OpenJob open) throws IOException {
    String jobId = open.id();
    if (readable(jobId).isEmpty() && isCommittedInstead(jobId)) {
      return new UnderWay(jobId, open.since(), "its own process, which has just decided to commit");
    }
    AtomicInteger aborted = new AtomicInteger();
    AtomicBoolean hasUploads = new AtomicBoolean();
    try (Workers workers = new Workers(settings.threads())) {
      log.forEachUndecided(
          open,
          part -> {
            checks.check(part);
            hasUploads.compareAndSet(false, !part.uploads().isEmpty());
            aborted.addAndGet(abortWhatCanBe(part, workers));
          });
    } catch (MalformedManifestException | NotAllowedException e) {
      hasUploads.set(true);
      LOG.warn("What job {} has uploaded is left alone", jobId, e);
    }
    Optional<Decision> decision = readable(jobId);
    Optional<Damage> damage = known(() -> log.damage(jobId), jobId);
    Optional<MissingFiles.Note> missing =
        damage.isPresent() ? Optional.empty() : known(() -> log.missing(jobId), jobId);
    Optional<Instant> appearing = Optional.empty();
    if (decision.isPresent() && decision.get().commits()) {
      PutWindow.announceUnsettled(log, jobId, decision.get());
      if (damage.isEmpty() && hasUploads.get()) {
        appearing = announceCompletes(jobId, decision.get(), missing);
      }
    }
    log.finish(jobId, new CommitSummary(0, 0, 0, true), open.names());
    return new Recovered.GivenUp(
        jobId,
        aborted.get(),
        damage.map(Damage::lost).orElse(List.of()),
        missing.map(MissingFiles.Note::missing).orElse(List.of()),
        appearing);
  }

  /**
   * What the store is joining nobody can abort, and an overwrite may be waiting for this commit's
   * end: it has to wait until such a file would be there.
   *
   * @return until when; empty where that time is over
   */
  private Optional<Instant> announceCompletes(
      String jobId, Decision decision, Optional<MissingFiles.Note> missing) throws IOException {
    Instant now = log.now();
    // Not later than now, though a clock that was wrong may have noted it.
    Instant since = missing.map(MissingFiles.Note::since).filter(now::isAfter).orElse(now);
    Instant until = since.plus(settings.settling());
    if (!until.isAfter(now)) {
      return Optional.empty();
    }
    // One that nobody else takes back.
    while (!log.announcePuts(jobId, decision.proposal().orElseThrow(), until)) {
      until = until.plusMillis(1);
    }
    return Optional.of(until);
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

  /** A record. One that cannot be read keeps no commit open. */
  private static <T> Optional<T> known(Reading<T> reading, String jobId) {
    try {
      return reading.read();
    } catch (IOException e) {
      LOG.warn("Which files of job {} are missing cannot be read", jobId, e);
      return Optional.empty();
    }
  }

  private interface Reading<T> {
    Optional<T> read() throws IOException;
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
}
