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
import java.io.InterruptedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
  /** What time is, and how to let it pass. */
  public interface Clock {
    Clock SYSTEM = () -> Duration.ofNanos(System.nanoTime());

    /** Since some moment. */
    Duration now();

    default void pause(Duration duration, String interrupted) throws InterruptedIOException {
      Pauses.pause(duration, interrupted);
    }
  }

  private final ObjectStore store;
  private final Retries retries;

  /**
   * @param budget for how long a request is repeated; with zero, none is
   */
  public RetryingStore(ObjectStore store, Duration budget) {
    this(store, budget, Clock.SYSTEM);
  }

  /** With another clock. */
  public RetryingStore(ObjectStore store, Duration budget, Clock clock) {
    this.store = store;
    this.retries = new Retries(store, budget, clock);
  }

  /** Sends a request whose second copy changes nothing. */
  private <T> T send(CallableRaisingIOE<T> request) throws IOException {
    return retries.attempts().send(request);
  }

  /** Sends a request that takes effect once. */
  private <T> T sendOnce(CallableRaisingIOE<T> request) throws IOException {
    return retries.attempts().sendOnce(request);
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

    @Override
    public boolean hasNext() throws IOException {
      return page(entries::hasNext);
    }

    @Override
    public T next() throws IOException {
      return page(entries::next);
    }

    /** Most calls send nothing. */
    private <R> R page(CallableRaisingIOE<R> request) throws IOException {
      try {
        return request.apply();
      } catch (StoreException e) {
        Retries.Attempts attempts = retries.attempts();
        attempts.pauseAfter(e);
        return attempts.send(request);
      }
    }
  }

  @Override
  public Map<String, Refusal> deleteObjects(
      Collection<String> keys, CallableRaisingIOE<Boolean> fresh) throws IOException {
    Map<String, Refusal> refused = new LinkedHashMap<>();
    Map<String, Refusal> rest = new LinkedHashMap<>();
    keys.forEach(key -> rest.put(key, Refusal.LATE));
    Retries.Attempts attempts = retries.attempts();
    // Before the first request, too: this process may have slept since the comparison.
    while (fresh.apply()) {
      List<String> sent = List.copyOf(rest.keySet());
      rest.clear();
      StoreException failure;
      try {
        attempts
            .attempt(() -> store.deleteObjects(sent, fresh))
            .forEach((key, refusal) -> (refusal.passing() ? rest : refused).put(key, refusal));
        if (rest.isEmpty() || !attempts.haveTime()) {
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
