package io.zerorename.testing.s3server;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.TimeUnit;

/** Waits that end with the gateway: an interrupt becomes an {@link InterruptedIOException}. */
final class Pause {
  private Pause() {}

  /** Waits until {@link System#nanoTime} has reached a value. */
  static void until(long nanoTime) throws IOException {
    forNanos(nanoTime - System.nanoTime());
  }

  static void forNanos(long nanos) throws IOException {
    if (nanos <= 0) {
      return;
    }
    try {
      TimeUnit.NANOSECONDS.sleep(nanos);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      InterruptedIOException stopped = new InterruptedIOException("the gateway was closed");
      stopped.initCause(e);
      throw stopped;
    }
  }

  /** How long a number of bytes takes at a rate. */
  static long nanosFor(long bytes, long bytesPerSecond) {
    return (long) (bytes * (1e9 / bytesPerSecond));
  }
}
