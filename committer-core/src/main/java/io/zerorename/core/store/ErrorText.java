package io.zerorename.core.store;

import java.io.IOException;
import java.io.UncheckedIOException;

/** A failure as a sentence of a longer message. */
public final class ErrorText {
  private ErrorText() {}

  /** Its message with a full stop, or its name where it has none. */
  public static String of(Exception cause) {
    Exception told = cause instanceof UncheckedIOException wrapper ? wrapper.getCause() : cause;
    String message = told instanceof IOException ? told.getMessage() : told.toString();
    String text = message == null ? told.toString() : message.strip();
    return text.endsWith(".") ? text : text + ".";
  }
}
