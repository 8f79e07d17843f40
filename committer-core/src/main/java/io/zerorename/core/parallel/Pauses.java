package io.zerorename.core.parallel;

import java.io.InterruptedIOException;
import java.time.Duration;

/** Sleeps as code does that throws {@link java.io.IOException}. */
public final class Pauses {
  /** Lets time pass. */
  @FunctionalInterface
  public interface Sleep {
    void pause(Duration duration, String interrupted) throws InterruptedIOException;
  }

  private Pauses() {}

  /**
   * @param interrupted what to say where the thread is; its flag is set again
   */
  public static void pause(Duration duration, String interrupted) throws InterruptedIOException {
    try {
      Thread.sleep(duration.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException(interrupted);
    }
  }
}
