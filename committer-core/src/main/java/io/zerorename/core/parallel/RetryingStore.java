package io.zerorename.core.parallel;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.store.ForwardingStore;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectSummary;
import io.zerorename.core.store.PendingUploadSummary;
import io.zerorename.core.store.Refusal;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.core.store.UploadedPart;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;
import org.apache.hadoop.fs.RemoteIterator;

/**
 * Repeats requests to a bucket, after pauses that grow, for as long as {@link CoreKeys#RETRY_TIME}
 * says, and has {@linkplain ConcurrencyLimit no more in flight} than the bucket takes. Nothing else
 * repeats a request whose answer it has not understood. Where nothing is answered any more, not
 * each of many requests waits anew: the time counts from the first failure.
 *
 * <p>A {@link Kind#THROTTLED} request had no effect, and is repeated whatever it is. One that is
 * {@link Kind#AMBIGUOUS} may have had its effect:
 *
 * <ul>
 *   <li>Reads, parts, aborts, deletions and plain PUTs are repeated; a second one changes nothing.
 *       An abort that is repeated may be {@link Kind#NO_SUCH_UPLOAD}.
 *   <li>A Complete works once and is repeated. If the repeated one is refused, the first may have
 *       worked: {@link StoreException#lastAnswer} says how it was refused, and the caller, who
 *       knows the identity of the object, looks at it.
 *   <li>A conditional PUT is repeated. If an object is there then, it is read: with the bytes or
 *       the metadata of this request it is the request's own.
 *   <li>A Create is repeated for a caller who takes note that an upload may be there whose id is
 *       not known, and for no other.
 * </ul>
 */
public final class RetryingStore extends ForwardingStore {
  private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

  /** Callers have far fewer threads; the limit is found by halving what is in flight. */
  private static final int MOST_IN_FLIGHT = 1024;

  /** What time is, and how to let it pass. */
  public interface Clock {
    Clock SYSTEM = () -> Duration.ofNanos(System.nanoTime());

    /** Since some moment. */
    Duration now();

    default void pause(Duration duration, String interrupted) throws InterruptedIOException {
      Pauses.pause(duration, interrupted);
    }
  }

  private final Duration budget;
  private final Clock clock;
  private final ConcurrencyLimit limit;

  /** Since when each request has failed; null where the last one has not. */
  private Duration disturbedSince;

  private Duration lastFailure;

  /**
   * @param budget for how long a request is repeated; with zero, none is
   */
  public RetryingStore(ObjectStore store, Duration budget) {
    this(store, budget, Clock.SYSTEM);
  }

  /** With another clock. */
  public RetryingStore(ObjectStore store, Duration budget, Clock clock) {
    this(store, budget, clock, new ConcurrencyLimit(MOST_IN_FLIGHT));
  }

  RetryingStore(ObjectStore store, Duration budget, Clock clock, ConcurrencyLimit limit) {
    super(store);
    this.budget = requireNonNull(budget, "budget");
    this.clock = requireNonNull(clock, "clock");
    this.limit = requireNonNull(limit, "limit");
  }

  @Override
  protected <T> T send(RequestType type, Request<T> request) throws IOException {
    return new Attempts().send(request);
  }

  @Override
  public String createUpload(String key, Map<String, String> metadata) throws IOException {
    return new Attempts()
        .send(() -> store.createUpload(key, metadata), e -> e.kind() == Kind.THROTTLED);
  }

  @Override
  public String createUpload(String key, Map<String, String> metadata, LostAnswer lost)
      throws IOException {
    return new Attempts()
        .send(
            () -> {
              try {
                return store.createUpload(key, metadata);
              } catch (StoreException e) {
                if (e.kind() == Kind.AMBIGUOUS) {
                  lost.note();
                }
                throw e;
              }
            });
  }

  @Override
  public String completeUpload(String key, String uploadId, List<UploadedPart> parts)
      throws IOException {
    return new Attempts().sendOnce(() -> store.completeUpload(key, uploadId, parts));
  }

  @Override
  public String completeUploadIfAbsent(String key, String uploadId, List<UploadedPart> parts)
      throws IOException {
    return new Attempts().sendOnce(() -> store.completeUploadIfAbsent(key, uploadId, parts));
  }

  @Override
  public String putObjectIfAbsent(String key, RepeatableBody body, Map<String, String> metadata)
      throws IOException {
    try {
      return new Attempts().sendOnce(() -> store.putObjectIfAbsent(key, body, metadata));
    } catch (StoreException e) {
      return LostPut.etag(this, key, body, metadata, e);
    }
  }

  @Override
  public RemoteIterator<ObjectSummary> listObjects(String prefix) throws IOException {
    return new RepeatedPages<>(store.listObjects(prefix));
  }

  @Override
  public RemoteIterator<PendingUploadSummary> listUploads(String prefix) throws IOException {
    return new RepeatedPages<>(store.listUploads(prefix));
  }

  /** A listing whose pages are asked for again: one that has failed has changed nothing. */
  private final class RepeatedPages<T> implements RemoteIterator<T> {
    private final RemoteIterator<T> entries;

    RepeatedPages(RemoteIterator<T> entries) {
      this.entries = entries;
    }

    @Override
    public boolean hasNext() throws IOException {
      return page(entries::hasNext);
    }

    @Override
    public T next() throws IOException {
      return page(entries::next);
    }

    /** Most calls send nothing. */
    private <R> R page(Request<R> request) throws IOException {
      try {
        return request.send();
      } catch (StoreException e) {
        Attempts attempts = new Attempts();
        attempts.pauseAfter(e, e.isPassing());
        return attempts.send(request);
      }
    }
  }

  @Override
  public Map<String, Refusal> deleteObjects(Collection<String> keys) throws IOException {
    return deleteObjects(keys, () -> true);
  }

  @Override
  public Map<String, Refusal> deleteObjects(Collection<String> keys, Condition fresh)
      throws IOException {
    Map<String, Refusal> refused = new LinkedHashMap<>();
    Attempts attempts = new Attempts();
    List<String> rest = List.copyOf(keys);
    while (true) {
      List<String> sent = rest;
      Map<String, Refusal> left = new LinkedHashMap<>();
      StoreException failure;
      try {
        attempts
            .sendLimited(() -> store.deleteObjects(sent))
            .forEach((key, refusal) -> (refusal.passing() ? left : refused).put(key, refusal));
        if (left.isEmpty()) {
          return refused;
        }
        if (!attempts.haveTime()) {
          refused.putAll(left);
          return refused;
        }
        failure = new StoreException(Kind.THROTTLED, left.values().iterator().next().reason());
      } catch (StoreException e) {
        failure = e;
        sent.forEach(key -> left.put(key, new Refusal(String.valueOf(e.getMessage()), true)));
      }
      attempts.pauseAfter(failure, failure.isPassing());
      if (!fresh.holds()) {
        refused.putAll(left);
        return refused;
      }
      rest = List.copyOf(left.keySet());
    }
  }

  private synchronized void noteFailure() {
    Duration now = clock.now();
    if (disturbedSince == null || now.minus(lastFailure).compareTo(budget) > 0) {
      disturbedSince = now;
    }
    lastFailure = now;
  }

  private synchronized void noteAnswer() {
    disturbedSince = null;
  }

  /** Since when a request has failed, or the store. */
  private synchronized Duration failingSince(Duration begun) {
    return disturbedSince != null && disturbedSince.compareTo(begun) < 0 ? disturbedSince : begun;
  }

  /** The attempts of one request. */
  private final class Attempts {
    private final Duration begun = clock.now();
    private int count;

    /** Whether one of them may have had its effect although it has failed. */
    private boolean lost;

    /** A request whose second copy changes nothing. */
    <T> T send(Request<T> request) throws IOException {
      return send(request, StoreException::isPassing);
    }

    /**
     * @param again after which failures a second copy may be sent
     */
    <T> T send(Request<T> request, Predicate<StoreException> again) throws IOException {
      while (true) {
        try {
          return sendLimited(request);
        } catch (StoreException e) {
          pauseAfter(e, again.test(e));
        }
      }
    }

    /** A request that takes effect once, however often it is sent. */
    <T> T sendOnce(Request<T> request) throws IOException {
      try {
        return send(request);
      } catch (StoreException e) {
        throw lost && e.kind() != Kind.AMBIGUOUS ? StoreException.afterLostAnswer(e) : e;
      }
    }

    private <T> T sendLimited(Request<T> request) throws IOException {
      ConcurrencyLimit.Permit permit = acquire();
      long before = store.throttledAnswers();
      boolean throttled = false;
      boolean done = false;
      try {
        T result = request.send();
        done = true;
        noteAnswer();
        return result;
      } catch (StoreException e) {
        throttled = e.kind() == Kind.THROTTLED;
        if (e.isPassing()) {
          noteFailure();
        } else {
          noteAnswer();
        }
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

    boolean haveTime() {
      return left().compareTo(Duration.ZERO) > 0;
    }

    private Duration left() {
      return budget.minus(clock.now().minus(failingSince(begun)));
    }

    /**
     * Lets time pass before the next attempt, of random length, so that those that failed together
     * do not come again together.
     *
     * @throws StoreException the failure, where there is no next attempt
     */
    void pauseAfter(StoreException failure, boolean again) throws IOException {
      count++;
      lost |= failure.kind() == Kind.AMBIGUOUS;
      if (!again) {
        throw failure;
      }
      if (!haveTime()) {
        throw count == 1 ? failure : exhausted(failure);
      }
      long longest = FIRST_PAUSE.toMillis() << Math.min(count - 1, 20);
      longest = Math.min(longest, LONGEST_PAUSE.toMillis());
      long length = ThreadLocalRandom.current().nextLong(longest / 2, longest + 1);
      clock.pause(
          Duration.ofMillis(Math.min(length, left().toMillis())),
          "Interrupted before a request was sent again");
    }

    private StoreException exhausted(StoreException last) {
      long seconds = clock.now().minus(begun).toSeconds();
      if (last.kind() == Kind.THROTTLED) {
        return new StoreException(
            Kind.THROTTLED,
            ("ZR-4201: The bucket %s takes too few requests: one was refused %s times in %s"
                    + " seconds, though no more than %s are in flight by now. Find out who else sends"
                    + " many requests to it, or lower %s; S3 also takes more by and by where a load"
                    + " goes on. The last answer: %s")
                .formatted(
                    bucket(),
                    count,
                    seconds,
                    limit.current(),
                    CoreKeys.COMMIT_THREADS.name(),
                    last.getMessage()),
            last);
      }
      return new StoreException(
          Kind.AMBIGUOUS,
          ("ZR-4210: A request to the bucket %s was sent %s times in %s seconds, as long as %s"
                  + " says, without an answer that shows its outcome. Find out whether the store or"
                  + " the network to it is disturbed. The last answer: %s")
              .formatted(bucket(), count, seconds, CoreKeys.RETRY_TIME.name(), last.getMessage()),
          last);
    }
  }
}
