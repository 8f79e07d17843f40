package io.zerorename.core.upload;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.store.Failures;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import java.io.Closeable;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.ConsumerRaisingIOE;

/**
 * Opens the streams of one task attempt: a file of p parts costs p + 1 requests, one Create and p
 * UploadParts. All streams share one pool of threads, which begins with none and ends with this
 * object. Of as many files as there are threads, the last part may be under way at once. Closing it
 * aborts the streams that were not closed, leaves the closed ones pending, and frees the bytes of
 * small files that were not uploaded.
 */
public final class MultipartUploads implements Closeable {
  /**
   * Hive may have the uploads of hundreds of files, each with threads of its own, until its end.
   */
  private static final long IDLE_MILLIS = 100;

  /** So nothing is committed of this writer, and the end of the job lists uploads. */
  private static final String LOST = "-lost";

  private final ConsumerRaisingIOE<String> noteWriter;
  final String jobId;
  final String taskAttemptId;
  final UploadSettings settings;
  final UploadMemory memory;
  final ThreadPoolExecutor pool;

  /** One for each file whose last part may be under way. */
  final Semaphore lastParts;

  /** Those that wait for one of the {@link #lastParts}. */
  final Set<UploadRequests> finishing = ConcurrentHashMap.newKeySet();

  private final ObjectStores stores;
  private final AtomicLong inlinedBytes;

  /** Those whose end has something to do. */
  private final Set<UploadStream> streams = ConcurrentHashMap.newKeySet();

  private volatile boolean closed;

  private final Object firstLock = new Object();

  /** Whether the attempt was noted; guarded by {@link #firstLock}. */
  private boolean firstRun;

  /**
   * Uses the {@link UploadMemory#shared process's} count of memory.
   *
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
    this(
        stores,
        noteWriter,
        jobId,
        taskAttemptId,
        settings,
        UploadMemory.shared(),
        new AtomicLong());
  }

  /** Shares both counts with other streams. */
  public MultipartUploads(
      ObjectStores stores,
      ConsumerRaisingIOE<String> noteWriter,
      String jobId,
      String taskAttemptId,
      UploadSettings settings,
      UploadMemory memory,
      AtomicLong inlinedBytes) {
    this(
        stores,
        noteWriter,
        jobId,
        taskAttemptId,
        settings,
        memory,
        inlinedBytes,
        newPool(settings.threads(), taskAttemptId));
  }

  MultipartUploads(
      ObjectStores stores,
      ConsumerRaisingIOE<String> noteWriter,
      String jobId,
      String taskAttemptId,
      UploadSettings settings,
      UploadMemory memory,
      AtomicLong inlinedBytes,
      ThreadPoolExecutor pool) {
    this.stores = requireNonNull(stores, "stores");
    this.noteWriter = requireNonNull(noteWriter, "noteWriter");
    this.jobId = requireNonNull(jobId, "jobId");
    this.taskAttemptId = requireNonNull(taskAttemptId, "taskAttemptId");
    this.settings = requireNonNull(settings, "settings");
    this.memory = requireNonNull(memory, "memory");
    this.inlinedBytes = requireNonNull(inlinedBytes, "inlinedBytes");
    this.lastParts = new Semaphore(settings.threads());
    this.pool = requireNonNull(pool, "pool");
    memory.begin();
  }

  private static ThreadPoolExecutor newPool(int threads, String taskAttemptId) {
    AtomicInteger number = new AtomicInteger();
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            threads,
            threads,
            IDLE_MILLIS,
            TimeUnit.MILLISECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread =
                  new Thread(task, "upload-" + taskAttemptId + "-" + number.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
    pool.allowCoreThreadTimeOut(true);
    return pool;
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
    synchronized (this) {
      streams.add(stream);
      if (closed) {
        // Meanwhile; the pool takes nothing more.
        stream.beginAbort();
      }
    }
    return stream;
  }

  /** To be called before an upload is created or a file inlined. */
  void runBeforeFirst() throws IOException {
    synchronized (firstLock) {
      if (!firstRun) {
        noteWriter.accept(taskAttemptId);
        firstRun = true;
      }
    }
  }

  /** To be called where the answer to a Create was lost, before it is repeated. */
  void noteLost() throws IOException {
    noteWriter.accept(taskAttemptId + LOST);
  }

  /** How long a file may be, in bytes, to be inlined, as long as no other one is given back. */
  long longestInline() {
    InlineSettings inline = settings.inline();
    return Math.max(0, Math.min(inline.maxBytes(), inline.attemptBytes() - inlinedBytes.get()));
  }

  /** Inlines a file of this length, if it is small enough and there is room for it. */
  boolean takesInline(long length) {
    long most = settings.inline().maxBytes();
    if (most == 0 || length > most) {
      return false;
    }
    if (inlinedBytes.addAndGet(length) > settings.inline().attemptBytes()) {
      giveBackInline(length);
      return false;
    }
    return true;
  }

  void giveBackInline(long length) {
    inlinedBytes.addAndGet(-length);
  }

  /** To be called once a stream needs nothing at the end: its upload is pending, or aborted. */
  void forget(UploadStream stream) {
    streams.remove(stream);
  }

  /** Streams that are not forgotten. */
  int streams() {
    return streams.size();
  }

  /** Closing again does nothing. */
  @Override
  public void close() throws IOException {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    // None is added any more.
    Failures failures = new Failures();
    try {
      streams.forEach(UploadStream::beginEndOfAttempt);
      streams.forEach(stream -> failures.of(stream::endAttempt));
    } finally {
      pool.shutdown();
      memory.end();
    }
    failures.throwAny();
  }
}
