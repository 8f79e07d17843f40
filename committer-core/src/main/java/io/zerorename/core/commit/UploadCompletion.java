package io.zerorename.core.commit;

import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectHead;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.apache.hadoop.util.functional.FunctionRaisingIOE;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Completes uploads, one request each. An answer that does not say whether the request took effect
 * is resolved by the identity that the object carries: an object of that name and length proves
 * nothing. May be used by several threads.
 *
 * @param plainNames for files whose names another program may give as well: they are completed only
 *     where there is nothing, and else this is asked
 */
record UploadCompletion(
    ObjectStores stores,
    CommitSettings settings,
    Optional<FunctionRaisingIOE<PendingUpload, Boolean>> plainNames) {
  private static final Logger LOG = LoggerFactory.getLogger(UploadCompletion.class);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

  /** The longest wait for answers, as a multiple of the time that a Complete may take. */
  private static final int ROUNDS = 3;

  /** Of more files so many stand for all while there is time. */
  private static final int MOST_ASKED = 200;

  UploadCompletion(ObjectStores stores, CommitSettings settings) {
    this(stores, settings, Optional.empty());
  }

  /**
   * The same, for files of plain names.
   *
   * @param taken asked where another program's object is: whether nothing can appear of the upload
   *     any more
   */
  UploadCompletion ofPlainNames(FunctionRaisingIOE<PendingUpload, Boolean> taken) {
    return new UploadCompletion(stores, settings, Optional.of(taken));
  }

  /** What one try has found out about a file. */
  private enum Found {
    /** There, or settled. */
    THERE,
    /** Neither pending nor there. */
    ABSENT,
    /** The same, though its upload was pending a moment ago: another process may complete it. */
    TAKEN,
    /** The answer does not say, and the request may take effect yet. */
    UNKNOWN
  }

  /**
   * Completes an upload.
   *
   * @return false where it is absent, neither pending nor there; the store may be at work on it
   * @throws StoreException where it is not known what became of it
   */
  boolean complete(PendingUpload upload) throws IOException {
    return request(upload, false) == Found.THERE;
  }

  /** The same, for a file that is waited for unless it is there. */
  boolean retry(PendingUpload upload) throws IOException {
    return request(upload, true) == Found.THERE;
  }

  /**
   * @param again whether it is tried again where the answer does not say what became of it
   */
  private Found request(PendingUpload upload, boolean again) throws IOException {
    try {
      send(upload);
      return Found.THERE;
    } catch (StoreException e) {
      Found found =
          switch (e.kind()) {
            case NO_SUCH_UPLOAD -> Found.ABSENT;
            case AMBIGUOUS, PRECONDITION_FAILED -> Found.UNKNOWN;
            default -> throw e;
          };
      Optional<Found> there = by(head(upload, e), upload);
      if (there.isPresent()) {
        return there.get();
      }
      if (again || e.kind() != StoreException.Kind.AMBIGUOUS) {
        return found;
      }
      if (e.lastAnswer() == StoreException.Kind.NO_SUCH_UPLOAD
          || isPending(upload).equals(Optional.of(false))) {
        // Which is waited for.
        return Found.ABSENT;
      }
      // The store has repeated it for as long as it may.
      throw e;
    }
  }

  /** By what is there; empty if that is nothing, or an older object. */
  private Optional<Found> by(Optional<ObjectHead> there, PendingUpload upload) throws IOException {
    if (there.filter(upload::isIdentityOf).isPresent()) {
      return Optional.of(Found.THERE);
    }
    if (there.isEmpty() || plainNames.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(plainNames.get().apply(upload) ? Found.THERE : Found.ABSENT);
  }

  /**
   * What became of a file that is waited for. Whether its upload is gone is asked before its
   * Complete is sent: one that this request begins is gone as well, and its object appears yet. So
   * does that of another process, if the upload was pending a moment ago.
   */
  private Found look(PendingUpload upload) throws IOException {
    Optional<Boolean> pending = isPending(upload);
    if (pending.equals(Optional.of(false))) {
      return by(upload.head(stores), upload).orElse(Found.ABSENT);
    }
    Found found = request(upload, true);
    if (found != Found.ABSENT || pending.isEmpty()) {
      return found;
    }
    return plainNames.isEmpty() ? Found.TAKEN : Found.UNKNOWN;
  }

  private void send(PendingUpload upload) throws IOException {
    ObjectStore store = stores.forPath(upload.destination());
    if (plainNames.isEmpty()) {
      store.completeUpload(upload.key(), upload.uploadId(), upload.parts());
      return;
    }
    try {
      store.completeUploadIfAbsent(upload.key(), upload.uploadId(), upload.parts());
    } catch (StoreException e) {
      if (e.lastAnswer() != StoreException.Kind.REJECTED) {
        throw e;
      }
      // It may be the condition that the store does not take. A moment is left to others then.
      if (head(upload, e).isPresent()) {
        throw new StoreException(StoreException.Kind.PRECONDITION_FAILED, e.getMessage(), e);
      }
      store.completeUpload(upload.key(), upload.uploadId(), upload.parts());
    }
  }

  private Optional<ObjectHead> head(PendingUpload upload, StoreException failure)
      throws IOException {
    try {
      return upload.head(stores);
    } catch (StoreException e) {
      e.addSuppressed(failure);
      throw e;
    }
  }

  /**
   * Whether the store says that the upload is there; empty where it does not say: S3Proxy lists no
   * parts of one that is gone. Ceph and moto answer a Complete of none with HTTP 500, for ever.
   */
  private Optional<Boolean> isPending(PendingUpload upload) throws IOException {
    ObjectStore store = stores.forPath(upload.destination());
    try {
      return store.listParts(upload.key(), upload.uploadId()).stream().findAny().map(it -> true);
    } catch (StoreException e) {
      return e.kind() == StoreException.Kind.NO_SUCH_UPLOAD ? Optional.of(false) : Optional.empty();
    }
  }

  /** Aborts an upload, which no process can complete then. Returns false if it was not pending. */
  boolean abort(PendingUpload upload) throws IOException {
    return StoreException.orElse(
        StoreException.Kind.NO_SUCH_UPLOAD,
        false,
        () -> {
          stores.forPath(upload.destination()).abortUpload(upload.key(), upload.uploadId());
          return true;
        });
  }

  /**
   * Waits for absent files as long as the store may take to complete an upload: in that time there
   * is neither the upload any more nor its object yet, and only what is absent at its end is lost.
   * Completes those whose upload is pending again, because the store could not complete it.
   *
   * <p>The pauses are added up: a clock may be set meanwhile.
   *
   * @param needed those that still have to be waited for; asked after each pause
   * @return those that are lost
   */
  List<PendingUpload> await(
      Collection<PendingUpload> absent,
      FunctionRaisingIOE<List<PendingUpload>, List<PendingUpload>> needed)
      throws IOException {
    Workers workers = settings.workers();
    List<PendingUpload> rest = List.copyOf(absent);
    if (rest.isEmpty()) {
      return rest;
    }
    Duration length = settings.settling();
    LOG.info(
        "{} uploads are gone and their objects are not there, the first is {}. The store may still"
            + " be completing them, which is waited for, for {} seconds",
        rest.size(),
        rest.get(0).destination(),
        length.toSeconds());
    Duration waited = Duration.ZERO;
    Duration end = length;
    Duration pause = FIRST_PAUSE;
    while (true) {
      Duration next = shorter(end.minus(waited), pause);
      waited = waited.plus(next);
      if (!next.isZero()) {
        settings
            .clock()
            .pause(
                next,
                "Interrupted while files were waited for that the store may still be completing");
      }
      pause = shorter(pause.multipliedBy(2), LONGEST_PAUSE);
      rest = needed.apply(rest);
      boolean over = waited.compareTo(end) >= 0;
      // Where very many are absent, all are asked for at the end only.
      int asked = over ? rest.size() : Math.min(rest.size(), MOST_ASKED);
      Queue<PendingUpload> still = new ConcurrentLinkedQueue<>();
      Set<Found> all = ConcurrentHashMap.newKeySet();
      workers.forEach(
          rest.subList(0, asked),
          upload -> {
            Found found = look(upload);
            all.add(found);
            if (found != Found.THERE) {
              still.add(upload);
            }
          });
      boolean unknown = all.contains(Found.UNKNOWN);
      boolean inProgress = unknown || all.contains(Found.TAKEN);
      rest = Stream.concat(still.stream(), rest.subList(asked, rest.size()).stream()).toList();
      if (rest.isEmpty() || (over && !inProgress)) {
        return rest;
      }
      if (inProgress) {
        // A Complete that has just been sent may be in progress from now on.
        Duration longest = length.multipliedBy(ROUNDS);
        end = shorter(waited.plus(length), longest);
        if (unknown && end.equals(longest)) {
          throw new IOException(
              ("ZR-1104: it is unknown whether %s uploads are complete, among them %s: the store"
                      + " does not answer, or another program's file is in their place.")
                  .formatted(rest.size(), rest.get(0).destination()));
        }
        if (waited.compareTo(longest) >= 0) {
          return rest;
        }
      }
    }
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }
}
