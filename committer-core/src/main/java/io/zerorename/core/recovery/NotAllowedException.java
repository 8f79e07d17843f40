package io.zerorename.core.recovery;

import java.io.IOException;

/** A commit that must not be executed here, though it may be elsewhere. */
final class NotAllowedException extends IOException {
  NotAllowedException(String message) {
    super(message);
  }
}
