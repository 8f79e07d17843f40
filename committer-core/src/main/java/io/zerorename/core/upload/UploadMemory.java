package io.zerorename.core.upload;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the memory that upload buffers hold, so that all files that one process has open stay
 * below a limit together. {@link #shared} is the one instance of the process; everything else is
 * per task attempt.
 */
public final class UploadMemory {
  private static final UploadMemory SHARED = new UploadMemory();

  private final AtomicLong used = new AtomicLong();

  /** The process's own count, which every task attempt in it should share. */
  public static UploadMemory shared() {
    return SHARED;
  }

  /** Bytes that are held now. */
  public long used() {
    return used.get();
  }

  /**
   * Takes bytes if all holders together stay within {@code limit} then.
   *
   * @return false where they would not; nothing is taken then
   */
  boolean tryTake(long bytes, long limit) {
    long before = used.get();
    while (before + bytes <= limit) {
      long seen = used.compareAndExchange(before, before + bytes);
      if (seen == before) {
        return true;
      }
      before = seen;
    }
    return false;
  }

  void giveBack(long bytes) {
    if (used.addAndGet(-bytes) < 0) {
      throw new IllegalStateException("more upload memory was given back than taken");
    }
  }
}
