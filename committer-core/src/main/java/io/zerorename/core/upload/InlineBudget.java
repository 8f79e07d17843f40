package io.zerorename.core.upload;

import static java.util.Objects.requireNonNull;

import java.util.concurrent.atomic.AtomicLong;

/** What a task attempt may still hand over without uploading it. */
final class InlineBudget {
  private final InlineSettings settings;
  private final AtomicLong taken = new AtomicLong();

  InlineBudget(InlineSettings settings) {
    this.settings = requireNonNull(settings, "settings");
  }

  /** Takes a file of this length, if it is small enough and there is room for it. */
  boolean takes(long length) {
    if (settings.maxBytes() == 0 || length > settings.maxBytes()) {
      return false;
    }
    if (taken.addAndGet(length) > settings.attemptBytes()) {
      taken.addAndGet(-length);
      return false;
    }
    return true;
  }

  void giveBack(long length) {
    taken.addAndGet(-length);
  }
}
