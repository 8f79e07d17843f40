package io.zerorename.core.parallel;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * How many requests may be in flight at once, found by trying, as TCP finds its window: an answer
 * that asks for less halves it, and each round of good answers adds one again, up to a maximum with
 * which it begins.
 *
 * <p>It is halved once per round trip: until the last request has ended that was in flight at a
 * halving, the store still answers to the rate before it, so that requests begun until then neither
 * halve nor add again. Who waits is let in in the order of arrival.
 */
final class ConcurrencyLimit {

  /**
   * A request that was let in; to be given back by exactly one of {@link #succeeded}, {@link
   * #throttled} and {@link #ended}.
   *
   * @param number in the order in which they were let in
   * @param round to which it belongs
   */
  record Permit(long number, long round) {}

  private final int most;
  private final ReentrantLock lock = new ReentrantLock();
  private final Deque<Condition> waiting = new ArrayDeque<>();
  private double limit;
  private int inFlight;
  private long letIn;
  private long round;

  /** The last one that was let in before the halving of this round; 0 before there was one. */
  private long lastBefore;

  /** How many of those are in flight. */
  private int toDrain;

  ConcurrencyLimit(int most) {
    this.most = most;
    this.limit = most;
  }

  /** Waits until one more request may be sent. */
  Permit acquire() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      if (!waiting.isEmpty() || inFlight >= current()) {
        awaitTurn();
      }
      inFlight++;
      callNext();
      return new Permit(++letIn, round);
    } finally {
      lock.unlock();
    }
  }

  private void awaitTurn() throws InterruptedException {
    Condition turn = lock.newCondition();
    waiting.add(turn);
    try {
      do {
        turn.await();
      } while (waiting.peek() != turn || inFlight >= current());
    } finally {
      waiting.remove(turn);
      // After an interrupt the call to come in may have been for this one.
      callNext();
    }
  }

  /** The store did what was asked. */
  void succeeded(Permit permit) {
    leave(permit, () -> limit = Math.min(most, limit + 1 / limit));
  }

  /** The store asked for fewer requests. */
  void throttled(Permit permit) {
    leave(
        permit,
        () -> {
          // Of what was in flight: a limit that was not reached is not what the store complains of.
          limit = Math.max(1, Math.min(limit, inFlight) / 2);
          lastBefore = letIn;
          toDrain = inFlight;
        });
  }

  /** The request ended in a way that says nothing about the rate. */
  void ended(Permit permit) {
    leave(permit, () -> {});
  }

  /** Requests that may be in flight now. */
  int current() {
    lock.lock();
    try {
      return (int) limit;
    } finally {
      lock.unlock();
    }
  }

  /**
   * @param adjust sets the limit, unless the answer is still one to the rate before a halving
   */
  private void leave(Permit permit, Runnable adjust) {
    lock.lock();
    try {
      if (permit.round() == round && toDrain == 0) {
        adjust.run();
      }
      inFlight--;
      if (toDrain > 0 && permit.number() <= lastBefore && --toDrain == 0) {
        round++;
      }
      callNext();
    } finally {
      lock.unlock();
    }
  }

  private void callNext() {
    if (!waiting.isEmpty() && inFlight < (int) limit) {
      waiting.peek().signal();
    }
  }
}
