package io.zerorename.core.upload;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicReference;

/** Whether and why no further request of an upload is sent. Several threads may stop it. */
final class UploadStop {
  private final AtomicReference<Throwable> first = new AtomicReference<>();
  private volatile boolean stopped;

  /** Nobody wants the upload any more. */
  void giveUp() {
    stopped = true;
  }

  /** One of its requests has failed; later ones fail because of the first. */
  void because(Throwable failure) {
    first.compareAndSet(null, failure);
    stopped = true;
  }

  boolean isStopped() {
    return stopped;
  }

  /** What failed first: requests end in any order. */
  IOException reason() {
    Throwable failure = first.get();
    if (failure == null) {
      return new IOException("the upload was given up");
    }
    return failure instanceof IOException known
        ? known
        : new IOException("unexpected: " + failure, failure);
  }

  void check() throws IOException {
    if (stopped) {
      throw reason();
    }
  }
}
