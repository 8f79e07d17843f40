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
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The requests of one upload: Create with its journal entry, the parts, the abort. Called by one
 * thread; parts go up in others, and so does a Create that no part waits for yet.
 */
final class PartSender {
  private static final Logger LOG = LoggerFactory.getLogger(PartSender.class);

  /** Most parts come to their end within this time. */
  private static final long PATIENCE_MILLIS = 2_000;

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
  private final List<Part> parts = new CopyOnWriteArrayList<>();

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
    } catch (OutOfMemoryError e) {
      LOG.debug("No thread for the Create of {}, which the writer's own sends later", key, e);
    }
  }

  /**
   * Sends a part in another thread; waits for the upload's creation, and while too many parts are
   * under way.
   */
  void send(PartBuffer content) throws IOException {
    send(new Part(content, false, NOTHING));
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
  void sendLast(PartBuffer content, WhenEnded whenEnded) throws IOException {
    send(new Part(content, true, whenEnded));
  }

  private void send(Part part) throws IOException {
    try {
      requireUpload();
      part.awaitPermits();
      if (part.number > PartSizes.MAX_PARTS) {
        throw new IOException(
            "the file needs more than "
                + PartSizes.MAX_PARTS
                + " parts, which S3 does not allow. Raise zerorename.upload.part.size.");
      }
      parts.add(part);
      pool.execute(part.result);
    } catch (RejectedExecutionException e) {
      part.giveUpUnlessBegun(e);
      throw ended(e);
    } catch (IOException | RuntimeException | Error e) {
      // An Error where there is no room for another thread, say.
      part.giveUpUnlessBegun(e);
      throw e;
    }
  }

  private void acquire(Semaphore permits) throws IOException {
    try {
      permits.acquire();
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  /** A part on its way, with what it holds of the attempt's. */
  private final class Part {
    final int number = parts.size() + 1;
    final FutureTask<UploadedPart> result = new FutureTask<>(this::send);

    private final PartBuffer content;
    private final boolean last;
    private final WhenEnded whenEnded;

    /** By whoever sends it or gives it up. */
    private final AtomicBoolean claimed = new AtomicBoolean();

    private boolean holdsLastParts;
    private boolean holdsRoom;

    /** Guarded by this part, so that no other request of that thread is interrupted. */
    private Thread sending;

    Part(PartBuffer content, boolean last, WhenEnded whenEnded) {
      this.content = content;
      this.last = last;
      this.whenEnded = whenEnded;
    }

    void awaitPermits() throws IOException {
      if (last) {
        acquire(lastParts);
        holdsLastParts = true;
      }
      acquire(room);
      holdsRoom = true;
    }

    private UploadedPart send() throws IOException {
      if (!claimed.compareAndSet(false, true)) {
        throw whyStopped();
      }
      try {
        return sendClaimed();
      } finally {
        release();
      }
    }

    private UploadedPart sendClaimed() throws IOException {
      try (AutoDiscard discarding = content::discard) {
        UploadedPart sent = upload();
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

    private UploadedPart upload() throws IOException {
      synchronized (this) {
        if (stopped) {
          throw whyStopped();
        }
        sending = Thread.currentThread();
      }
      try {
        return store.uploadPart(key, uploadId, number, content);
      } finally {
        synchronized (this) {
          sending = null;
          // What was meant for this request must not end another one.
          Thread.interrupted();
        }
      }
    }

    synchronized void interrupt() {
      if (sending != null) {
        sending.interrupt();
      }
    }

    /** Does not wait for a thread, as all may be busy with parts of other files. */
    void giveUpUnlessBegun(Throwable because) {
      if (claimed.compareAndSet(false, true)) {
        try {
          content.discard();
        } catch (IOException e) {
          because.addSuppressed(e);
        } finally {
          release();
        }
        // Fails, for whoever waits for it.
        result.run();
      }
    }

    private void release() {
      if (holdsRoom) {
        room.release();
      }
      if (holdsLastParts) {
        lastParts.release();
      }
    }
  }

  private interface AutoDiscard extends AutoCloseable {
    @Override
    void close() throws IOException;
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

  /** Whether no part is under way that was handed over. */
  boolean allEnded() {
    return parts.stream().allMatch(part -> part.result.isDone());
  }

  /** Waits for all parts; throws the first failure among them. */
  List<UploadedPart> await() throws IOException {
    List<UploadedPart> result = new ArrayList<>(parts.size());
    for (Part part : parts) {
      try {
        result.add(part.result.get());
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
    endParts();
    if (uploadId != null) {
      abortUpload();
    }
    aborted = true;
  }

  /**
   * Those that wait for a thread are given up. Those that are under way are interrupted soon, or at
   * once where this thread is (the task was killed): a store may not answer for minutes, and an
   * engine that closes the file systems of a task holds up all others meanwhile.
   */
  private void endParts() {
    IOException because = whyStopped();
    parts.forEach(part -> part.giveUpUnlessBegun(because));
    boolean interrupted = false;
    try {
      if (!room.tryAcquire(partsInFlight, PATIENCE_MILLIS, TimeUnit.MILLISECONDS)) {
        interruptParts();
      }
    } catch (InterruptedException e) {
      interrupted = true;
      interruptParts();
    }
    room.release(partsInFlight);
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void interruptParts() {
    parts.forEach(Part::interrupt);
    room.acquireUninterruptibly(partsInFlight);
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
