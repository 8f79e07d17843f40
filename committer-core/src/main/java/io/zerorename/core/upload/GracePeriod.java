package io.zerorename.core.upload;

import java.time.Duration;

/**
 * Waits for requests that are to end, for so long that most do. An interrupt is kept for whoever
 * comes after.
 */
final class GracePeriod {
  private static final Duration LENGTH = Duration.ofSeconds(2);

  private boolean interrupted;

  /** What is waited for. */
  @FunctionalInterface
  interface End {
    /** Returns whether it has come within a time. */
    boolean within(long nanos) throws InterruptedException;
  }

  /** Returns whether it has come; at once where this thread is interrupted. */
  boolean awaitUnlessInterrupted(End end) {
    try {
      return end.within(LENGTH.toNanos());
    } catch (InterruptedException e) {
      interrupted = true;
      return false;
    }
  }

  /** Returns whether it has come. */
  boolean await(End end) {
    long until = System.nanoTime() + LENGTH.toNanos();
    while (true) {
      try {
        return end.within(Math.max(0, until - System.nanoTime()));
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
  }

  void restoreInterrupt() {
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
