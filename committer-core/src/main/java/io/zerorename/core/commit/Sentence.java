package io.zerorename.core.commit;

import java.io.IOException;

/** A failure as a sentence of a longer message. */
final class Sentence {
  private Sentence() {}

  static String of(Exception cause) {
    String message = cause instanceof IOException ? cause.getMessage() : cause.toString();
    String text = message == null ? cause.toString() : message.strip();
    return text.endsWith(".") ? text : text + ".";
  }
}
