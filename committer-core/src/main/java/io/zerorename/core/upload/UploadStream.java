package io.zerorename.core.upload;

import io.zerorename.core.store.Failures;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Deque;
import java.util.Iterator;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.Consumer;

/**
 * Writes one object as a multipart upload that is never completed here, and keeps the file's end.
 *
 * <p>Parts go up in parallel while the writer goes on. Closing waits for them; only then does
 * {@link #file} have an answer. A writer of several files {@link #finish finishes} each and closes
 * them later. A small file may send nothing: then its bytes are kept, until the {@link
 * MultipartUploads} that opened it are closed. A stream that is aborted, or whose close fails,
 * leaves no upload behind. Not thread-safe, like every {@link OutputStream}, but another thread may
 * abort it.
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

  private final PartSender sender;
  private final UploadSettings settings;
  private final UploadMemory memory;
  private final PartSizes sizes;
  private final InlineBudget inlining;

  /** A longer file is surely uploaded: its close need not wait for the Create. */
  private final long createAfter;

  private final Consumer<UploadStream> whenEnded;

  private final byte[] single = new byte[1];

  private volatile State state = State.OPEN;
  private PartBuffer current;
  private long position;

  /**
   * The latest parts, sent or under way, as long as what follows is shorter than the tail; none
   * once there is a tail, which the thread that sends the last part makes, or an earlier reader.
   */
  private final Deque<PartBuffer> retained = new ConcurrentLinkedDeque<>();

  private final Object tailLock = new Object();
  private Tail tail;
  private OutputFile file;

  /** Holds the bytes of a file that is not uploaded. */
  private PartBuffer inlined;

  private boolean countedAsInlined;

  private IOException failure;
  private boolean failureThrown;

  UploadStream(
      PartSender sender,
      UploadSettings settings,
      UploadMemory memory,
      InlineBudget inlining,
      Consumer<UploadStream> whenEnded) {
    this.sender = sender;
    this.settings = settings;
    this.memory = memory;
    this.inlining = inlining;
    this.sizes = new PartSizes(settings.partSize());
    this.createAfter = Math.max(settings.createEarlyAfter(), inlining.longest());
    this.whenEnded = whenEnded;
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
    checkOpen();
    int from = offset;
    int left = count;
    try {
      while (left > 0) {
        sender.checkNotStopped();
        if (current != null && current.remaining() == 0) {
          sendCurrent();
        }
        PartBuffer part = buffer();
        int now = (int) Math.min(left, part.remaining());
        part.write(bytes, from, now);
        if (!retained.isEmpty()) {
          releaseBeforeTail(part.length());
        }
        from += now;
        left -= now;
        position += now;
        if (position > createAfter) {
          sender.createEarly();
        }
      }
    } catch (IOException | RuntimeException e) {
      throw fail(e);
    } catch (Error e) {
      fail(e);
      throw e;
    }
  }

  /** The last part is sent by finish, also where it is full: it must be known to be the last. */
  private void sendCurrent() throws IOException {
    PartBuffer part = current;
    part.finish();
    retain(part);
    current = null;
    sender.send(part);
  }

  private PartBuffer buffer() {
    if (current == null) {
      current =
          new PartBuffer(sizes.of(sender.partsSent() + 1), position, memory, settings.buffering());
    }
    return current;
  }

  /** Nothing is copied: most parts are under way for longer than the tail takes to follow. */
  private void retain(PartBuffer part) throws IOException {
    part.retain();
    retained.add(part);
    releaseBeforeTail(0);
  }

  /**
   * Releases the parts of which nothing is in the tail.
   *
   * @param following how many bytes follow the retained parts
   */
  private void releaseBeforeTail(long following) throws IOException {
    long after = following;
    Iterator<PartBuffer> fromLast = retained.descendingIterator();
    while (fromLast.hasNext()) {
      PartBuffer part = fromLast.next();
      if (after >= settings.tailSize()) {
        fromLast.remove();
        part.release();
      }
      after += part.length();
    }
  }

  /**
   * Copies the end of the retained parts and releases them. Not before the last one is sent, unless
   * a caller asks: it may lie on disk because memory is short, and take long to send.
   */
  private Tail makeTail() throws IOException {
    synchronized (tailLock) {
      if (tail == null) {
        byte[] end = new byte[0];
        Iterator<PartBuffer> fromLast = retained.descendingIterator();
        while (fromLast.hasNext() && end.length < settings.tailSize()) {
          byte[] before = fromLast.next().end(settings.tailSize() - end.length);
          byte[] joined = Arrays.copyOf(before, before.length + end.length);
          System.arraycopy(end, 0, joined, before.length, end.length);
          end = joined;
        }
        tail = new Tail(position - end.length, end);
        releaseAll();
      }
      return tail;
    }
  }

  /** Also where one of them cannot be deleted; there are few. */
  private void releaseAll() throws IOException {
    PartBuffer part = retained.poll();
    if (part != null) {
      try {
        part.release();
      } finally {
        releaseAll();
      }
    }
  }

  /**
   * Sends what is left and does not wait for it, unless many other files do; again does nothing. No
   * byte can follow. Where the file is uploaded, the journal has the upload's id from now on.
   * {@link #close}, which must be called all the same, throws what fails later.
   */
  public void finish() throws IOException {
    if (state == State.FAILED && !failureThrown) {
      // A caller that lost the exception of a write must not take the file for written.
      failureThrown = true;
      throw new IOException(failure.getMessage(), failure);
    }
    if (state == State.OPEN) {
      orFail(this::sendOrInline);
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
      orFail(this::await);
    }
  }

  private void sendOrInline() throws IOException {
    PartBuffer last = buffer();
    last.finish();
    retain(last);
    current = null;
    if (!sender.begun() && inlining.takes(position)) {
      inlined = last;
      countedAsInlined = true;
      file = sender.inlineFile(last);
      makeTail();
      end(State.OPEN);
    } else {
      sender.sendLast(last, this::makeTail, this::dropTail);
      become(State.OPEN, State.FINISHED);
    }
  }

  private void await() throws IOException {
    file = sender.pendingUpload();
    end(State.FINISHED);
  }

  private void end(State before) throws IOException {
    become(before, State.CLOSED);
    whenEnded.accept(this);
  }

  private synchronized void become(State before, State after) throws IOException {
    if (state != before) {
      throw new IOException("ZR-2109: another thread has aborted it meanwhile");
    }
    state = after;
  }

  private void orFail(Failures.Step step) throws IOException {
    try {
      step.run();
    } catch (IOException | RuntimeException e) {
      failureThrown = true;
      throw fail(e);
    } catch (Error e) {
      // Of a full heap, say: closing again must not return a file that lacks bytes.
      fail(e);
      throw e;
    }
  }

  /** Whether it holds the bytes of a file that was not uploaded. */
  boolean holdsBytes() {
    return inlined != null;
  }

  /** Frees the bytes of a file that was not uploaded; no reader is left. */
  void release() throws IOException {
    PartBuffer whole = inlined;
    inlined = null;
    if (whole != null) {
      whole.discard();
    }
  }

  /** Aborts the upload; after {@link #close} as well. Aborting again does nothing. */
  public void abort() throws IOException {
    markAborted();
    file = null;
    try {
      abandonBuffers();
      release();
    } finally {
      sender.abort();
    }
    whenEnded.accept(this);
  }

  private synchronized void markAborted() {
    if (state != State.FAILED) {
      state = State.ABORTED;
    }
    if (countedAsInlined) {
      countedAsInlined = false;
      inlining.giveBack(position);
    }
  }

  /**
   * What job commit needs to make the object visible.
   *
   * @throws IllegalStateException before {@link #close} or after {@link #abort}
   */
  public OutputFile file() {
    require(state == State.CLOSED, State.CLOSED);
    return file;
  }

  /** Whether {@link #close} would wait, for a part that is under way. */
  public boolean isSending() {
    return state == State.FINISHED && sender.isSending();
  }

  /** Parts that were sent or wait to be sent, 0 of a file that is not uploaded. */
  public int parts() {
    return sender.partsSent();
  }

  /**
   * The last bytes of the object, which a reader of a just-closed pending file may ask for.
   *
   * @throws IllegalStateException before {@link #finish} or after {@link #abort}
   */
  public Tail tail() throws IOException {
    require(state == State.FINISHED || state == State.CLOSED, State.FINISHED);
    return makeTail();
  }

  /** Bytes of the {@link #tail}, whether or not it is in memory already. */
  public long tailLength() {
    synchronized (tailLock) {
      return tail == null ? Math.min(position, settings.tailSize()) : tail.bytes().length;
    }
  }

  /** Frees the memory of the {@link #tail} of a finished file, which is empty from then on. */
  public void forgetTail() throws IOException {
    if (state == State.FINISHED || state == State.CLOSED) {
      dropTail();
    }
  }

  private void dropTail() throws IOException {
    synchronized (tailLock) {
      tail = new Tail(position, new byte[0]);
      releaseAll();
    }
  }

  private void require(boolean holds, State wanted) {
    if (!holds) {
      throw new IllegalStateException(
          "the upload to " + sender.destination() + " is " + state + ", not " + wanted);
    }
  }

  private void checkOpen() throws IOException {
    if (state == State.FAILED) {
      throw new IOException(failure.getMessage(), failure);
    }
    if (state != State.OPEN) {
      throw new IOException(
          "ZR-2110: cannot write to " + sender.destination() + ": the stream is closed.");
    }
  }

  private IOException fail(Throwable cause) {
    state = State.FAILED;
    String what = "ZR-2111: writing " + sender.destination() + " failed: " + cause.getMessage();
    // In case the abort below throws.
    failure = new IOException(what, cause);
    String outcome;
    IOException abortFailure = null;
    try {
      abort();
      outcome = "The upload was aborted and nothing of it is visible; run the task attempt again.";
    } catch (IOException e) {
      abortFailure = e;
      outcome =
          "Nothing of it is visible, but the upload could not be aborted either ("
              + e.getMessage()
              + "); the job's commit or abort will do that. Run the task attempt again.";
    }
    failure = new IOException(what + ". " + outcome, cause);
    if (abortFailure != null) {
      failure.addSuppressed(abortFailure);
    }
    return failure;
  }

  /** Another thread than the writer's may abort. */
  private void abandonBuffers() throws IOException {
    PartBuffer part = current;
    current = null;
    try {
      if (part != null) {
        part.abandon();
      }
    } finally {
      dropTail();
    }
  }
}
