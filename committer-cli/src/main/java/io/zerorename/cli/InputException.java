package io.zerorename.cli;

/**
 * The user's input is wrong. The message is all that the user sees: what is wrong, and what to type
 * instead.
 */
final class InputException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  InputException(String message) {
    super(message);
  }

  InputException(String message, Throwable cause) {
    super(message, cause);
  }
}
