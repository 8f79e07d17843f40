package io.zerorename.testing.s3server;

import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/**
 * Stops a client in the middle of its work: from the n-th matching request on none gets through,
 * and none is answered until {@link #drop} or {@link #pass}.
 */
public final class HeldRequests implements FaultRule {
  private final Predicate<S3Request> which;
  private final int from;
  private final int to;
  private final AtomicInteger seen = new AtomicInteger();
  private final CountDownLatch reached = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile Optional<Fault> fate = Optional.empty();

  public HeldRequests(int from, Predicate<S3Request> which) {
    this(from, Integer.MAX_VALUE, which);
  }

  private HeldRequests(int from, int to, Predicate<S3Request> which) {
    this.from = from;
    this.to = to;
    this.which = which;
  }

  /** Holds the n-th matching request, and lets those after it pass, which another client sends. */
  public static HeldRequests onlyNth(int n, Predicate<S3Request> which) {
    return new HeldRequests(n, n, which);
  }

  @Override
  public Optional<Fault> on(S3Request request) {
    if (ended.getCount() == 0 || !which.test(request)) {
      return Optional.empty();
    }
    int number = seen.incrementAndGet();
    if (number < from || number > to) {
      return Optional.empty();
    }
    reached.countDown();
    try {
      ended.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return fate;
  }

  /** Returns when the first request is held. */
  public void awaitFirst() throws InterruptedException {
    if (!reached.await(2, TimeUnit.MINUTES)) {
      throw new AssertionError("no request came that was to be held; " + seen + " matched");
    }
  }

  /** How many matching requests have come. */
  public int seen() {
    return seen.get();
  }

  /** Throws away what is held. Later requests pass. */
  public void drop() {
    fate = Optional.of(Fault.cutBeforeForwarding());
    ended.countDown();
  }

  /** Lets what is held go on to the server. Later requests pass too. */
  public void pass() {
    ended.countDown();
  }
}
