package io.zerorename.testing.process;

import java.time.Duration;
import java.util.concurrent.Callable;

/** Waits for what other threads or processes do. */
public final class Await {
  /**
   * Whatever takes longer hangs. On a machine that does much else, a step of seconds takes minutes.
   */
  public static final Duration LIMIT = Duration.ofMinutes(15);

  private static final long PAUSE_MILLIS = 50;

  private Await() {}

  /** Returns when a condition holds, and fails with its description if that takes too long. */
  public static void until(String description, Callable<Boolean> condition) throws Exception {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (!condition.call()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("waited in vain for " + LIMIT + ": " + description);
      }
      Thread.sleep(PAUSE_MILLIS);
    }
  }
}
