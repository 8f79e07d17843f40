package io.zerorename.core.upload;

import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.PartBody;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.UploadedPart;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.fs.Path;

/**
 * The requests of one upload: Create with its journal entry, the parts, the abort. Called by one
 * thread; only the parts themselves go up in others, and a Create that is begun early.
 */
final class PartSender {
  private final Path destination;
  private final String key;
  private final ObjectStore store;
  private final IntentJournal journal;
  private final String jobId;
  private final String taskAttemptId;
  private final String identity = UUID.randomUUID().toString();
  private final ExecutorService pool;
  private final int partsInFlight;
  private final Semaphore room;
  private final List<Future<UploadedPart>> parts = new ArrayList<>();
  private FutureTask<Void> earlyCreation;
  private volatile String uploadId;
  private boolean aborted;
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private volatile boolean stopped;

  PartSender(
      Path destination,
      ObjectStore store,
      IntentJournal journal,
      String jobId,
      String taskAttemptId,
      ExecutorService pool,
      int partsInFlight) {
    this.destination = destination;
    this.key = ObjectKeys.of(destination);
    this.store = store;
    this.journal = journal;
    this.jobId = jobId;
    this.taskAttemptId = taskAttemptId;
    this.pool = pool;
    this.partsInFlight = partsInFlight;
    this.room = new Semaphore(partsInFlight);
  }

  Path destination() {
    return destination;
  }

  int partsSent() {
    return parts.size();
  }

  /** Whether there may be an upload. */
  boolean begun() {
    return uploadId != null || earlyCreation != null || !parts.isEmpty();
  }

  /** Whether a part has failed or the upload was aborted; parts that wait are not sent then. */
  boolean stopped() {
    return stopped;
  }

  /**
   * Creates the upload in another thread, before there is a part for it, so that close waits for
   * one request and not for two. Again does nothing.
   */
  void createEarly() {
    if (uploadId != null || earlyCreation != null || stopped) {
      return;
    }
    earlyCreation =
        new FutureTask<>(
            () -> {
              if (!stopped) {
                create();
              }
              return null;
            });
    try {
      pool.execute(earlyCreation);
    } catch (RejectedExecutionException e) {
      // The attempt has ended; the next part will say so.
      stopped = true;
      failure.compareAndSet(
          null, new IOException("its task attempt " + taskAttemptId + " has already ended", e));
    }
  }

  /** Sends a part in another thread; waits while too many are under way. */
  void send(PartBuffer part) throws IOException {
    begin(part);
    try {
      room.acquire();
    } catch (InterruptedException e) {
      discard(part, null);
      throw interrupted(e);
    }
    int number = parts.size() + 1;
    try {
      parts.add(
          pool.submit(
              () -> {
                try {
                  return upload(number, part);
                } finally {
                  room.release();
                }
              }));
    } catch (RejectedExecutionException e) {
      room.release();
      discard(part, e);
      throw new IOException("its task attempt " + taskAttemptId + " has already ended", e);
    } catch (Error e) {
      // No room for another thread, say.
      room.release();
      discard(part, e);
      throw e;
    }
  }

  /** Sends the last part in this thread, so that a small file needs no other. */
  UploadedPart sendLast(PartBuffer part) throws IOException {
    begin(part);
    return upload(parts.size() + 1, part);
  }

  private void begin(PartBuffer part) throws IOException {
    try {
      if (parts.size() >= PartSizes.MAX_PARTS) {
        throw new IOException(
            "the file needs more than "
                + PartSizes.MAX_PARTS
                + " parts, which S3 does not allow. Raise zerorename.upload.part.size.");
      }
      if (earlyCreation != null) {
        awaitEarlyCreation();
      } else if (uploadId == null) {
        create();
      }
    } catch (IOException | RuntimeException | Error e) {
      discard(part, e);
      throw e;
    }
  }

  private void create() throws IOException {
    IntentJournal.Entry entry = journal.willCreate(destination);
    uploadId = store.createUpload(key, Map.of(PendingUpload.IDENTITY_METADATA, identity));
    entry.created(uploadId);
  }

  private void awaitEarlyCreation() throws IOException {
    // Here, if no thread of the pool has come to it yet.
    earlyCreation.run();
    try {
      earlyCreation.get();
    } catch (InterruptedException e) {
      throw interrupted(e);
    } catch (ExecutionException e) {
      failure.compareAndSet(null, e.getCause());
      throw whyStopped();
    }
  }

  private UploadedPart upload(int number, PartBuffer part) throws IOException {
    try (AutoDiscard discarding = part::discard) {
      if (stopped) {
        throw whyStopped();
      }
      return store.uploadPart(key, uploadId, number, part);
    } catch (IOException | RuntimeException | Error e) {
      failure.compareAndSet(null, e);
      stopped = true;
      throw e;
    }
  }

  private interface AutoDiscard extends AutoCloseable {
    @Override
    void close() throws IOException;
  }

  private static void discard(PartBuffer part, Throwable because) {
    try {
      part.discard();
    } catch (IOException e) {
      if (because != null) {
        because.addSuppressed(e);
      }
    }
  }

  /** Waits for the parts sent in other threads; throws the first failure among them. */
  List<UploadedPart> await() throws IOException {
    List<UploadedPart> result = new ArrayList<>(parts.size());
    for (Future<UploadedPart> part : parts) {
      try {
        result.add(part.get());
      } catch (InterruptedException e) {
        throw interrupted(e);
      } catch (ExecutionException e) {
        throw whyStopped();
      }
    }
    return result;
  }

  /** What failed first: parts end in any order, and later ones fail because of it. */
  private IOException whyStopped() {
    Throwable first = failure.get();
    if (first == null) {
      return new IOException("the upload was given up");
    }
    return first instanceof IOException known
        ? known
        : new IOException("unexpected: " + first, first);
  }

  /** The file, where it was not uploaded. */
  InlineFile inlineFile(PartBody body) throws IOException {
    journal.handsOver(destination);
    return new InlineFile(destination, body, jobId, taskAttemptId, identity);
  }

  PendingUpload pendingUpload(List<UploadedPart> acknowledged) {
    return new PendingUpload(destination, uploadId, acknowledged, jobId, taskAttemptId, identity);
  }

  /**
   * Aborts the upload once no part of it is under way any more: S3 may keep, and bill, a part that
   * arrives after the abort.
   */
  void abort() throws IOException {
    if (aborted) {
      return;
    }
    stopped = true;
    if (earlyCreation != null) {
      awaitEnd(earlyCreation);
    }
    room.acquireUninterruptibly(partsInFlight);
    room.release(partsInFlight);
    if (uploadId != null) {
      abortUpload();
    }
    aborted = true;
  }

  private void abortUpload() throws IOException {
    // A task attempt is killed by an interrupt, and S3A refuses every request under one.
    boolean interrupted = Thread.interrupted();
    try {
      store.abortUpload(key, uploadId);
    } catch (StoreException e) {
      if (e.kind() != StoreException.Kind.NO_SUCH_UPLOAD) {
        throw e;
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** However it ends: an upload that is being created can be aborted only then. */
  private static void awaitEnd(FutureTask<Void> task) {
    task.run();
    boolean interrupted = false;
    while (!task.isDone()) {
      try {
        task.get();
      } catch (InterruptedException e) {
        interrupted = true;
      } catch (ExecutionException e) {
        // Whoever needs the upload is told by awaitEarlyCreation.
        break;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private InterruptedIOException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    InterruptedIOException result =
        new InterruptedIOException("the thread that writes it was interrupted");
    result.initCause(e);
    return result;
  }
}
