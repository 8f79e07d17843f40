package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.log.ProcessIdentity;
import io.zerorename.core.manifest.MalformedManifestException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** Tells whether a process may be at work on an open commit, which is then left to it. */
final class Ownership {
  private final CommitLog log;

  Ownership(CommitLog log) {
    this.log = requireNonNull(log, "log");
  }

  /**
   * Who may be at work.
   *
   * @param decision about the job, if there is one
   * @param patience how long a commit whose process may be alive is left alone
   * @return a process in a person's words; empty where none can be at work
   */
  Optional<String> mayBeAtWork(OpenJob open, Optional<Decision> decision, Duration patience)
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

  /** Whether a commit began so long ago that nobody is waited for. */
  private boolean isOver(OpenJob open, Duration patience) throws IOException {
    return patience.isZero() || open.since().plus(patience).isBefore(log.now());
  }
}
