package io.zerorename.core.upload;

import static java.util.Objects.requireNonNull;

import java.util.concurrent.atomic.AtomicLong;

/** How many bytes a task attempt may still inline. */
record InlineBudget(InlineSettings settings, AtomicLong inlinedBytes) {
  InlineBudget {
    requireNonNull(settings, "settings");
    requireNonNull(inlinedBytes, "inlinedBytes");
  }

  /** How long a file may be, in bytes, to be taken, as long as no other one is given back. */
  long longest() {
    return Math.max(0, Math.min(settings.maxBytes(), settings.attemptBytes() - inlinedBytes.get()));
  }

  /** Takes a file of this length, if it is small enough and there is room for it. */
  boolean takes(long length) {
    if (settings.maxBytes() == 0 || length > settings.maxBytes()) {
      return false;
    }
    if (inlinedBytes.addAndGet(length) > settings.attemptBytes()) {
      giveBack(length);
      return false;
    }
    return true;
  }

  void giveBack(long length) {
    inlinedBytes.addAndGet(-length);
  }
}
