package io.zerorename.testing;

import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.parallel.Clock;

/** Commits that wait in a time of the test's. */
public final class Waits {
  private Waits() {}

  /** The same settings in another time. */
  public static CommitSettings in(Clock clock, CommitSettings settings) {
    return new CommitSettings(
        settings.threads(), settings.processThreads(), settings.settling(), clock);
  }
}
