package io.zerorename.core.upload;

import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.PartBody;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.UploadedPart;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
 * thread; parts go up in others, and so does a Create that no part waits for yet.
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
  private final Semaphore lastParts;
  private final List<Future<UploadedPart>> parts = new ArrayList<>();

  /** The threads that send a part now. */
  private final Set<Thread> uploading = new HashSet<>();

  private final FutureTask<Void> creation = new FutureTask<>(this::createUnlessStopped);
  private boolean creationWanted;
  private volatile String uploadId;
  private boolean aborted;
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private volatile boolean stopped;

  /**
   * @param partsInFlight that may be under way
   * @param lastParts one for each file of the attempt whose last part may be under way
   */
  PartSender(
      Path destination,
      ObjectStore store,
      IntentJournal journal,
      String jobId,
      String taskAttemptId,
      ExecutorService pool,
      int partsInFlight,
      Semaphore lastParts) {
    this.destination = destination;
    this.key = ObjectKeys.of(destination);
    this.store = store;
    this.journal = journal;
    this.jobId = jobId;
    this.taskAttemptId = taskAttemptId;
    this.pool = pool;
    this.partsInFlight = partsInFlight;
    this.room = new Semaphore(partsInFlight);
    this.lastParts = lastParts;
  }

  Path destination() {
    return destination;
  }

  /** Parts that were handed over, acknowledged or not. */
  int partsSent() {
    return parts.size();
  }

  /** Whether there may be an upload. */
  boolean begun() {
    return creationWanted || !parts.isEmpty();
  }

  /** Whether a part has failed or the upload was aborted; parts that wait are not sent then. */
  boolean stopped() {
    return stopped;
  }

  /**
   * Creates the upload in another thread, before there is a part for it, so that the last part need
   * not wait for it. Again does nothing.
   */
  void createEarly() {
    if (creationWanted || stopped) {
      return;
    }
    creationWanted = true;
    try {
      pool.execute(creation);
    } catch (RejectedExecutionException e) {
      // The next part will say so.
      stopped = true;
      failure.compareAndSet(null, ended(e));
    }
  }

  /**
   * Sends a part in another thread; waits for the upload's creation, and while too many parts are
   * under way.
   */
  void send(PartBuffer part) throws IOException {
    try {
      requireUpload();
      acquire(room);
    } catch (IOException | RuntimeException | Error e) {
      discard(part, e);
      throw e;
    }
    submit(part, NOTHING, () -> {});
  }

  /** What is done about the end of a part, by the thread that has sent it. */
  interface WhenEnded {
    /** The file is not complete without this. */
    void sent() throws IOException;

    /** Nobody may ever ask about the file. */
    void failed() throws IOException;
  }

  private static final WhenEnded NOTHING =
      new WhenEnded() {
        @Override
        public void sent() {}

        @Override
        public void failed() {}
      };

  /**
   * Sends the last part in another thread; waits while the last parts of too many files are under
   * way. Waits for the upload's creation too: an attempt that fails after it has closed a file may
   * be aborted by nobody in its process, so the journal must have the upload's id by then.
   */
  void sendLast(PartBuffer part, WhenEnded whenEnded) throws IOException {
    try {
      requireUpload();
      acquire(lastParts);
      try {
        acquire(room);
      } catch (IOException e) {
        lastParts.release();
        throw e;
      }
    } catch (IOException | RuntimeException | Error e) {
      discard(part, e);
      throw e;
    }
    submit(part, whenEnded, lastParts::release);
  }

  private void acquire(Semaphore permits) throws IOException {
    try {
      permits.acquire();
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  /**
   * Needs {@link #room}, which is given back.
   *
   * @param afterwards is run, however it ends
   */
  private void submit(PartBuffer part, WhenEnded whenEnded, Runnable afterwards)
      throws IOException {
    int number = parts.size() + 1;
    Runnable release =
        () -> {
          room.release();
          afterwards.run();
        };
    try {
      if (number > PartSizes.MAX_PARTS) {
        throw new IOException(
            "the file needs more than "
                + PartSizes.MAX_PARTS
                + " parts, which S3 does not allow. Raise zerorename.upload.part.size.");
      }
      parts.add(
          pool.submit(
              () -> {
                try {
                  return upload(number, part, whenEnded);
                } finally {
                  release.run();
                }
              }));
    } catch (RejectedExecutionException e) {
      release.run();
      discard(part, e);
      throw ended(e);
    } catch (IOException | RuntimeException | Error e) {
      // An Error where there is no room for another thread, say.
      release.run();
      discard(part, e);
      throw e;
    }
  }

  private IOException ended(RejectedExecutionException e) {
    return new IOException("its task attempt " + taskAttemptId + " has already ended", e);
  }

  private Void createUnlessStopped() throws IOException {
    if (!stopped) {
      IntentJournal.Entry entry = journal.willCreate(destination);
      uploadId = store.createUpload(key, Map.of(PendingUpload.IDENTITY_METADATA, identity));
      try {
        entry.created(uploadId);
      } catch (IOException | RuntimeException | Error e) {
        giveUpAtOnce(e);
        throw e;
      }
    }
    return null;
  }

  /** Without its id in the journal nobody else finds it, and its writer may never ask for it. */
  private void giveUpAtOnce(Throwable because) {
    try {
      abortUpload();
      uploadId = null;
    } catch (IOException | RuntimeException e) {
      because.addSuppressed(e);
    }
  }

  /** Returns once there is an upload, which this thread creates if no other one has come to it. */
  private void requireUpload() throws IOException {
    creation.run();
    try {
      creation.get();
    } catch (InterruptedException e) {
      throw interrupted(e);
    } catch (ExecutionException e) {
      failure.compareAndSet(null, e.getCause());
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw whyStopped();
    }
    if (stopped) {
      throw whyStopped();
    }
  }

  private UploadedPart upload(int number, PartBuffer part, WhenEnded whenEnded) throws IOException {
    try (AutoDiscard discarding = part::discard) {
      UploadedPart sent = upload(number, part);
      whenEnded.sent();
      return sent;
    } catch (IOException | RuntimeException | Error e) {
      failure.compareAndSet(null, e);
      stopped = true;
      try {
        whenEnded.failed();
      } catch (IOException | RuntimeException alsoFailed) {
        e.addSuppressed(alsoFailed);
      }
      throw e;
    }
  }

  private UploadedPart upload(int number, PartBuffer part) throws IOException {
    synchronized (uploading) {
      if (stopped) {
        throw whyStopped();
      }
      uploading.add(Thread.currentThread());
    }
    try {
      return store.uploadPart(key, uploadId, number, part);
    } finally {
      synchronized (uploading) {
        uploading.remove(Thread.currentThread());
        // What was meant for this request must not end another one.
        Thread.interrupted();
      }
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

  /** Whether no part is under way that was handed over. */
  boolean allEnded() {
    return parts.stream().allMatch(Future::isDone);
  }

  /** Waits for all parts; throws the first failure among them. */
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
    awaitEnd(creation);
    awaitParts();
    if (uploadId != null) {
      abortUpload();
    }
    aborted = true;
  }

  /** Those that are under way are ended where this thread is interrupted: the task is killed. */
  private void awaitParts() {
    try {
      room.acquire(partsInFlight);
    } catch (InterruptedException e) {
      synchronized (uploading) {
        uploading.forEach(Thread::interrupt);
      }
      room.acquireUninterruptibly(partsInFlight);
      Thread.currentThread().interrupt();
    }
    room.release(partsInFlight);
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
        // Whoever needs the upload is told by requireUpload.
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
