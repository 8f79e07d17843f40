package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import java.util.Optional;

/** The fate of a job, with the plan that has to be carried out where it is COMMIT. */
public record Decision(Outcome outcome, Optional<CommitPlan> plan) {
  /** Commit or abort; there is no third. */
  public enum Outcome {
    COMMIT,
    ABORT
  }

  public Decision {
    requireNonNull(outcome, "outcome");
    requireNonNull(plan, "plan");
    if ((outcome == Outcome.COMMIT) != plan.isPresent()) {
      throw new IllegalArgumentException("a plan belongs to COMMIT and to nothing else");
    }
  }

  public static Decision commit(CommitPlan plan) {
    return new Decision(Outcome.COMMIT, Optional.of(plan));
  }

  public static Decision abort() {
    return new Decision(Outcome.ABORT, Optional.empty());
  }
}
