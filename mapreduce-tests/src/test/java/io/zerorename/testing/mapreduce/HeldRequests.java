package io.zerorename.testing.mapreduce;

import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.S3Request;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/**
 * Stops a client in the middle of its work: from the n-th matching request on none gets through,
 * and none is answered until {@link #drop}.
 */
final class HeldRequests implements FaultRule {
  private final Predicate<S3Request> which;
  private final int from;
  private final AtomicInteger seen = new AtomicInteger();
  private final CountDownLatch reached = new CountDownLatch(1);
  private final CountDownLatch dropped = new CountDownLatch(1);

  HeldRequests(int from, Predicate<S3Request> which) {
    this.from = from;
    this.which = which;
  }

  @Override
  public Optional<Fault> on(S3Request request) {
    if (dropped.getCount() == 0 || !which.test(request) || seen.incrementAndGet() < from) {
      return Optional.empty();
    }
    reached.countDown();
    try {
      dropped.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return Optional.of(Fault.cutBeforeForwarding());
  }

  /** Returns when the first request is held. */
  void awaitFirst() throws InterruptedException {
    if (!reached.await(2, TimeUnit.MINUTES)) {
      throw new AssertionError("no request came that was to be held; " + seen + " matched");
    }
  }

  /** Throws away what is held. Later requests pass. */
  void drop() {
    dropped.countDown();
  }
}
