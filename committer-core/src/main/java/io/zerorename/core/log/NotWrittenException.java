package io.zerorename.core.log;

import java.io.IOException;

/** A record was not written, and no request is under way that could still write it. */
public final class NotWrittenException extends IOException {
  public NotWrittenException(IOException cause) {
    super(cause.getMessage(), cause);
  }
}
