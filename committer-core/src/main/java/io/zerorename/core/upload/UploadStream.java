package io.zerorename.core.upload;

import io.zerorename.core.store.Failures;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.UploadedPart;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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
 * <p>This object's monitor guards all that changes. All waiting is on it, and no thread holds it
 * while it sends a request. Threads of the attempt's pools send them, except for the abort. The
 * first failure stops the stream, and so does an abort: no request begins after that, but an
 * AbortMultipartUpload once no other is under way.
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

  private static final Logger LOG = LoggerFactory.getLogger(UploadStream.class);

  /** How long an abort waits for requests under way before it interrupts those of parts. */
  private static final Duration INTERRUPTS_AFTER = Duration.ofMillis(500);

  /** How long it waits in all; a thread that waits for a socket does not notice an interrupt. */
  private static final Duration WAITS_FOR = Duration.ofSeconds(1);

  private final Path destination;
  private final String key;
  private final ObjectStore store;
  private final MultipartUploads attempt;
  private final PartSizes sizes;
  private final String identity = UUID.randomUUID().toString();

  /** A longer file is surely uploaded: its close need not wait for the Create. */
  private final long createAfter;

  private final byte[] single = new byte[1];

  private volatile State state = State.OPEN;

  /** Set before the monitor is taken, which a busy writer rarely releases. */
  private volatile boolean stopped;

  private Throwable cause;
  private IOException failure;
  private boolean failureThrown;

  private PartBuffer current;
  private long position;

  private final FileEnd end;
  private OutputFile file;

  /** Holds the bytes of a file that is not uploaded. */
  private PartBuffer inlined;

  private boolean countedAsInlined;

  /** Null as long as there is surely no upload. */
  private Create create;

  /** Of an upload that exists. */
  private String id;

  private int parts;
  private final List<UploadedPart> acknowledged = new ArrayList<>();

  /** Those that wait for a thread or are being sent. */
  private final List<Request> requests = new ArrayList<>();

  private boolean aborting;
  private long abortBegan;

  /** Whether the thread that ends the last request aborts the upload. */
  private boolean abortsAtEnd;

  UploadStream(Path destination, ObjectStore store, MultipartUploads attempt) {
    this.destination = destination;
    this.key = ObjectKeys.of(destination);
    this.store = store;
    this.attempt = attempt;
    this.sizes = new PartSizes(attempt.settings.partSize());
    this.end = new FileEnd(attempt.settings.tailSize());
    this.createAfter = Math.max(attempt.settings.createEarlyAfter(), attempt.inlining.longest());
  }

  /** Bytes written so far. */
  public synchronized long position() {
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
    if (state == State.FAILED) {
      throw new IOException(failure.getMessage(), failure);
    }
    if (state != State.OPEN) {
      throw new IOException("ZR-2110: cannot write to " + destination + ": the stream is closed.");
    }
    try {
      take(bytes, offset, count);
    } catch (IOException | RuntimeException e) {
      throw fail(e);
    } catch (Error e) {
      fail(e);
      throw e;
    }
  }

  private synchronized void take(byte[] bytes, int offset, int count) throws IOException {
    int from = offset;
    int left = count;
    while (left > 0) {
      requireRunning();
      // A full part is sent once bytes follow: the last one must be known to be the last.
      if (current != null && current.remaining() == 0) {
        send(false);
      }
      PartBuffer part = buffer();
      int now = (int) Math.min(left, part.remaining());
      part.write(bytes, from, now);
      end.releaseBefore(part.length());
      from += now;
      left -= now;
      position += now;
      if (position > createAfter) {
        requireCreate();
      }
    }
  }

  private PartBuffer buffer() {
    if (current == null) {
      current =
          new PartBuffer(
              sizes.of(parts + 1), position, attempt.memory, attempt.settings.buffering());
    }
    return current;
  }

  /**
   * Sends the current part in another thread, once there is an upload and room for one more.
   *
   * @param last whether it counts as one of the attempt's last parts, which are bounded too
   */
  private synchronized void send(boolean last) throws IOException {
    requireCreate();
    if (Thread.interrupted()) {
      throw interrupted(new InterruptedException());
    }
    await(
        () ->
            id != null
                && requests.size() < attempt.settings.partsInFlight()
                && (!last || attempt.lastParts.tryAcquire()));
    Part part = new Part(current, last);
    current = null;
    requests.add(part);
    if (parts == PartSizes.MAX_PARTS) {
      throw new IOException(
          "ZR-2106: the file needs more than "
              + PartSizes.MAX_PARTS
              + " parts, which S3 does not allow. Raise zerorename.upload.part.size.");
    }
    part.number = ++parts;
    part.content.finish();
    end.add(part.content);
    execute(part);
  }

  /** Has the upload created, unless that has begun: the last part need not wait for it then. */
  private void requireCreate() throws IOException {
    if (create == null) {
      create = new Create();
      requests.add(create);
      execute(create);
    }
  }

  private void execute(Request request) throws IOException {
    try {
      request.pool.execute(request);
    } catch (RejectedExecutionException e) {
      throw new IOException(
          "ZR-2105: its task attempt " + attempt.taskAttemptId + " has already ended", e);
    }
  }

  /** Throws where the stream is or gets stopped; after an interrupt, which stays set, as well. */
  private synchronized void await(BooleanSupplier condition) throws IOException {
    try {
      requireRunning();
      while (!condition.getAsBoolean()) {
        wait();
        requireRunning();
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

  /** Has those that wait for others look again. */
  synchronized void wake() {
    notifyAll();
  }

  private void requireRunning() throws IOException {
    if (stopped) {
      if (cause instanceof Error error) {
        throw error;
      }
      if (cause instanceof IOException known) {
        throw known;
      }
      throw cause == null
          ? new IOException("ZR-2104: the upload was aborted")
          : new IOException("unexpected: " + cause, cause);
    }
  }

  /**
   * Sends what is left and does not wait for it, unless many other files do; again does nothing. No
   * byte can follow. {@link #close}, which must be called all the same, throws what fails later.
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
      orFail(this::awaitParts);
    }
  }

  private void sendOrInline() throws IOException {
    if (takesInline()) {
      attempt.begin();
      keepInline();
      attempt.ended(this);
    } else {
      synchronized (this) {
        requireRunning();
        buffer();
        send(true);
        state = State.FINISHED;
      }
    }
  }

  private synchronized boolean takesInline() throws IOException {
    requireRunning();
    countedAsInlined = create == null && attempt.inlining.takes(position);
    return countedAsInlined;
  }

  private synchronized void keepInline() throws IOException {
    requireRunning();
    inlined = buffer();
    current = null;
    inlined.finish();
    end.add(inlined);
    end.make(position);
    file = new InlineFile(destination, inlined, attempt.jobId, attempt.taskAttemptId, identity);
    state = State.CLOSED;
  }

  private void awaitParts() throws IOException {
    synchronized (this) {
      await(requests::isEmpty);
      acknowledged.sort(Comparator.comparing(UploadedPart::number));
      file =
          new PendingUpload(
              destination, id, acknowledged, attempt.jobId, attempt.taskAttemptId, identity);
      state = State.CLOSED;
    }
    attempt.ended(this);
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

  private IOException fail(Throwable because) {
    String what = "ZR-2111: writing " + destination + " failed: " + because.getMessage();
    synchronized (this) {
      state = State.FAILED;
      // In case the abort below throws.
      failure = new IOException(what, because);
    }
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
              + "); the end of the job does that, or the bucket's lifecycle rule for incomplete"
              + " uploads. Run the task attempt again.";
    }
    failure = new IOException(what + ". " + outcome, because);
    if (abortFailure != null) {
      failure.addSuppressed(abortFailure);
    }
    return failure;
  }

  /**
   * Has an {@link #abort} begin, of which other files need not wait for the end: the writer fails,
   * and no request begins any more. Returns at once.
   */
  public void beginAbort() {
    stop(null);
  }

  /**
   * Aborts the upload, after {@link #close} as well, once no request of it is under way any more:
   * S3 may keep, and bill, a part that arrives after the abort. Waits less than two seconds for
   * that, because an engine that closes the file systems of a task holds up all others meanwhile
   * and a store may not answer for minutes: then the thread that ends the last request aborts the
   * upload. Aborting again does nothing.
   */
  public void abort() throws IOException {
    beginAbort();
    try {
      freeBytes();
    } finally {
      if (haveRequestsEnded()) {
        abortUpload();
      }
    }
    attempt.ended(this);
  }

  /**
   * Ends the requests that no thread has begun: all may be busy with those of other files.
   *
   * @param because null where it is aborted
   */
  private void stop(Throwable because) {
    if (because == null) {
      // A writer may hold the monitor for long.
      stopped = true;
    }
    List<Request> waiting;
    synchronized (this) {
      if (cause == null && !aborting) {
        cause = because;
      }
      // Not before its cause is known: the writer would take a failure for an abort.
      stopped = true;
      if (because == null && !aborting) {
        aborting = true;
        abortBegan = System.nanoTime();
      }
      waiting = requests.stream().filter(request -> !request.begun).toList();
      waiting.forEach(request -> request.pool.remove(request));
      waiting.forEach(Request::done);
      notifyAll();
    }
    waiting.forEach(Request::ended);
  }

  private synchronized void freeBytes() throws IOException {
    if (state != State.FAILED) {
      state = State.ABORTED;
    }
    file = null;
    if (countedAsInlined) {
      countedAsInlined = false;
      attempt.inlining.giveBack(position);
    }
    PartBuffer part = current;
    current = null;
    try {
      if (part != null) {
        part.release();
      }
      release();
    } finally {
      end.drop(position);
    }
  }

  /**
   * Waits for those under way; those of parts are interrupted after a while, or at once where this
   * thread is interrupted (the task was killed). The interrupt of a Create could lose its upload.
   *
   * @return false where some are still under way, the last of which aborts the upload
   */
  private synchronized boolean haveRequestsEnded() {
    boolean interrupted = false;
    try {
      awaitRequests(INTERRUPTS_AFTER);
    } catch (InterruptedException e) {
      interrupted = true;
    }
    for (Request request : requests) {
      if (request instanceof Part && request.sending != null) {
        request.sending.interrupt();
      }
    }
    for (boolean waited = false; !waited; ) {
      try {
        awaitRequests(WAITS_FOR);
        waited = true;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    abortsAtEnd = !requests.isEmpty();
    return !abortsAtEnd;
  }

  private synchronized void awaitRequests(Duration sinceAbortBegan) throws InterruptedException {
    while (!requests.isEmpty()) {
      long left = abortBegan + sinceAbortBegan.toNanos() - System.nanoTime();
      if (left <= 0) {
        return;
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
  }

  /** Aborts the upload, if there is one. */
  private void abortUpload() throws IOException {
    String uploadId;
    synchronized (this) {
      uploadId = id;
    }
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
    synchronized (this) {
      id = null;
    }
  }

  /** A request that a thread of the pool sends. */
  private abstract class Request implements Runnable {
    private final ThreadPoolExecutor pool;

    /** Whether a thread has taken it, and no other one ends it. */
    private boolean begun;

    /** While it is sent: an interrupt must not reach another request of that thread. */
    private Thread sending;

    Request(ThreadPoolExecutor pool) {
      this.pool = pool;
    }

    abstract void send() throws IOException;

    /** Frees what it holds, with the monitor held. */
    abstract void free() throws IOException;

    /** Wakes other files that wait for it, without the monitor. */
    abstract void ended();

    @Override
    public final void run() {
      synchronized (UploadStream.this) {
        if (stopped) {
          return;
        }
        begun = true;
        sending = Thread.currentThread();
      }
      try {
        send();
      } catch (IOException | RuntimeException | Error e) {
        stop(e);
      }
      boolean aborts;
      synchronized (UploadStream.this) {
        sending = null;
        Thread.interrupted();
        aborts = abortsAtEnd && requests.size() == 1;
        if (!aborts) {
          done();
        }
      }
      if (aborts) {
        abortAtEnd();
      }
      ended();
    }

    private void abortAtEnd() {
      try {
        abortUpload();
      } catch (IOException | RuntimeException e) {
        LOG.warn(
            "ZR-2107: The upload to {} could not be aborted: the store did not answer in time, and"
                + " then refused. The end of its job aborts it, or the bucket's lifecycle rule for"
                + " incomplete uploads",
            destination,
            e);
      } finally {
        synchronized (UploadStream.this) {
          done();
        }
      }
    }

    /** With the monitor held. */
    private void done() {
      try {
        free();
        if (stopped) {
          end.drop(position);
        }
      } catch (IOException e) {
        stopped = true;
        cause = cause == null ? e : cause;
      } finally {
        requests.remove(this);
        UploadStream.this.notifyAll();
      }
    }
  }

  /** The Create, for which parts wait. */
  private final class Create extends Request {
    Create() {
      super(attempt.creates);
    }

    @Override
    void send() throws IOException {
      attempt.begin();
      String uploadId = store.createUpload(key, Map.of(PendingUpload.IDENTITY_METADATA, identity));
      synchronized (UploadStream.this) {
        id = uploadId;
      }
    }

    @Override
    void free() {}

    @Override
    void ended() {}
  }

  private final class Part extends Request {
    private final PartBuffer content;
    private final boolean last;
    private int number;

    Part(PartBuffer content, boolean last) {
      super(attempt.pool);
      this.content = content;
      this.last = last;
    }

    @Override
    void send() throws IOException {
      UploadedPart sent = store.uploadPart(key, id, number, content);
      synchronized (UploadStream.this) {
        if (last) {
          end.make(position);
        }
        acknowledged.add(sent);
      }
    }

    @Override
    void free() throws IOException {
      if (last) {
        attempt.lastParts.release();
      }
      content.release();
    }

    @Override
    void ended() {
      if (last) {
        attempt.wakeFinishing();
      }
    }
  }

  /** Whether it holds the bytes of a file that was not uploaded. */
  synchronized boolean holdsBytes() {
    return inlined != null;
  }

  /** Frees the bytes of a file that was not uploaded; no reader is left. */
  synchronized void release() throws IOException {
    PartBuffer whole = inlined;
    inlined = null;
    if (whole != null) {
      whole.release();
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
  public synchronized boolean isSending() {
    return state == State.FINISHED && !requests.isEmpty();
  }

  /** Parts that were sent or wait to be sent, 0 of a file that is not uploaded. */
  synchronized int parts() {
    return parts;
  }

  /**
   * The last bytes of the object, which a reader of a just-closed pending file may ask for.
   *
   * @throws IllegalStateException before {@link #finish} or after {@link #abort}
   */
  public synchronized Tail tail() throws IOException {
    require(state == State.FINISHED || state == State.CLOSED, State.FINISHED);
    return end.make(position);
  }

  /** Bytes of the {@link #tail}, whether or not it is in memory already. */
  public synchronized long tailLength() {
    return end.length(position);
  }

  /** Frees the memory of the {@link #tail} of a finished file, which is empty from then on. */
  public synchronized void forgetTail() throws IOException {
    if (state == State.FINISHED || state == State.CLOSED) {
      end.drop(position);
    }
  }

  private void require(boolean holds, State wanted) {
    if (!holds) {
      throw new IllegalStateException(
          "the upload to " + destination + " is " + state + ", not " + wanted);
    }
  }
}
