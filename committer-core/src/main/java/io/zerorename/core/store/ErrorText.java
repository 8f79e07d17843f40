package io.zerorename.core.store;

import java.io.IOException;

/** A failure as a sentence of a longer message. */
public final class ErrorText {
  private ErrorText() {}

  /** Its message with a full stop, or its name where it has none. */
  public static String of(Exception cause) {
    String message = cause instanceof IOException ? cause.getMessage() : null;
    String text = message == null ? cause.toString() : message.strip();
    return text.endsWith(".") ? text : text + ".";
  }
}
