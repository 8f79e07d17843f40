package io.zerorename.core.upload;

import io.zerorename.core.store.Failures;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import java.io.Closeable;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.ConsumerRaisingIOE;

/**
 * Opens the streams of one task attempt: a file of p parts costs p + 1 requests, one Create and p
 * UploadParts. All streams share a bounded number of threads, which start with the requests and end
 * soon after them. Closing it aborts the streams that were not closed, leaves the closed ones
 * pending, and frees the bytes of small files that were not uploaded.
 */
public final class MultipartUploads implements Closeable {
  /** How often a writer that waits for a thread looks whether its file was aborted. */
  static final long LOOK_MILLIS = 100;

  /** So nothing is committed of this writer, and the end of the job lists uploads. */
  private static final String LOST = "-lost";

  private final ObjectStores stores;
  private final ConsumerRaisingIOE<String> noteWriter;
  final String jobId;
  final String taskAttemptId;
  final UploadSettings settings;

  /** Those that send nothing. No request waits for a thread, so that none is to be called back. */
  private final Semaphore freeThreads;

  /** Each request has a new one, of this attempt, whose user it acts as. */
  ThreadFactory threads = Thread::new;

  /** Those whose end has something to do: their uploads are neither pending nor aborted. */
  final Set<UploadStream> streams = ConcurrentHashMap.newKeySet();

  private volatile boolean closed;

  /** Whether the attempt was noted; guarded by this. */
  private boolean firstRun;

  /**
   * @param noteWriter is told the attempt before its first upload is created or its first file
   *     inlined, and its name with {@value #LOST} where an upload is lost: one that is there, and
   *     whose id nobody knows
   */
  public MultipartUploads(
      ObjectStores stores,
      ConsumerRaisingIOE<String> noteWriter,
      String jobId,
      String taskAttemptId,
      UploadSettings settings) {
    this.stores = stores;
    this.noteWriter = noteWriter;
    this.jobId = jobId;
    this.taskAttemptId = taskAttemptId;
    this.settings = settings;
    this.freeThreads = new Semaphore(settings.threads());
  }

  /**
   * Opens a stream to an object. Nothing is sent before the file is too long to be inlined, or
   * finished.
   *
   * @param destination fully qualified path of the object
   */
  public UploadStream open(Path destination) throws IOException {
    if (closed) {
      throw new IOException(
          ("ZR-2101: cannot write %s: task attempt %s has already ended. Open files before its"
                  + " commit or abort.")
              .formatted(destination, taskAttemptId));
    }
    if (ObjectKeys.of(destination).isEmpty()) {
      throw new IOException(
          "ZR-2102: cannot write " + destination + ": it is a bucket. Name a file in it.");
    }
    UploadStream stream = new UploadStream(destination, stores.forPath(destination), this);
    streams.add(stream);
    if (closed) {
      // Meanwhile, perhaps without this one.
      stream.abort();
    }
    return stream;
  }

  /** To be called before an upload is created or a file inlined. */
  synchronized void runBeforeFirst() throws IOException {
    if (!firstRun) {
      noteWriter.accept(taskAttemptId);
      firstRun = true;
    }
  }

  /** To be called where the answer to a Create was lost, before it is repeated. */
  void noteLost() throws IOException {
    noteWriter.accept(taskAttemptId + LOST);
  }

  /** Runs a request in a thread of its own, if one is free, and returns whether it does. */
  boolean tryStart(Runnable request) {
    if (!freeThreads.tryAcquire()) {
      return false;
    }
    try {
      Thread thread =
          threads.newThread(
              () -> {
                try {
                  request.run();
                } finally {
                  freeThreads.release();
                }
              });
      thread.setName("upload-" + taskAttemptId);
      thread.setDaemon(true);
      thread.start();
      return true;
    } catch (RuntimeException | Error e) {
      // The system may have no thread left.
      freeThreads.release();
      throw e;
    }
  }

  /** Waits until a thread may be free, but not for long. */
  void awaitFreeThread() throws InterruptedException {
    if (freeThreads.tryAcquire(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
      freeThreads.release();
    }
  }

  /** Closing again tries what has failed before. */
  @Override
  public void close() throws IOException {
    closed = true;
    Failures failures = new Failures();
    streams.forEach(UploadStream::stopUnlessPending);
    streams.forEach(stream -> failures.of(stream::abort));
    failures.throwAny();
  }
}
