package io.zerorename.cli.command;

/**
 * The user's input is wrong. The message is all that the user sees: what is wrong, and what to type
 * instead.
 */
public final class InputException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public InputException(String message) {
    super(message);
  }

  public InputException(String message, Throwable cause) {
    super(message, cause);
  }
}
