package io.zerorename.core.upload;

import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.UploadedPart;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.InvocationRaisingIOE;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The requests of one upload: its Create, the parts, the abort. The writer's thread calls it, and
 * another one may abort it meanwhile; parts go up in threads of the pool, and so does a Create that
 * no part waits for yet.
 *
 * <p>This object's monitor guards all that changes. The upload is stopped by its first failure or
 * by {@link #abort}: after that no request begins, but an AbortMultipartUpload once no other is
 * under way.
 */
final class PartSender {
  private static final Logger LOG = LoggerFactory.getLogger(PartSender.class);

  /** How long an abort waits for requests that are under way, twice. */
  private static final Duration GRACE_PERIOD = Duration.ofSeconds(2);

  private final Path destination;
  private final String key;
  private final ObjectStore store;
  private final IntentJournal journal;
  private final String jobId;
  private final String taskAttemptId;
  private final String identity = UUID.randomUUID().toString();
  private final ThreadPoolExecutor pool;
  private final int partsInFlight;
  private final Semaphore lastParts;

  /** Whether there may be an upload. */
  private boolean wanted;

  /** Whether a thread has begun the Create. */
  private boolean creating;

  /** Of an upload that exists and that the journal knows, or that is still to be aborted. */
  private volatile String id;

  private int partsSent;
  private final List<Part> unacknowledged = new ArrayList<>();
  private final List<UploadedPart> acknowledged = new ArrayList<>();

  /** The Create, and parts that wait for a thread or are being sent. */
  private int underWay;

  private boolean stopped;
  private Throwable failure;

  /** Whether the thread that ends the last request aborts the upload. */
  private boolean abortsAtEnd;

  /**
   * @param partsInFlight that may wait for a thread or be sent
   * @param lastParts one for each file of the attempt whose last part may be under way
   */
  PartSender(
      Path destination,
      ObjectStore store,
      IntentJournal journal,
      String jobId,
      String taskAttemptId,
      ThreadPoolExecutor pool,
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
    this.lastParts = lastParts;
  }

  Path destination() {
    return destination;
  }

  /** Parts that were sent or wait to be sent, acknowledged or not. */
  synchronized int partsSent() {
    return partsSent;
  }

  /** Whether there may be an upload. */
  synchronized boolean begun() {
    return wanted;
  }

  /** Whether a request is under way, or a part waits for a thread. */
  synchronized boolean isSending() {
    return underWay > 0;
  }

  /** Throws where a request has failed or the upload was aborted: what follows is not sent. */
  synchronized void checkNotStopped() throws IOException {
    if (stopped) {
      throw reason();
    }
  }

  private IOException reason() {
    if (failure == null) {
      return new IOException("ZR-2104: the upload was aborted");
    }
    return failure instanceof IOException known
        ? known
        : new IOException("unexpected: " + failure, failure);
  }

  /** Later failures are those of requests that fail because of the first. */
  private synchronized void stop(Throwable because) {
    if (failure == null) {
      failure = because;
    }
    stopped = true;
    notifyAll();
  }

  /**
   * Creates the upload in another thread, before there is a part for it, so that the last part need
   * not wait for it. Again does nothing.
   */
  void createEarly() {
    synchronized (this) {
      if (wanted || stopped) {
        return;
      }
      wanted = true;
    }
    try {
      // Keeps an Error, by which the writer fails, from the pool.
      pool.execute(new FutureTask<>(this::create, null));
    } catch (RejectedExecutionException e) {
      // The next part says so.
      stop(ended(e));
    } catch (OutOfMemoryError e) {
      LOG.debug("No thread for the Create of {}, which the writer's own sends later", key, e);
    }
  }

  /** Creates the upload, unless it is stopped or another thread has begun to. */
  private void create() {
    synchronized (this) {
      if (creating || stopped) {
        return;
      }
      creating = true;
      underWay++;
    }
    try {
      IntentJournal.Entry entry = journal.willCreate(destination);
      String uploadId = store.createUpload(key, Map.of(PendingUpload.IDENTITY_METADATA, identity));
      try {
        entry.created(uploadId);
      } catch (IOException | RuntimeException | Error e) {
        abortUnrecorded(uploadId, e);
        throw e;
      }
      id = uploadId;
    } catch (IOException | RuntimeException e) {
      stop(e);
    } catch (Error e) {
      stop(e);
      throw e;
    } finally {
      end();
    }
  }

  /** At once: without its id in the journal no other process finds the upload. */
  private void abortUnrecorded(String uploadId, Throwable because) {
    stop(because);
    id = uploadId;
    try {
      abortUpload();
    } catch (IOException | RuntimeException e) {
      because.addSuppressed(e);
    }
  }

  /** Returns once there is an upload, which this thread creates if no other one has begun to. */
  private void requireCreated() throws IOException {
    synchronized (this) {
      wanted = true;
    }
    create();
    awaitWhile(() -> id == null);
  }

  /** Throws where the upload is or gets stopped; after an interrupt, which stays set, as well. */
  private synchronized void awaitWhile(BooleanSupplier busy) throws IOException {
    checkNotStopped();
    try {
      while (busy.getAsBoolean()) {
        wait();
        checkNotStopped();
      }
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  private static InterruptedIOException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    InterruptedIOException result =
        new InterruptedIOException("the thread that writes it was interrupted");
    result.initCause(e);
    return result;
  }

  private IOException ended(RejectedExecutionException e) {
    return new IOException("ZR-2105: its task attempt " + taskAttemptId + " has already ended", e);
  }

  /**
   * Sends a part in another thread; waits for the upload's creation, and while too many parts are
   * under way.
   */
  void send(PartBuffer content) throws IOException {
    send(new Part(content, false, () -> {}, () -> {}));
  }

  /**
   * Sends the last part in another thread; waits while the last parts of too many files are under
   * way. Waits for the upload's creation too: no thread of the process may abort the files that a
   * failed attempt has closed, so the journal must have the upload's id by then.
   *
   * @param whenSent the sending thread does this, without which the file is not complete
   */
  void sendLast(PartBuffer content, InvocationRaisingIOE whenSent, InvocationRaisingIOE whenFailed)
      throws IOException {
    send(new Part(content, true, whenSent, whenFailed));
  }

  private void send(Part part) throws IOException {
    try {
      requireCreated();
      part.awaitAdmission();
      pool.execute(part);
    } catch (RejectedExecutionException e) {
      part.drop(e);
      throw ended(e);
    } catch (IOException | RuntimeException | Error e) {
      // An Error where there is no room for another thread, say: the pool may hold the part then.
      pool.remove(part);
      part.drop(e);
      throw e;
    }
  }

  /** A part on its way, with what it holds of the attempt's. */
  private final class Part implements Runnable {
    private final PartBuffer content;
    private final boolean last;
    private final InvocationRaisingIOE whenSent;
    private final InvocationRaisingIOE whenFailed;
    private boolean holdsLastParts;
    private int number;

    /** While its request is sent; an interrupt must not reach another request of that thread. */
    private Thread sending;

    Part(
        PartBuffer content,
        boolean last,
        InvocationRaisingIOE whenSent,
        InvocationRaisingIOE whenFailed) {
      this.content = content;
      this.last = last;
      this.whenSent = whenSent;
      this.whenFailed = whenFailed;
    }

    void awaitAdmission() throws IOException {
      try {
        if (last) {
          lastParts.acquire();
          holdsLastParts = true;
        } else if (Thread.interrupted()) {
          throw new InterruptedException();
        }
      } catch (InterruptedException e) {
        throw interrupted(e);
      }
      synchronized (PartSender.this) {
        awaitWhile(() -> underWay >= partsInFlight);
        if (partsSent == PartSizes.MAX_PARTS) {
          throw new IOException(
              "ZR-2106: the file needs more than "
                  + PartSizes.MAX_PARTS
                  + " parts, which S3 does not allow. Raise zerorename.upload.part.size.");
        }
        number = ++partsSent;
        unacknowledged.add(this);
        underWay++;
      }
    }

    @Override
    public void run() {
      try (Closeable discarding = content::discard) {
        UploadedPart sent = upload();
        whenSent.apply();
        acknowledge(sent);
      } catch (IOException | RuntimeException | Error e) {
        stop(e);
        try {
          whenFailed.apply();
        } catch (IOException | RuntimeException alsoFailed) {
          e.addSuppressed(alsoFailed);
        }
      } finally {
        release();
      }
    }

    private UploadedPart upload() throws IOException {
      synchronized (PartSender.this) {
        checkNotStopped();
        sending = Thread.currentThread();
      }
      try {
        return store.uploadPart(key, id, number, content);
      } finally {
        synchronized (PartSender.this) {
          sending = null;
          // An interrupt of this request must not end another one.
          Thread.interrupted();
        }
      }
    }

    /** Discards a part that no thread has taken or will take. */
    void drop(Throwable because) {
      try {
        content.discard();
      } catch (IOException e) {
        because.addSuppressed(e);
      } finally {
        release();
      }
    }

    /** Again does nothing. */
    private void release() {
      boolean held;
      boolean admitted;
      synchronized (PartSender.this) {
        held = holdsLastParts;
        holdsLastParts = false;
        admitted = unacknowledged.remove(this);
      }
      if (held) {
        lastParts.release();
      }
      if (admitted) {
        end();
      }
    }
  }

  private synchronized void acknowledge(UploadedPart sent) {
    acknowledged.add(sent);
  }

  private void end() {
    synchronized (this) {
      underWay--;
      notifyAll();
      if (underWay > 0 || !abortsAtEnd) {
        return;
      }
      abortsAtEnd = false;
    }
    try {
      abortUpload();
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "ZR-2107: The upload to {} could not be aborted: the store did not answer in time, and"
              + " then refused. The end of its job aborts it",
          destination,
          e);
    }
  }

  /** The file, where it was not uploaded. */
  InlineFile inlineFile(RepeatableBody body) throws IOException {
    journal.willInline(destination);
    return new InlineFile(destination, body, jobId, taskAttemptId, identity);
  }

  /** Waits for all parts, as long as none has failed; throws the first failure. */
  synchronized PendingUpload pendingUpload() throws IOException {
    awaitWhile(() -> underWay > 0);
    acknowledged.sort(Comparator.comparing(UploadedPart::number));
    return new PendingUpload(destination, id, acknowledged, jobId, taskAttemptId, identity);
  }

  /**
   * Aborts the upload once no request of it is under way any more: S3 may keep, and bill, a part
   * that arrives after the abort. Waits some seconds at most, because an engine that closes the
   * file systems of a task holds up all others meanwhile and a store may not answer for minutes:
   * then the thread that ends the last request aborts the upload.
   */
  void abort() throws IOException {
    IOException because;
    List<Part> parts;
    synchronized (this) {
      if (abortsAtEnd) {
        return;
      }
      stopped = true;
      notifyAll();
      because = reason();
      parts = List.copyOf(unacknowledged);
    }
    // All threads may be busy with parts of other files.
    parts.stream().filter(pool::remove).forEach(part -> part.drop(because));
    if (haveEnded()) {
      abortUpload();
    }
  }

  /**
   * Waits until no request is under way. Interrupts those of parts after a while, or at once where
   * this thread is interrupted (the task was killed).
   *
   * @return false where some are still under way, the last of which aborts the upload
   */
  private boolean haveEnded() {
    boolean interrupted = false;
    try {
      awaitNone(deadline());
    } catch (InterruptedException e) {
      interrupted = true;
    }
    interruptParts();
    // A thread that waits for a socket does not notice.
    long deadline = deadline();
    for (boolean waited = false; !waited; ) {
      try {
        awaitNone(deadline);
        waited = true;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    synchronized (this) {
      abortsAtEnd = underWay > 0;
      return !abortsAtEnd;
    }
  }

  private static long deadline() {
    return System.nanoTime() + GRACE_PERIOD.toNanos();
  }

  private synchronized void awaitNone(long deadline) throws InterruptedException {
    for (long left = deadline - System.nanoTime();
        underWay > 0 && left > 0;
        left = deadline - System.nanoTime()) {
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
  }

  private synchronized void interruptParts() {
    for (Part part : unacknowledged) {
      if (part.sending != null) {
        part.sending.interrupt();
      }
    }
  }

  /** Aborts the upload, if there is one. */
  private void abortUpload() throws IOException {
    // Two threads may abort at once, and the first to end removes the id.
    String uploadId = id;
    if (uploadId == null) {
      return;
    }
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
    id = null;
  }
}
