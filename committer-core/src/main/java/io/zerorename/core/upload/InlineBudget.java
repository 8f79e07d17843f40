package io.zerorename.core.upload;

import static java.util.Objects.requireNonNull;

/** What a task attempt may still hand over without uploading it. */
record InlineBudget(InlineSettings settings, InlineCount handedOver) {
  InlineBudget {
    requireNonNull(settings, "settings");
    requireNonNull(handedOver, "handedOver");
  }

  /** How long a file may be, in bytes, to be taken, as long as no other one is given back. */
  long longest() {
    return Math.max(0, Math.min(settings.maxBytes(), settings.attemptBytes() - handedOver.add(0)));
  }

  /** Takes a file of this length, if it is small enough and there is room for it. */
  boolean takes(long length) {
    if (settings.maxBytes() == 0 || length > settings.maxBytes()) {
      return false;
    }
    if (handedOver.add(length) > settings.attemptBytes()) {
      giveBack(length);
      return false;
    }
    return true;
  }

  void giveBack(long length) {
    handedOver.add(-length);
  }
}
