package io.zerorename.testing.hive;

/** A statement that Hive refused or could not finish, with what Hive said. */
public final class StatementFailedException extends Exception {
  private static final long serialVersionUID = 1L;

  StatementFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
