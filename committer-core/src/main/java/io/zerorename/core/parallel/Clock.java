package io.zerorename.core.parallel;

import java.io.InterruptedIOException;
import java.time.Duration;

/** What time is, and how to let it pass. */
@FunctionalInterface
public interface Clock {
  /** Since some moment. */
  default Duration now() {
    return Duration.ofNanos(System.nanoTime());
  }

  /**
   * Lets time pass.
   *
   * @param interrupted what to say where the thread is
   */
  void pause(Duration duration, String interrupted) throws InterruptedIOException;

  /** As {@link #pause} does in this machine's time; the flag of the thread is set again. */
  static void sleep(Duration duration, String interrupted) throws InterruptedIOException {
    try {
      Thread.sleep(duration.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException(interrupted);
    }
  }
}
