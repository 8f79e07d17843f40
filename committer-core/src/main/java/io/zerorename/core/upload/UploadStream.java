package io.zerorename.core.upload;

import io.zerorename.core.store.ObjectStore;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes one object as a multipart upload that is never completed here, and keeps the file's end.
 *
 * <p>Threads of the task attempt send the parts while the writer goes on. {@link #close} has the
 * last one sent and does not wait for it; {@link #file} waits for all. A small file may send
 * nothing: its bytes are kept until the {@link MultipartUploads} that opened it are closed.
 *
 * <p>A failure, {@link #fail} and {@link #abort} stop the file for ever: who waits for it fails, no
 * request begins any more, and its bytes are freed. The upload is aborted once no request is under
 * way, because S3 may keep, and bill, a part that arrives after the abort: by the thread that ends
 * the last request, else by who stops the file.
 *
 * <p>One thread writes, or closes, at a time; any may stop the file at any time. This object's
 * monitor guards all that changes. No thread holds it while it waits or sends a request.
 */
public final class UploadStream extends OutputStream {
  private enum State {
    WRITING,
    /** No byte follows; parts may be under way. */
    CLOSED,
    STOPPED
  }

  private static final Logger LOG = LoggerFactory.getLogger(UploadStream.class);

  /** In nanoseconds since the file was stopped, so that many files are waited for together. */
  private static final long LONGEST_WAIT = TimeUnit.SECONDS.toNanos(1);

  private static final int ALL = Integer.MAX_VALUE;

  private final MultipartUploads uploads;
  private final UploadRequests requests;

  /** Each request holds one, and an abort all: it waits for the requests, or another abort. */
  private final Semaphore quiet = new Semaphore(ALL);

  /** Held by {@link #write} and {@link #close}, and by nothing that stops the file. */
  private final Object writer = new Object();

  private volatile State state = State.WRITING;

  private Throwable cause;

  private long stoppedAt;
  private volatile long position;

  /** What is being written; or all of an inlined file. */
  private PartBuffer current;

  private int parts;

  /** Whether there may be an upload. */
  private boolean begun;

  private boolean inlined;
  private byte[] tail;

  /** Null before all parts are sent. */
  private OutputFile file;

  UploadStream(Path destination, ObjectStore store, MultipartUploads uploads) {
    this.uploads = uploads;
    this.requests = new UploadRequests(destination, store, uploads);
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int count) throws IOException {
    Objects.checkFromIndexSize(offset, count, bytes.length);
    synchronized (writer) {
      if (isClosed()) {
        throw new IOException(
            "ZR-2110: cannot write to " + requests.destination + ": the stream is closed.");
      }
      orFail(
          () -> {
            for (int from = offset; from < offset + count; ) {
              int taken = take(bytes, from, offset + count - from);
              from += taken;
              if (taken == 0) {
                // A full part is sent once bytes follow: the last one must be known to be the last.
                send(State.WRITING);
              }
            }
          });
    }
  }

  private synchronized int take(byte[] bytes, int offset, int count) throws IOException {
    requireRunning();
    int taken = current().write(bytes, offset, count);
    position += taken;
    if (!begun && position > uploads.settings.inline().longest()) {
      // It is uploaded, and need not wait for its upload at its end.
      start(null);
    }
    return taken;
  }

  private PartBuffer current() {
    if (current == null) {
      UploadSettings settings = uploads.settings;
      current =
          new PartBuffer(
              ++parts, settings.partSize(), position, settings.buffering(), this::requireRunning);
    }
    return current;
  }

  /**
   * Has the rest sent and does not wait for it, unless many other files do. Throws why it was
   * stopped before that, each time; {@link #file}, which must be called as well, throws what fails
   * later.
   */
  @Override
  public void close() throws IOException {
    synchronized (writer) {
      if (!isClosed()) {
        orFail(this::sendOrInline);
      }
    }
  }

  private void sendOrInline() throws IOException, InterruptedException {
    synchronized (this) {
      requireRunning();
      current().seal();
      tail = current.lastBytes(uploads.settings.tailSize());
      inlined = !begun && uploads.settings.inline().take(position);
    }
    if (!inlined) {
      send(State.CLOSED);
      return;
    }
    OutputFile small = requests.inlined(current);
    synchronized (this) {
      requireRunning();
      file = small;
      state = State.CLOSED;
    }
  }

  /**
   * Waits for the parts of a closed file, and returns what job commit needs to make it visible.
   * Throws why there is nothing: it was stopped, or is still being written.
   */
  public OutputFile file() throws IOException {
    requireNoWriter();
    orFail(this::awaitParts);
    return file;
  }

  private void awaitParts() throws IOException, InterruptedException {
    do {
      requireRunning();
    } while (!quiet.tryAcquire(ALL, MultipartUploads.LOOK_MILLIS, TimeUnit.MILLISECONDS));
    quiet.release(ALL);
    synchronized (this) {
      requireRunning();
      if (file == null) {
        file = requests.pending();
        uploads.streams.remove(this);
      }
      // As long as the attempt goes on, its bytes count.
      inlined = false;
    }
  }

  /**
   * Waits for a thread, and has it send the current part.
   *
   * @param next the state from the moment it may fail
   */
  private void send(State next) throws IOException, InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    while (true) {
      synchronized (this) {
        requireRunning();
        current.seal();
        if (start(current)) {
          current = null;
          state = next;
          return;
        }
      }
      uploads.awaitFreeThread();
    }
  }

  /** Has a thread, if one is free, send a part and release it; or only create the upload. */
  private boolean start(PartBuffer part) {
    if (!uploads.tryStart(() -> run(part))) {
      return false;
    }
    // The request does not end without the monitor, and an abort has all only once it is stopped.
    quiet.acquireUninterruptibly();
    begun = true;
    return true;
  }

  private void run(PartBuffer part) {
    try {
      requests.send(part, this::requireRunning);
    } catch (IOException | RuntimeException | Error e) {
      // First of all, and without an allocation: the heap may be full.
      stop(e);
    }
    synchronized (this) {
      try {
        if (part != null) {
          part.release();
        }
      } finally {
        // Whatever happens: who waits for the file waits for this.
        quiet.release();
      }
    }
    try {
      if (state == State.STOPPED) {
        abortUpload(0);
      }
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "ZR-2107: The upload to {} could not be aborted. The end of its task attempt or of its"
              + " job aborts it, or the bucket's lifecycle rule for incomplete uploads",
          requests.destination,
          e);
    }
  }

  /** What the writer does, in its thread. */
  private interface Step {
    void run() throws IOException, InterruptedException;
  }

  private void orFail(Step step) throws IOException {
    try {
      step.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failed(new InterruptedIOException("the thread that writes it was interrupted"));
    } catch (IOException | RuntimeException e) {
      throw failed(e);
    } catch (Error e) {
      failed(e);
      throw e;
    }
  }

  private IOException failed(Throwable because) {
    stop(because);
    IOException failure = whyStopped();
    try {
      abortUpload(LONGEST_WAIT);
    } catch (IOException abortFailed) {
      failure.addSuppressed(abortFailed);
    }
    return failure;
  }

  private synchronized void stop(Throwable because) {
    if (state != State.STOPPED) {
      cause = because;
      stoppedAt = System.nanoTime();
      state = State.STOPPED;
      tail = null;
      if (current != null) {
        current.release();
        current = null;
      }
      if (inlined) {
        uploads.settings.inline().giveBack(position);
      }
    }
  }

  private void requireRunning() throws IOException {
    if (state == State.STOPPED) {
      throw whyStopped();
    }
  }

  /** Another one each time: a caller may have lost it before. */
  private IOException whyStopped() {
    return new IOException(
        ("ZR-2111: writing %s failed: %s. Nothing of it is visible, and its upload is aborted as"
                + " soon as that is possible, by the end of the job or the bucket's lifecycle rule"
                + " at the latest. Run the task attempt again.")
            .formatted(requests.destination, cause.getMessage()),
        cause);
  }

  /** Stops the file, and returns at once; {@link #abort} aborts its upload. */
  public void fail(String because) {
    stop(new IOException(because));
  }

  /** Stops a file that nobody wants, and returns at once; {@link #abort} does the rest. */
  public void beginAbort() {
    fail("it was deleted or overwritten, or its task attempt was aborted");
  }

  /**
   * Stops the file and aborts its upload. Waits a second at most for requests under way, because an
   * engine that closes the file systems of a task holds up all others meanwhile, and a store may
   * not answer for minutes. Does nothing the second time, unless the first has failed.
   */
  public void abort() throws IOException {
    beginAbort();
    abortUpload(LONGEST_WAIT);
  }

  /** Waits so long, in nanoseconds since the stop; later the last request's thread aborts. */
  private void abortUpload(long wait) throws IOException {
    // By which a task attempt is killed, and under which S3A refuses every request.
    boolean interrupted = Thread.interrupted();
    try {
      if (quiet.tryAcquire(ALL, stoppedAt + wait - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        try {
          requests.abort();
          uploads.streams.remove(this);
        } finally {
          quiet.release(ALL);
        }
      }
    } catch (InterruptedException e) {
      interrupted = true;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Stops a file that job commit does not get, or of which it has got the bytes. */
  synchronized void stopUnlessPending() {
    if (file == null || file instanceof InlineFile) {
      beginAbort();
    }
  }

  /** Bytes written so far. */
  public long position() {
    return position;
  }

  /** Whether no byte can follow, and nothing has failed. */
  public boolean isClosed() {
    return state == State.CLOSED;
  }

  /** Whether {@link #file} would wait, for a part that is under way. */
  public boolean isSending() {
    return isClosed() && quiet.availablePermits() < ALL;
  }

  /** The last bytes of a closed file, as far as they lie in its last part. */
  public synchronized byte[] tail() throws IOException {
    requireNoWriter();
    requireRunning();
    return tail;
  }

  private void requireNoWriter() throws IOException {
    if (state == State.WRITING) {
      throw new FileNotFoundException(
          ("ZR-2103: %s cannot be committed or read: it is still being written. Close the record"
                  + " writer first")
              .formatted(requests.destination));
    }
  }

  /** Frees the memory of the {@link #tail} of a closed file, which is empty from then on. */
  public synchronized void forgetTail() {
    if (tail != null) {
      tail = new byte[0];
    }
  }
}
