package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.log.Proposal;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The time in which this process may write the small files of a commit. Until it is over, and what
 * was under way then has come to an end, no other job may replace those files: a request that is
 * still under way could bring one back.
 *
 * <p>The process that decides has the window that its decision names. Whoever carries the commit on
 * announces its own in the log, and then looks whether the commit was ended meanwhile: so a job
 * that replaces files sees either the announcement or nothing that could follow it. When it has
 * ended the commit, and each of its requests was answered and surely sent once, nothing can follow
 * that others do not announce themselves, and it takes its announcement back.
 */
final class PutWindow {
  /** Short, because after a crash an overwrite waits for its end. */
  static final Duration LENGTH = Duration.ofSeconds(90);

  /** How long after its deadline a request is surely over, one that S3 began to take before it. */
  static final Duration SETTLED = PutDeadlines.ACCURACY.plusSeconds(60);

  private static final Duration RENEWED_BEFORE = Duration.ofSeconds(30);

  private final CommitLog log;
  private final String jobId;
  private final Proposal proposal;

  /** Until when the process that has decided may write, for whoever carries the commit on. */
  private final Instant atLeast;

  private final boolean takeover;
  private Optional<Instant> deadline;
  private boolean announced;
  private boolean over;

  /** The announcements that this window, and nobody else, has written. */
  private final List<String> own = new ArrayList<>();

  /** Whether a copy of a request may be under way yet. */
  private boolean doubtful;

  /**
   * A window of the process that has decided.
   *
   * @param decided until when, by the decision
   */
  static PutWindow ofDecision(
      CommitLog log, String jobId, Proposal proposal, Optional<Instant> decided) {
    return new PutWindow(log, jobId, proposal, Instant.MIN, decided, false);
  }

  /**
   * A window of a process that carries a commit on.
   *
   * @param decided until when the one that has decided may write
   */
  static PutWindow ofTakeover(
      CommitLog log, String jobId, Proposal proposal, Optional<Instant> decided) {
    return new PutWindow(log, jobId, proposal, decided.orElse(Instant.MIN), Optional.empty(), true);
  }

  private PutWindow(
      CommitLog log,
      String jobId,
      Proposal proposal,
      Instant atLeast,
      Optional<Instant> deadline,
      boolean takeover) {
    this.log = requireNonNull(log, "log");
    this.jobId = requireNonNull(jobId, "jobId");
    this.proposal = requireNonNull(proposal, "proposal");
    this.atLeast = requireNonNull(atLeast, "atLeast");
    this.deadline = requireNonNull(deadline, "deadline");
    this.takeover = takeover;
  }

  /**
   * Announces what the process that has decided may have sent and what may still be under way.
   * Whoever ends a commit in its place does so first, because it is to be known from nothing else
   * once the plan is forgotten.
   */
  static void announceUnsettled(CommitLog log, String jobId, Decision decision) throws IOException {
    Optional<Instant> until = decision.putsUntil().filter(log::mayStillTakeEffect);
    if (until.isPresent()) {
      log.announcePuts(jobId, decision.proposal().orElseThrow(), until.get());
    }
  }

  /** Whether somebody else may have begun to carry the commit out. */
  boolean isTakeover() {
    return takeover;
  }

  /**
   * The deadline for a request that is sent now; empty where none may be: files of the commit are
   * known to be lost, so that others do not wait for it and may have replaced what it wrote.
   *
   * @throws EndedElsewhereException where another process has ended the commit
   */
  synchronized Optional<Instant> deadline() throws IOException {
    if (over) {
      return Optional.empty();
    }
    Instant now = log.now();
    if (deadline.isEmpty() || now.isAfter(deadline.get().minus(RENEWED_BEFORE))) {
      Instant next = announceAlone(now.plus(LENGTH).isBefore(atLeast) ? atLeast : now.plus(LENGTH));
      announced = true;
      boolean stands =
          log.read(jobId)
              .flatMap(Decision::proposal)
              .filter(it -> it.id().equals(proposal.id()))
              .isPresent();
      // Decisions are forgotten after days, together with the note of the end.
      if (!stands || log.finished(jobId).isPresent()) {
        throw new EndedElsewhereException(jobId);
      }
      if (log.damage(jobId).isPresent()) {
        over = true;
        return Optional.empty();
      }
      deadline = Optional.of(next);
    }
    return deadline;
  }

  /**
   * Announces a deadline that nobody else has: whoever takes an announcement back must not take one
   * that another relies on.
   *
   * @return the deadline, which may be later
   */
  private Instant announceAlone(Instant from) throws IOException {
    Instant until = from;
    while (!log.announcePuts(jobId, proposal, until)) {
      until = until.plusMillis(1);
    }
    own.add(LogNames.announcement(jobId, proposal.id(), until));
    return until;
  }

  /**
   * The announcements that can be taken back once the commit is at its end; none where a copy of a
   * request may be under way. The window of the process that has decided is not among them, which
   * whoever carries the commit on has to announce for itself.
   */
  synchronized List<String> needless() {
    return doubtful ? List.of() : List.copyOf(own);
  }

  /** The store has refused a request as too late: its clock is ahead of what was known of it. */
  synchronized void expired(Instant refused) {
    // The client may have repeated it, and what was lost before may have been in time.
    doubtful = true;
    deadline = deadline.filter(it -> !it.equals(refused));
  }

  /** A copy of a request may still be under way, so that the end of the window matters. */
  synchronized void announce() throws IOException {
    doubtful = true;
    if (deadline.isPresent() && !announced) {
      log.announcePuts(jobId, proposal, deadline.get());
      announced = true;
    }
  }
}
