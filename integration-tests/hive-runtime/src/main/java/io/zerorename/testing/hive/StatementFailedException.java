package io.zerorename.testing.hive;

/** A statement that Hive or Spark refused or could not finish, with what it said. */
public final class StatementFailedException extends Exception {
  private static final long serialVersionUID = 1L;

  public StatementFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
