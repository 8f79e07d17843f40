package io.zerorename.core.parallel;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.StoreException.Kind;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.hadoop.util.functional.CallableRaisingIOE;

/** When and how often a request to a bucket is sent again. */
final class Retries {
  private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

  private final ObjectStore store;
  private final Duration budget;
  private final RetryingStore.Clock clock;

  /** Since when each request has failed; null where the last one has not. */
  private Duration disturbedSince;

  private Duration lastFailure;

  Retries(ObjectStore store, Duration budget, RetryingStore.Clock clock) {
    this.store = store;
    this.budget = budget;
    this.clock = clock;
  }

  Attempts attempts() {
    return new Attempts();
  }

  /**
   * @param begun when the request was first sent, which may have hung since
   */
  private synchronized void noteFailure(Duration begun) {
    Duration now = clock.now();
    if (disturbedSince == null || begun.minus(lastFailure).compareTo(budget) > 0) {
      disturbedSince = now;
    }
    lastFailure = now;
  }

  private synchronized void noteAnswer() {
    disturbedSince = null;
  }

  /** Since when a request has failed, or the store. */
  private synchronized Duration failingSince(Duration since) {
    return disturbedSince != null && disturbedSince.compareTo(since) < 0 ? disturbedSince : since;
  }

  final class Attempts {
    private final Duration begun = clock.now();

    /** Since when its time counts. */
    private Duration since = begun;

    private int count;

    /** Whether one of them may have had its effect although it has failed. */
    private boolean lost;

    /**
     * A request whose second copy changes nothing. Its time counts from its first failure, as S3A
     * may wait for an answer that never comes for longer than that time: by default for 200
     * seconds.
     */
    <T> T send(CallableRaisingIOE<T> request) throws IOException {
      try {
        return attempt(request);
      } catch (StoreException e) {
        if (count == 0) {
          since = clock.now();
        }
        pauseAfter(e);
        return repeat(request);
      }
    }

    private <T> T repeat(CallableRaisingIOE<T> request) throws IOException {
      while (true) {
        try {
          return attempt(request);
        } catch (StoreException e) {
          pauseAfter(e);
        }
      }
    }

    /**
     * A request that takes effect once, however often it is sent. Its time counts from its begin:
     * others wait for a Complete that long.
     */
    <T> T sendOnce(CallableRaisingIOE<T> request) throws IOException {
      try {
        return repeat(request);
      } catch (StoreException e) {
        throw lost && e.kind() != Kind.AMBIGUOUS
            ? new StoreException(Kind.AMBIGUOUS, e.getMessage(), e)
            : e;
      }
    }

    /** Sends it once. */
    <T> T attempt(CallableRaisingIOE<T> request) throws IOException {
      try {
        T result = request.apply();
        noteAnswer();
        return result;
      } catch (StoreException e) {
        if (e.isPassing()) {
          noteFailure(begun);
        } else {
          noteAnswer();
        }
        throw e;
      }
    }

    boolean haveTime() {
      return left().compareTo(Duration.ZERO) > 0;
    }

    private Duration left() {
      return budget.minus(clock.now().minus(failingSince(since)));
    }

    /**
     * Lets time pass before the next attempt, of random length, so that those that failed together
     * do not come again together.
     *
     * @throws StoreException the failure, where there is no next attempt
     */
    void pauseAfter(StoreException failure) throws IOException {
      count++;
      lost |= failure.kind() == Kind.AMBIGUOUS;
      if (!failure.isPassing()) {
        throw failure;
      }
      long left = left().toMillis();
      if (left <= 0) {
        throw count == 1 ? failure : exhausted(failure);
      }
      long longest = FIRST_PAUSE.toMillis() << Math.min(count - 1, 20);
      longest = Math.min(longest, LONGEST_PAUSE.toMillis());
      long length = ThreadLocalRandom.current().nextLong(longest / 2, longest + 1);
      clock.pause(
          Duration.ofMillis(Math.min(length, left)), "Interrupted before a request was sent again");
    }

    private StoreException exhausted(StoreException last) {
      if (last.kind() == Kind.EXPIRED) {
        return last;
      }
      long seconds = clock.now().minus(begun).toSeconds();
      if (last.kind() == Kind.THROTTLED) {
        return new StoreException(
            Kind.THROTTLED,
            ("ZR-4201: The bucket %s takes too few requests: one was refused %s times in %s"
                    + " seconds. Find out who else sends many requests to it, or lower %s; S3 also"
                    + " takes more by and by where a load goes on. The last answer: %s")
                .formatted(
                    store.bucket(),
                    count,
                    seconds,
                    CoreKeys.COMMIT_THREADS.name(),
                    last.getMessage()),
            last);
      }
      return new StoreException(
          Kind.AMBIGUOUS,
          ("ZR-4210: A request to the bucket %s was sent %s times in %s seconds, as long as %s"
                  + " says, without an answer that shows its outcome. Find out whether the store or"
                  + " the network to it is disturbed. The last answer: %s")
              .formatted(
                  store.bucket(), count, seconds, CoreKeys.RETRY_TIME.name(), last.getMessage()),
          last);
    }
  }
}
