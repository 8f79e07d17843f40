package io.zerorename.cli.doctor;

import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.StoreException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Phaser;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** Requests that two threads send at the same moment. */
final class ConcurrentRequests {
  /** So often a store is asked: one round may not meet its gap. */
  static final int ROUNDS = 5;

  @FunctionalInterface
  interface Request {
    void send() throws IOException;
  }

  private ConcurrentRequests() {}

  /** Returns the failure of each, or empty where it succeeded. */
  static List<Optional<StoreException>> send(Request first, Request second) throws IOException {
    List<Request> requests = List.of(first, second);
    AtomicReferenceArray<StoreException> failures = new AtomicReferenceArray<>(2);
    Phaser bothReady = new Phaser(2);
    try (Workers workers = new Workers(2)) {
      workers.forEach(
          List.of(0, 1),
          i -> {
            bothReady.arriveAndAwaitAdvance();
            try {
              requests.get(i).send();
            } catch (StoreException e) {
              if (e.kind() == StoreException.Kind.ACCESS_DENIED) {
                throw e;
              }
              failures.set(i, e);
            }
          });
    }
    return List.of(Optional.ofNullable(failures.get(0)), Optional.ofNullable(failures.get(1)));
  }
}
