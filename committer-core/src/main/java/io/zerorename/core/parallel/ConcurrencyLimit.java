package io.zerorename.core.parallel;

import java.io.InterruptedIOException;
import java.util.concurrent.Semaphore;

/**
 * An adaptive limit of the requests in flight, as TCP's congestion window: an answer that asks for
 * fewer requests halves it, each round of good answers adds one, up to the maximum with which it
 * begins. Without it, a store that throttles for minutes refuses some requests 20 times in a row,
 * at which their commit fails.
 *
 * <p>It is halved once per round: answers to requests that were admitted before a halving are
 * answers to the rate before it, and change nothing. Threads that wait are admitted in the order of
 * arrival.
 */
final class ConcurrencyLimit {
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

  /** How often it was halved. */
  private int round;

  ConcurrencyLimit(int most) {
    this.most = most;
    this.limit = most;
    this.slots = new Slots(most);
  }

  /**
   * Waits until one more request may be sent, which exactly one of {@link #succeeded}, {@link
   * #throttled} and {@link #ended} ends.
   *
   * @return the round to which it belongs
   */
  int acquire() throws InterruptedIOException {
    // Where it need not wait, an interrupt is the request's own business, whose failure names it.
    if (slots.hasQueuedThreads() || !slots.tryAcquire()) {
      try {
        slots.acquire();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("Interrupted before a request was sent");
      }
    }
    synchronized (this) {
      inFlight++;
      return round;
    }
  }

  /** The store has executed a request of that round. */
  synchronized void succeeded(int ofRound) {
    if (ofRound == round) {
      adjust(Math.min(most, limit + 1 / limit));
    }
    ended();
  }

  /** The store asked for fewer requests. */
  synchronized void throttled(int ofRound) {
    if (ofRound == round) {
      // Of what was in flight: the store does not complain of a limit that was not reached.
      adjust(Math.max(1, Math.min(limit, inFlight) / 2));
      round++;
    }
    ended();
  }

  /** The request ended in a way that says nothing about the rate. */
  synchronized void ended() {
    inFlight--;
    slots.release();
  }

  /** Requests that may be in flight now. */
  synchronized int current() {
    return (int) limit;
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
