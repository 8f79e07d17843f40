package io.zerorename.core.commit;

import java.io.InterruptedIOException;
import java.time.Duration;

/** Sleeps as code does that throws {@link java.io.IOException}. */
final class Pauses {
  /** Lets time pass. */
  @FunctionalInterface
  interface Sleep {
    void pause(Duration duration, String interrupted) throws InterruptedIOException;
  }

  private Pauses() {}

  /**
   * @param interrupted what to say where the thread is; its flag is set again
   */
  static void pause(Duration duration, String interrupted) throws InterruptedIOException {
    try {
      Thread.sleep(duration.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException(interrupted);
    }
  }
}
