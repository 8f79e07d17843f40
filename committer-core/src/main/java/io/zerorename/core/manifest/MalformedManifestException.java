package io.zerorename.core.manifest;

import java.io.IOException;

/** A manifest, or another file of the committer, that cannot be what the committer wrote. */
public sealed class MalformedManifestException extends IOException permits OtherVersionException {
  public MalformedManifestException(String message, Throwable cause) {
    super(message, cause);
  }
}
