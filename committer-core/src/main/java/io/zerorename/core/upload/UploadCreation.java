package io.zerorename.core.upload;

import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.StoreException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The upload that parts belong to: its Create with the entries of the journal, in whichever thread
 * comes to it first, and its abort. Called by the writer's thread; whoever aborts may be another.
 */
final class UploadCreation {
  private static final Logger LOG = LoggerFactory.getLogger(UploadCreation.class);

  private final Path destination;
  private final String key;
  private final ObjectStore store;
  private final IntentJournal journal;
  private final String identity;
  private final UploadStop stop;

  private final FutureTask<Void> creation = new FutureTask<>(this::createUnlessStopped);
  private boolean wanted;
  private volatile String id;

  /** Guarded by this. */
  private boolean created;

  private boolean leftToCreator;

  UploadCreation(
      Path destination,
      ObjectStore store,
      IntentJournal journal,
      String identity,
      UploadStop stop) {
    this.destination = destination;
    this.key = ObjectKeys.of(destination);
    this.store = store;
    this.journal = journal;
    this.identity = identity;
    this.stop = stop;
  }

  /** Whether there may be an upload. */
  boolean wanted() {
    return wanted;
  }

  /** The upload's id, once there is one. */
  String id() {
    return id;
  }

  /**
   * Creates the upload in another thread. Again does nothing.
   *
   * @throws java.util.concurrent.RejectedExecutionException where no thread may begin any more
   */
  void begin(Executor pool) {
    if (wanted || stop.isStopped()) {
      return;
    }
    wanted = true;
    try {
      pool.execute(creation);
    } catch (OutOfMemoryError e) {
      LOG.debug("No thread for the Create of {}, which the writer's own sends later", key, e);
    }
  }

  /** Returns once there is an upload, which this thread creates if no other one has come to it. */
  void require() throws IOException {
    wanted = true;
    creation.run();
    try {
      creation.get();
    } catch (InterruptedException e) {
      throw interrupted(e);
    } catch (ExecutionException e) {
      stop.because(e.getCause());
      if (e.getCause() instanceof Error error) {
        throw error;
      }
    }
    stop.check();
  }

  /** The interrupt stays set. */
  static InterruptedIOException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    InterruptedIOException result =
        new InterruptedIOException("the thread that writes it was interrupted");
    result.initCause(e);
    return result;
  }

  private Void createUnlessStopped() throws IOException {
    if (!stop.isStopped()) {
      IntentJournal.Entry entry = journal.willCreate(destination);
      id = store.createUpload(key, Map.of(PendingUpload.IDENTITY_METADATA, identity));
      try {
        entry.created(id);
      } catch (IOException | RuntimeException | Error e) {
        giveUpAtOnce(e);
        throw e;
      }
      if (isLeftToCreator()) {
        try {
          abort();
        } catch (IOException | RuntimeException e) {
          tellNotAborted(destination, e);
        }
      }
    }
    return null;
  }

  /** Whether the upload was given up by somebody who did not wait for it. */
  private synchronized boolean isLeftToCreator() {
    created = true;
    return leftToCreator;
  }

  /** Returns whether it is there after all. */
  private synchronized boolean leaveToCreator() {
    leftToCreator = true;
    return created;
  }

  /** The journal has its id. */
  static void tellNotAborted(Path destination, Exception why) {
    LOG.warn(
        "The upload to {} was given up while the store did not answer, and could not be aborted"
            + " later; the end of its job aborts it",
        destination,
        why);
  }

  /** Without its id in the journal nobody else finds it, and its writer may never ask for it. */
  private void giveUpAtOnce(Throwable because) {
    try {
      abortCreated();
      id = null;
    } catch (IOException | RuntimeException e) {
      because.addSuppressed(e);
    }
  }

  /**
   * Waits for a Create that is under way, however it ends: an upload can be aborted only then. One
   * that has not begun does nothing once the upload is stopped.
   *
   * @return false where it is still under way after a while; then whoever sends it aborts the
   *     upload
   */
  boolean awaitEnd() {
    creation.run();
    GracePeriod gracePeriod = new GracePeriod();
    boolean ended = gracePeriod.await(this::awaitCreation) || leaveToCreator();
    gracePeriod.restoreInterrupt();
    return ended;
  }

  private boolean awaitCreation(long nanos) throws InterruptedException {
    try {
      creation.get(nanos, TimeUnit.NANOSECONDS);
      return true;
    } catch (ExecutionException e) {
      // Whoever needs the upload is told by require.
      return true;
    } catch (TimeoutException e) {
      return false;
    }
  }

  /** Aborts the upload, if there is one. */
  void abort() throws IOException {
    if (id != null) {
      abortCreated();
    }
  }

  private void abortCreated() throws IOException {
    // A task attempt is killed by an interrupt, and S3A refuses every request under one.
    boolean interrupted = Thread.interrupted();
    try {
      store.abortUpload(key, id);
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
}
