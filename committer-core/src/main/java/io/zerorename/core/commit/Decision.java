package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import java.util.Optional;

/**
 * The fate of a job.
 *
 * @param proposal what has to be carried out where it is COMMIT
 * @param decidedBy the process that decided
 */
record Decision(Outcome outcome, Optional<Proposal> proposal, ProcessIdentity decidedBy) {
  /** Commit or abort; there is no third. */
  enum Outcome {
    COMMIT,
    ABORT
  }

  Decision {
    requireNonNull(outcome, "outcome");
    requireNonNull(proposal, "proposal");
    requireNonNull(decidedBy, "decidedBy");
    if ((outcome == Outcome.COMMIT) != proposal.isPresent()) {
      throw new IllegalArgumentException("a plan belongs to COMMIT and to nothing else");
    }
  }

  static Decision commit(Proposal proposal) {
    return new Decision(Outcome.COMMIT, Optional.of(proposal), ProcessIdentity.current());
  }

  static Decision abort() {
    return new Decision(Outcome.ABORT, Optional.empty(), ProcessIdentity.current());
  }

  boolean commits() {
    return outcome == Outcome.COMMIT;
  }
}
