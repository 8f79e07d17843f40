package io.zerorename.core.upload;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Which files of a task attempt are not uploaded, but inlined for the job's commit. Of jobs only
 * Hive's have such files: where rows are sorted by partition it closes one file after the other,
 * and each close would wait for an upload. Other engines wait for all uploads of an attempt
 * together.
 *
 * @param maxBytes of one file; 0: none
 * @param attemptBytes of all of them together
 * @param inlined how many there are by now, in all sessions of the attempt
 */
public record InlineSettings(long maxBytes, long attemptBytes, AtomicLong inlined) {
  /** Every file is uploaded. */
  public static InlineSettings none() {
    return new InlineSettings(0, 0, new AtomicLong());
  }

  /** How long a file may be, in bytes, to be inlined, as long as no other one is given back. */
  long longest() {
    return maxBytes == 0 ? -1 : Math.min(maxBytes, attemptBytes - inlined.get());
  }

  /** Takes a file of this length, if it is small enough and there is room for it. */
  boolean take(long length) {
    return length <= longest() && inlined.addAndGet(length) >= 0;
  }

  void giveBack(long length) {
    inlined.addAndGet(-length);
  }
}
