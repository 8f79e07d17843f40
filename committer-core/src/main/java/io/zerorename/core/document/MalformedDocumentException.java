package io.zerorename.core.document;

import java.io.IOException;

/** A manifest, or another file of the committer, that cannot be what the committer wrote. */
public sealed class MalformedDocumentException extends IOException permits OtherVersionException {
  public MalformedDocumentException(String message) {
    super(message);
  }

  MalformedDocumentException(String message, Throwable cause) {
    super(message, cause);
  }
}
