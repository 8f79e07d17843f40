package io.zerorename.core.parallel;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.store.ObjectHead;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectSummary;
import io.zerorename.core.store.PendingUploadSummary;
import io.zerorename.core.store.Refusal;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.core.store.UploadedPart;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.CallableRaisingIOE;
import org.apache.hadoop.util.functional.InvocationRaisingIOE;

/**
 * Repeats requests to a bucket, after pauses that grow, for as long as {@link CoreKeys#RETRY_TIME}
 * says. Nothing else repeats a request, S3A's client neither. Where nothing is answered any more,
 * not each of many requests waits anew: the time counts from the first failure.
 *
 * <p>A {@link Kind#THROTTLED} or {@link Kind#EXPIRED} request had no effect, and is repeated. One
 * that is {@link Kind#AMBIGUOUS} may have had its effect:
 *
 * <ul>
 *   <li>Reads, parts, aborts, deletions and plain PUTs are repeated; a second one changes nothing.
 *       An abort that is repeated may be {@link Kind#NO_SUCH_UPLOAD}.
 *   <li>A Complete and a conditional PUT work once and are repeated. If the repeated one is
 *       refused, the first may have worked: {@link StoreException#lastAnswer} says how it was
 *       refused, and the caller, who knows the identity of the object, looks at it.
 *   <li>A Create is repeated for a caller who takes note that an upload may be there whose id is
 *       not known. For others it is sent once, whatever becomes of it.
 * </ul>
 */
public final class RetryingStore implements ObjectStore {
  private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

  private final ObjectStore store;
  private final Duration budget;
  private final Clock clock;

  /** Since when each request has failed; null where the last one has not. */
  private Duration disturbedSince;

  private Duration lastFailure;

  /**
   * @param budget for how long a request is repeated; with zero, none is
   */
  public RetryingStore(ObjectStore store, Duration budget) {
    this(store, budget, Clock::sleep);
  }

  /** With another clock. */
  public RetryingStore(ObjectStore store, Duration budget, Clock clock) {
    this.store = store;
    this.budget = budget;
    this.clock = clock;
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

  /** When and how often one request is sent again. */
  private final class Attempts {
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

  /** Sends a request whose second copy changes nothing. */
  private <T> T send(CallableRaisingIOE<T> request) throws IOException {
    return new Attempts().send(request);
  }

  /** Sends a request that takes effect once. */
  private <T> T sendOnce(CallableRaisingIOE<T> request) throws IOException {
    return new Attempts().sendOnce(request);
  }

  @Override
  public String bucket() {
    return store.bucket();
  }

  @Override
  public String createUpload(String key, Map<String, String> metadata) throws IOException {
    return store.createUpload(key, metadata);
  }

  @Override
  public String createUpload(String key, Map<String, String> metadata, InvocationRaisingIOE lost)
      throws IOException {
    return send(
        () -> {
          try {
            return store.createUpload(key, metadata);
          } catch (StoreException e) {
            if (e.kind() == Kind.AMBIGUOUS) {
              lost.apply();
            }
            throw e;
          }
        });
  }

  @Override
  public UploadedPart uploadPart(String key, String uploadId, int partNumber, RepeatableBody body)
      throws IOException {
    return send(() -> store.uploadPart(key, uploadId, partNumber, body));
  }

  @Override
  public void completeUpload(String key, String uploadId, List<UploadedPart> parts)
      throws IOException {
    sendOnce(
        () -> {
          store.completeUpload(key, uploadId, parts);
          return null;
        });
  }

  @Override
  public void completeUploadIfAbsent(String key, String uploadId, List<UploadedPart> parts)
      throws IOException {
    sendOnce(
        () -> {
          store.completeUploadIfAbsent(key, uploadId, parts);
          return null;
        });
  }

  @Override
  public void abortUpload(String key, String uploadId) throws IOException {
    send(
        () -> {
          store.abortUpload(key, uploadId);
          return null;
        });
  }

  @Override
  public boolean listsUploadsByPrefix() {
    return store.listsUploadsByPrefix();
  }

  @Override
  public List<UploadedPart> listParts(String key, String uploadId) throws IOException {
    return send(() -> store.listParts(key, uploadId));
  }

  @Override
  public String putObject(String key, RepeatableBody body, Map<String, String> metadata)
      throws IOException {
    return send(() -> store.putObject(key, body, metadata));
  }

  @Override
  public String putObjectIfAbsent(String key, RepeatableBody body, Map<String, String> metadata)
      throws IOException {
    return sendOnce(() -> store.putObjectIfAbsent(key, body, metadata));
  }

  @Override
  public Instant now() {
    return store.now();
  }

  @Override
  public byte[] getObject(String key) throws IOException {
    return send(() -> store.getObject(key));
  }

  @Override
  public Optional<ObjectHead> headObject(String key) throws IOException {
    return send(() -> store.headObject(key));
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

    /** Most calls send nothing. */
    @Override
    public boolean hasNext() throws IOException {
      try {
        return entries.hasNext();
      } catch (StoreException e) {
        Attempts attempts = new Attempts();
        attempts.pauseAfter(e);
        return attempts.send(entries::hasNext);
      }
    }

    /** What sends the request for a page is that it is asked whether it has an entry. */
    @Override
    public T next() throws IOException {
      hasNext();
      return entries.next();
    }
  }

  @Override
  public Map<String, Refusal> deleteObjects(
      Collection<String> keys, CallableRaisingIOE<Boolean> fresh) throws IOException {
    Map<String, Refusal> refused = new LinkedHashMap<>();
    Map<String, Refusal> rest = new LinkedHashMap<>();
    keys.forEach(key -> rest.put(key, Refusal.LATE));
    Attempts attempts = new Attempts();
    // Before the first request, too: this process may have slept since the comparison.
    while (fresh.apply()) {
      List<String> sent = List.copyOf(rest.keySet());
      rest.clear();
      StoreException failure;
      try {
        attempts
            .attempt(() -> store.deleteObjects(sent, fresh))
            .forEach((key, refusal) -> (refusal.passing() ? rest : refused).put(key, refusal));
        if (rest.isEmpty() || attempts.left().compareTo(Duration.ZERO) <= 0) {
          break;
        }
        failure = new StoreException(Kind.THROTTLED, rest.values().iterator().next().reason());
      } catch (StoreException e) {
        failure = e;
        sent.forEach(key -> rest.put(key, new Refusal(String.valueOf(e.getMessage()), true)));
      }
      attempts.pauseAfter(failure);
    }
    refused.putAll(rest);
    return refused;
  }
}
