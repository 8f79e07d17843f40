package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.log.ProcessIdentity;
import io.zerorename.core.log.Proposal;
import java.time.Instant;
import java.util.Optional;

/**
 * The fate of a job.
 *
 * @param proposal what has to be carried out where it is COMMIT
 * @param putsUntil the end of the {@link PutWindow} of the process that decided, where the plan has
 *     small files
 * @param decidedBy the process that decided
 */
record Decision(
    Outcome outcome,
    Optional<Proposal> proposal,
    Optional<Instant> putsUntil,
    ProcessIdentity decidedBy) {
  /** Commit or abort; there is no third. */
  enum Outcome {
    COMMIT,
    ABORT
  }

  Decision {
    requireNonNull(outcome, "outcome");
    requireNonNull(proposal, "proposal");
    requireNonNull(putsUntil, "putsUntil");
    requireNonNull(decidedBy, "decidedBy");
    if ((outcome == Outcome.COMMIT) != proposal.isPresent()) {
      throw new IllegalArgumentException("a plan belongs to COMMIT and to nothing else");
    }
  }

  static Decision commit(Proposal proposal, Optional<Instant> putsUntil) {
    return new Decision(
        Outcome.COMMIT, Optional.of(proposal), putsUntil, ProcessIdentity.current());
  }

  static Decision abort() {
    return new Decision(
        Outcome.ABORT, Optional.empty(), Optional.empty(), ProcessIdentity.current());
  }

  boolean commits() {
    return outcome == Outcome.COMMIT;
  }
}
