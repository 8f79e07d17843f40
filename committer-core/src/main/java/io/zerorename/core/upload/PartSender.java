package io.zerorename.core.upload;

import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.PartBody;
import io.zerorename.core.store.UploadedPart;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.fs.Path;

/**
 * The requests of one upload: its creation, the parts, the abort. Called by one thread; parts go up
 * in others, and so does a Create that no part waits for yet.
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
  private final List<Part> parts = new CopyOnWriteArrayList<>();

  private final UploadStop stop = new UploadStop();
  private final UploadCreation upload;
  private boolean aborted;
  private volatile boolean leftToParts;
  private final AtomicBoolean abortsLate = new AtomicBoolean();

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
    this.upload = new UploadCreation(destination, store, journal, identity, stop);
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
    return upload.wanted();
  }

  /** Throws where a part has failed or the upload was aborted: what follows would not be sent. */
  void checkNotStopped() throws IOException {
    stop.check();
  }

  /**
   * Creates the upload in another thread, before there is a part for it, so that the last part need
   * not wait for it. Again does nothing.
   */
  void createEarly() {
    try {
      upload.begin(pool);
    } catch (RejectedExecutionException e) {
      // The next part will say so.
      stop.because(ended(e));
    }
  }

  /** What is done about the end of a part, by the thread that has sent it. */
  interface WhenEnded {
    /** The file is not complete without this. */
    default void sent() throws IOException {}

    /** Nobody may ever ask about the file. */
    default void failed() throws IOException {}
  }

  private static final WhenEnded NOTHING = new WhenEnded() {};

  /**
   * Sends a part in another thread; waits for the upload's creation, and while too many parts are
   * under way.
   */
  void send(PartBuffer content) throws IOException {
    send(new Part(content, false, NOTHING));
  }

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
      upload.require();
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

  private static void acquire(Semaphore permits) throws IOException {
    try {
      permits.acquire();
    } catch (InterruptedException e) {
      throw UploadCreation.interrupted(e);
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
        throw stop.reason();
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
        stop.because(e);
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
        stop.check();
        sending = Thread.currentThread();
      }
      try {
        return store.uploadPart(key, upload.id(), number, content);
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
      abortIfLast();
    }
  }

  private interface AutoDiscard extends AutoCloseable {
    @Override
    void close() throws IOException;
  }

  private IOException ended(RejectedExecutionException e) {
    return new IOException("its task attempt " + taskAttemptId + " has already ended", e);
  }

  /** Whether no part is under way that was handed over. */
  boolean allEnded() {
    return parts.stream().allMatch(part -> part.result.isDone());
  }

  /**
   * Waits for one part after the other, as long as none is known to have failed; throws the first
   * failure among them.
   */
  List<UploadedPart> await() throws IOException {
    List<UploadedPart> result = new ArrayList<>(parts.size());
    for (Part part : parts) {
      stop.check();
      try {
        result.add(part.result.get());
      } catch (InterruptedException e) {
        throw UploadCreation.interrupted(e);
      } catch (ExecutionException e) {
        throw stop.reason();
      }
    }
    return result;
  }

  /** The file, where it was not uploaded. */
  InlineFile inlineFile(PartBody body) throws IOException {
    journal.handsOver(destination);
    return new InlineFile(destination, body, jobId, taskAttemptId, identity);
  }

  PendingUpload pendingUpload(List<UploadedPart> acknowledged) {
    return new PendingUpload(
        destination, upload.id(), acknowledged, jobId, taskAttemptId, identity);
  }

  /**
   * Aborts the upload once no request of it is under way any more: S3 may keep, and bill, a part
   * that arrives after the abort. Does not wait for its Create and its parts for longer than some
   * seconds, as a store may not answer for minutes, and an engine that closes the file systems of a
   * task holds up all others meanwhile: whoever sends the last request has the upload aborted then.
   */
  void abort() throws IOException {
    if (aborted) {
      return;
    }
    stop.giveUp();
    if (upload.awaitEnd() && endParts()) {
      upload.abort();
    }
    aborted = true;
  }

  /**
   * Those that wait for a thread are given up. Those that are under way are interrupted soon, or at
   * once where this thread is (the task was killed).
   *
   * @return false where some are still under way, the last of which aborts the upload
   */
  private boolean endParts() {
    IOException because = stop.reason();
    parts.forEach(part -> part.giveUpUnlessBegun(because));
    GracePeriod gracePeriod = new GracePeriod();
    boolean ended = gracePeriod.awaitUnlessInterrupted(this::awaitParts);
    if (!ended) {
      parts.forEach(Part::interrupt);
      // A thread that waits for a socket does not notice.
      ended = gracePeriod.await(this::awaitParts) || leaveToParts();
    }
    gracePeriod.restoreInterrupt();
    return ended;
  }

  private boolean awaitParts(long nanos) throws InterruptedException {
    boolean ended = room.tryAcquire(partsInFlight, nanos, TimeUnit.NANOSECONDS);
    if (ended) {
      room.release(partsInFlight);
    }
    return ended;
  }

  /** Returns whether all have ended after all. */
  private boolean leaveToParts() {
    leftToParts = true;
    return allPermits();
  }

  /** Whether no part holds one; they stay free, as a writer may wait for one to be told. */
  private boolean allPermits() {
    boolean free = room.tryAcquire(partsInFlight);
    if (free) {
      room.release(partsInFlight);
    }
    return free;
  }

  private void abortIfLast() {
    if (!leftToParts || !allPermits() || !abortsLate.compareAndSet(false, true)) {
      return;
    }
    try {
      upload.abort();
    } catch (IOException | RuntimeException e) {
      UploadCreation.tellNotAborted(destination, e);
    }
  }
}
