package io.zerorename.core.parallel;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.StoreException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.hadoop.util.functional.CallableRaisingIOE;

/**
 * Sends requests to one bucket as fast as it takes them: {@linkplain ConcurrencyLimit so many at
 * once}, and again after a pause where it asks for fewer. Only requests that surely had no effect
 * are sent again here.
 *
 * @param firstPause before a request is sent again, at most; each further one may be twice as long
 */
record RetryPolicy(ConcurrencyLimit limit, Duration firstPause, Clock clock) {
  static final int ATTEMPTS = 20;

  /** After which no request is begun again, however few attempts it had. */
  static final Duration LIMIT = Duration.ofMinutes(2);

  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

  /** What time is, and how to let it pass. */
  interface Clock {
    Clock SYSTEM = () -> Duration.ofNanos(System.nanoTime());

    /** Since some moment. */
    Duration now();

    default void pause(Duration duration, String interrupted) throws InterruptedIOException {
      Pauses.pause(duration, interrupted);
    }
  }

  RetryPolicy {
    requireNonNull(limit, "limit");
    requireNonNull(firstPause, "firstPause");
    requireNonNull(clock, "clock");
  }

  /**
   * Sends a request.
   *
   * @throws StoreException of the kind {@link StoreException.Kind#THROTTLED} where the store asks
   *     for fewer requests for minutes
   * @throws InterruptedIOException where the thread was interrupted while it waited
   */
  <T> T send(ObjectStore store, CallableRaisingIOE<T> request) throws IOException {
    Duration begun = clock.now();
    for (int attempt = 1; ; attempt++) {
      try {
        return sendOnce(store, request);
      } catch (StoreException e) {
        if (e.kind() != StoreException.Kind.THROTTLED) {
          throw e;
        }
        Duration passed = clock.now().minus(begun);
        if (attempt == ATTEMPTS || passed.compareTo(LIMIT) >= 0) {
          throw tooMuch(store, attempt, passed, e);
        }
      }
      pause(attempt);
    }
  }

  private <T> T sendOnce(ObjectStore store, CallableRaisingIOE<T> request) throws IOException {
    ConcurrencyLimit.Permit permit = acquire();
    long before = store.throttledAnswers();
    boolean throttled = false;
    boolean done = false;
    try {
      T result = request.apply();
      done = true;
      return result;
    } catch (StoreException e) {
      throttled = e.kind() == StoreException.Kind.THROTTLED;
      throw e;
    } finally {
      // The store's client may have sent the request again by itself until it was taken.
      if (throttled || store.throttledAnswers() != before) {
        limit.throttled(permit);
      } else if (done) {
        limit.succeeded(permit);
      } else {
        limit.ended(permit);
      }
    }
  }

  private ConcurrencyLimit.Permit acquire() throws InterruptedIOException {
    try {
      return limit.acquire();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("Interrupted before a request was sent");
    }
  }

  /** Of random length, so that those that were refused together do not come again together. */
  private void pause(int attempt) throws InterruptedIOException {
    long longest = firstPause.toMillis() << Math.min(attempt - 1, 20);
    longest = Math.min(longest, LONGEST_PAUSE.toMillis());
    long length = ThreadLocalRandom.current().nextLong(longest / 2, longest + 1);
    clock.pause(Duration.ofMillis(length), "Interrupted before a throttled request was sent again");
  }

  private StoreException tooMuch(
      ObjectStore store, int attempts, Duration passed, StoreException last) {
    return new StoreException(
        StoreException.Kind.THROTTLED,
        ("ZR-4201: The bucket %s takes too few requests: one was refused %s times in %s seconds,"
                + " though no more than %s are in flight by now. Find out who else sends many"
                + " requests to it, or lower %s; S3 also takes more by and by where a load goes on."
                + " The last answer: %s")
            .formatted(
                store.bucket(),
                attempts,
                passed.toSeconds(),
                limit.current(),
                CoreKeys.COMMIT_THREADS.name(),
                last.getMessage()),
        last);
  }
}
