package io.zerorename.core.parallel;

import java.util.concurrent.Semaphore;

/**
 * An adaptive limit of the requests in flight, as TCP's congestion window: an answer that asks for
 * fewer requests halves it, each round of good answers adds one, up to the maximum with which it
 * begins. Without it, a store that throttles for minutes refuses some requests 20 times in a row,
 * at which their commit fails.
 *
 * <p>It is halved once per round trip: answers to requests that were in flight at a halving are
 * answers to the rate before it, and so are those that follow until the last of them has ended;
 * they change nothing. Threads that wait are admitted in the order of arrival.
 */
final class ConcurrencyLimit {
  /**
   * An admitted request, which is ended by exactly one of {@link #succeeded}, {@link #throttled}
   * and {@link #ended}.
   *
   * @param number in the order of admission
   * @param round to which it belongs
   */
  record Permit(long number, long round) {}

  private static final class Slots extends Semaphore {
    Slots(int count) {
      super(count, true);
    }

    @Override
    protected void reducePermits(int reduction) {
      super.reducePermits(reduction);
    }
  }

  private final int most;
  private final Slots slots;
  private double limit;
  private int inFlight;
  private long admitted;
  private long round;

  /** The last request that was admitted before the halving of this round. */
  private long lastBeforeHalving;

  /** How many of those up to it are in flight. */
  private int draining;

  ConcurrencyLimit(int most) {
    this.most = most;
    this.limit = most;
    this.slots = new Slots(most);
  }

  /** Waits until one more request may be sent. */
  Permit acquire() throws InterruptedException {
    // Where it need not wait, an interrupt is the request's own business, whose failure names it.
    if (slots.hasQueuedThreads() || !slots.tryAcquire()) {
      slots.acquire();
    }
    synchronized (this) {
      inFlight++;
      return new Permit(++admitted, round);
    }
  }

  /** The store has executed the request. */
  synchronized void succeeded(Permit permit) {
    if (isOfThisRound(permit)) {
      adjust(Math.min(most, limit + 1 / limit));
    }
    ended(permit);
  }

  /** The store asked for fewer requests. */
  synchronized void throttled(Permit permit) {
    if (isOfThisRound(permit)) {
      // Of what was in flight: the store does not complain of a limit that was not reached.
      adjust(Math.max(1, Math.min(limit, inFlight) / 2));
      lastBeforeHalving = admitted;
      draining = inFlight;
    }
    ended(permit);
  }

  /** The request ended in a way that says nothing about the rate. */
  synchronized void ended(Permit permit) {
    inFlight--;
    if (draining > 0 && permit.number() <= lastBeforeHalving && --draining == 0) {
      round++;
    }
    slots.release();
  }

  /** Requests that may be in flight now. */
  synchronized int current() {
    return (int) limit;
  }

  private boolean isOfThisRound(Permit permit) {
    return permit.round() == round && draining == 0;
  }

  private void adjust(double changed) {
    int difference = (int) changed - (int) limit;
    limit = changed;
    if (difference > 0) {
      slots.release(difference);
    } else {
      slots.reducePermits(-difference);
    }
  }
}
