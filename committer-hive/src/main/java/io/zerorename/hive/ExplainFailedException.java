package io.zerorename.hive;

/**
 * Hive does not understand a statement, has no such table, or cannot be asked. The message is one
 * line.
 */
public final class ExplainFailedException extends Exception {
  private static final long serialVersionUID = 1L;

  ExplainFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
