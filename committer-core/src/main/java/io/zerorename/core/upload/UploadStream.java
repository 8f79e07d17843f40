package io.zerorename.core.upload;

import io.zerorename.core.store.Failures;
import io.zerorename.core.store.ObjectStore;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Objects;
import java.util.UUID;
import org.apache.hadoop.fs.Path;

/**
 * Writes one object as a multipart upload that is never completed here, and keeps the file's end.
 *
 * <p>Parts go up in parallel while the writer goes on. Closing waits for them; only then does
 * {@link #file} have an answer. A writer of several files {@link #finish finishes} each and closes
 * them later. A small file may send nothing: then its bytes are kept, until the {@link
 * MultipartUploads} that opened it are closed. A stream that is aborted, or whose close fails,
 * leaves no upload behind. Not thread-safe, like every {@link OutputStream}, but another thread may
 * abort it at any time.
 *
 * <p>This object's monitor guards the bytes that wait. The writer holds it while it waits for
 * {@link UploadRequests}, which an abort stops before it takes the monitor.
 */
public final class UploadStream extends OutputStream {
  /**
   * The end of an object.
   *
   * @param offset where in the object {@code bytes} begins
   */
  @SuppressWarnings("ArrayRecordComponent")
  public record Tail(long offset, byte[] bytes) {}

  private enum State {
    OPEN,
    FINISHED,
    CLOSED,
    FAILED,
    ABORTED
  }

  private final Path destination;
  private final MultipartUploads uploads;
  private final String identity = UUID.randomUUID().toString();
  private final UploadRequests requests;

  /** A longer file is surely uploaded: its upload is created while it is written. */
  private final long createAfter;

  private final byte[] single = new byte[1];

  private volatile State state = State.OPEN;
  private IOException failure;
  private boolean failureThrown;

  /** What is being written; or all of a file that is not uploaded. */
  private PartBuffer current;

  private volatile long position;

  /** The part before {@link #current}, as long as the file's end may reach into it. */
  private PartBuffer previous;

  /** Null before the file is finished. */
  private Tail tail;

  private OutputFile file;
  private boolean countedAsInlined;

  UploadStream(Path destination, ObjectStore store, MultipartUploads uploads) {
    this.destination = destination;
    this.uploads = uploads;
    this.requests = new UploadRequests(destination, store, identity, uploads);
    this.createAfter = uploads.longestInline();
  }

  /** Bytes written so far. */
  public long position() {
    return position;
  }

  @Override
  public void write(int b) throws IOException {
    single[0] = (byte) b;
    write(single, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int count) throws IOException {
    Objects.checkFromIndexSize(offset, count, bytes.length);
    requireNotFailed();
    if (state != State.OPEN) {
      throw new IOException("ZR-2110: cannot write to " + destination + ": the stream is closed.");
    }
    orFail(() -> take(bytes, offset, count), false);
  }

  private synchronized void take(byte[] bytes, int offset, int count) throws IOException {
    int from = offset;
    int left = count;
    while (left > 0) {
      requests.requireRunning();
      // A full part is sent once bytes follow: the last one must be known to be the last.
      if (current != null && current.remaining() == 0) {
        current.seal();
        current.retain();
        previous = current;
        send(false);
      }
      PartBuffer part = buffer();
      int now = (int) Math.min(left, part.remaining());
      part.write(bytes, from, now);
      if (part.length() >= uploads.settings.tailSize()) {
        releasePrevious();
      }
      from += now;
      left -= now;
      position += now;
      if (position > createAfter) {
        requests.create();
      }
    }
  }

  private PartBuffer buffer() {
    if (current == null) {
      current =
          new PartBuffer(
              uploads.settings.partSize(), position, uploads.memory, uploads.settings.buffering());
    }
    return current;
  }

  private void send(boolean last) throws IOException {
    requests.send(current, last);
    current = null;
  }

  /**
   * Sends what is left and does not wait for it, unless many other files do; again does nothing. No
   * byte can follow. {@link #close}, which must be called all the same, throws what fails later.
   */
  public void finish() throws IOException {
    if (!failureThrown) {
      // A caller that lost the exception of a write must not take the file for written.
      failureThrown = hasFailed();
      requireNotFailed();
    }
    if (state == State.OPEN) {
      orFail(this::sendOrInline, true);
    }
  }

  /**
   * {@link #finish Finishes} and waits for all parts; closing again does nothing, nor does it after
   * a failure that this or {@link #finish} has thrown.
   */
  @Override
  public void close() throws IOException {
    finish();
    if (state == State.FINISHED) {
      orFail(this::awaitParts, true);
    }
  }

  private void sendOrInline() throws IOException {
    if (takesInline()) {
      uploads.runBeforeFirst();
    }
    synchronized (this) {
      requests.requireRunning();
      PartBuffer rest = buffer();
      rest.seal();
      tail = endOf(rest);
      if (countedAsInlined) {
        file = new InlineFile(destination, rest, uploads.jobId, uploads.taskAttemptId, identity);
        state = State.CLOSED;
      } else {
        send(true);
        state = State.FINISHED;
      }
    }
  }

  /** Copies the file's end, which may lie on disk. Nothing of it is copied before. */
  private Tail endOf(PartBuffer last) throws IOException {
    byte[] bytes = new byte[(int) Math.min(uploads.settings.tailSize(), position)];
    byte[] ofLast = last.lastBytes(bytes.length);
    int missing = bytes.length - ofLast.length;
    System.arraycopy(ofLast, 0, bytes, missing, ofLast.length);
    if (missing > 0) {
      System.arraycopy(previous.lastBytes(missing), 0, bytes, 0, missing);
    }
    releasePrevious();
    return new Tail(position - bytes.length, bytes);
  }

  private synchronized boolean takesInline() throws IOException {
    requests.requireRunning();
    countedAsInlined = !requests.begun() && uploads.takesInline(position);
    return countedAsInlined;
  }

  /** Whether a write, or a request, has failed. Then nothing of the object is left. */
  public boolean hasFailed() {
    return state == State.FAILED;
  }

  /** Throws what has failed, each time: a caller may have lost the exception of before. */
  public void requireNotFailed() throws IOException {
    if (hasFailed()) {
      throw new IOException(failure.getMessage(), failure);
    }
  }

  private void awaitParts() throws IOException {
    // Without the monitor, which a reader of the end takes.
    requests.await();
    synchronized (this) {
      file = requests.pendingUpload();
      state = State.CLOSED;
    }
    uploads.forget(this);
  }

  /**
   * @param closing whether this is the last call that throws a failure
   */
  private void orFail(Failures.Step step, boolean closing) throws IOException {
    try {
      step.run();
    } catch (IOException | RuntimeException e) {
      failureThrown = closing;
      throw fail(e);
    } catch (Error e) {
      // Of a full heap, say: closing again must not return a file that lacks bytes.
      fail(e);
      throw e;
    }
  }

  private IOException fail(Throwable because) {
    requests.stop(because);
    failure =
        new IOException(
            ("ZR-2111: writing %s failed: %s. Nothing of it is visible, and its upload is aborted as"
                    + " soon as that is possible, by the end of the job or the bucket's lifecycle"
                    + " rule at the latest. Run the task attempt again.")
                .formatted(destination, because.getMessage()),
            because);
    state = State.FAILED;
    try {
      abort();
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
    return failure;
  }

  /**
   * Has an {@link #abort} begin, of which other files need not wait for the end: the writer fails,
   * and no request begins any more. Returns at once.
   */
  public void beginAbort() {
    requests.beginAbort();
  }

  /**
   * Aborts the upload, after {@link #close} as well. Waits less than two seconds for requests under
   * way; where they take longer, the upload is aborted when they have ended. Aborting again does
   * nothing.
   */
  public void abort() throws IOException {
    beginAbort();
    try {
      freeBytes();
    } finally {
      requests.abort();
    }
    if (requests.areOver()) {
      uploads.forget(this);
    }
  }

  private synchronized void freeBytes() throws IOException {
    if (state != State.FAILED) {
      state = State.ABORTED;
    }
    file = null;
    tail = null;
    if (countedAsInlined) {
      countedAsInlined = false;
      uploads.giveBackInline(position);
    }
    try {
      release();
    } finally {
      releasePrevious();
    }
  }

  private void releasePrevious() throws IOException {
    PartBuffer part = previous;
    previous = null;
    if (part != null) {
      part.release();
    }
  }

  private synchronized void release() throws IOException {
    PartBuffer part = current;
    current = null;
    if (part != null) {
      part.release();
    }
  }

  /** Begins {@link #endAttempt} for a file that is not closed. */
  void beginEndOfAttempt() {
    if (state != State.CLOSED) {
      beginAbort();
    }
  }

  /**
   * Aborts a file that is not closed, and frees the bytes of one that was not uploaded, of which no
   * reader is left.
   */
  void endAttempt() throws IOException {
    if (state == State.CLOSED) {
      release();
    } else {
      abort();
    }
  }

  /**
   * What job commit needs to make the object visible.
   *
   * @throws IllegalStateException before {@link #close} or after {@link #abort}
   */
  public synchronized OutputFile file() {
    require(state == State.CLOSED, State.CLOSED);
    return file;
  }

  /** Whether {@link #close} would wait, for a part that is under way. */
  public boolean isSending() {
    return state == State.FINISHED && requests.underWay();
  }

  /** Parts that were sent or wait to be sent, 0 of a file that is not uploaded. */
  int parts() {
    return requests.parts();
  }

  /**
   * The last bytes of the object, which a reader of a just-closed pending file may ask for.
   *
   * @throws IllegalStateException before {@link #finish} or after {@link #abort}
   */
  public synchronized Tail tail() {
    require(state == State.FINISHED || state == State.CLOSED, State.FINISHED);
    return tail;
  }

  /** Frees the memory of the {@link #tail} of a finished file, which is empty from then on. */
  public synchronized void forgetTail() {
    if (tail != null) {
      tail = new Tail(position, new byte[0]);
    }
  }

  private void require(boolean holds, State wanted) {
    if (!holds) {
      throw new IllegalStateException(
          "the upload to " + destination + " is " + state + ", not " + wanted);
    }
  }
}
