package io.zerorename.hive;

/** Hive has no such table or database, or cannot be asked. The message is one line. */
public final class TableLookupException extends Exception {
  private static final long serialVersionUID = 1L;

  TableLookupException(String message, Throwable cause) {
    super(message, cause);
  }
}
