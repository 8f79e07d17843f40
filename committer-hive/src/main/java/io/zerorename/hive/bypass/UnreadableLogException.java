package io.zerorename.hive.bypass;

import java.io.IOException;

/** A statement that removes rows must not run, because a commit log cannot be read. */
public final class UnreadableLogException extends IOException {
  private static final long serialVersionUID = 1L;

  UnreadableLogException(String message, Throwable cause) {
    super(message, cause);
  }
}
