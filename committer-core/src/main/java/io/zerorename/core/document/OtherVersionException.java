package io.zerorename.core.document;

/** A file that another release of the committer has written; that one can read it. */
public final class OtherVersionException extends MalformedDocumentException {
  OtherVersionException(String message) {
    super(message);
  }
}
