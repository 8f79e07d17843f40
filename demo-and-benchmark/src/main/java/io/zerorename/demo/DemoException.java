package io.zerorename.demo;

/** The demo cannot go on; the message says what happened, why, and what to do. */
final class DemoException extends Exception {
  private static final long serialVersionUID = 1L;

  DemoException(String message, Throwable cause) {
    super(message, cause);
  }
}
