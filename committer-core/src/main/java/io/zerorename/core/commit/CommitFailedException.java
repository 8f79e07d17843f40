package io.zerorename.core.commit;

import java.io.IOException;

/** A job commit that failed before its decision: nothing is visible, and nothing was deleted. */
public final class CommitFailedException extends IOException {
  CommitFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
