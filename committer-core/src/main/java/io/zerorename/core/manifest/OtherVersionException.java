package io.zerorename.core.manifest;

/** A file that another release of the committer has written; that one can read it. */
public final class OtherVersionException extends MalformedManifestException {
  OtherVersionException(String message) {
    super(message, null);
  }
}
