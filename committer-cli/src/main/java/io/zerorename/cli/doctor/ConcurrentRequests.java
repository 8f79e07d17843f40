package io.zerorename.cli.doctor;

import io.zerorename.core.store.Failures.Step;
import io.zerorename.core.store.StoreException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** Requests that two threads send at the same moment. */
final class ConcurrentRequests {
  /** How often a store is asked: one round may not meet its gap. */
  static final int ROUNDS = 5;

  private ConcurrentRequests() {}

  /** Returns the failure of each, or empty where it succeeded. */
  static List<Optional<StoreException>> send(Step first, Step second) throws IOException {
    CyclicBarrier bothReady = new CyclicBarrier(2);
    FutureTask<Optional<StoreException>> other = new FutureTask<>(() -> send(second, bothReady));
    Thread thread = new Thread(other, "zerorename-doctor");
    thread.setDaemon(true);
    thread.start();
    try {
      return List.of(send(first, bothReady), other.get());
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException failure ? failure : new IOException(e.getCause());
    } catch (InterruptedException | BrokenBarrierException e) {
      Thread.currentThread().interrupt();
      InterruptedIOException stopped = new InterruptedIOException("interrupted");
      stopped.initCause(e);
      throw stopped;
    }
  }

  private static Optional<StoreException> send(Step request, CyclicBarrier bothReady)
      throws IOException, InterruptedException, BrokenBarrierException {
    bothReady.await();
    try {
      request.run();
      return Optional.empty();
    } catch (StoreException e) {
      return switch (e.kind()) {
        case ACCESS_DENIED, NO_CREDENTIALS -> throw e;
        default -> Optional.of(e);
      };
    }
  }
}
