package io.zerorename.core.upload;

import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.UploadedPart;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.FutureIO;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The requests of one upload: the Create and the parts, which threads of its task attempt send, and
 * the abort. The first failure stops them, and so does an abort: none begins after that, but an
 * AbortMultipartUpload once no other is under way, because S3 may keep, and bill, a part that
 * arrives after it.
 *
 * <p>This object's monitor guards all that changes. All waiting is on it, and no thread holds it
 * while it sends a request.
 */
final class UploadRequests {
  private static final Logger LOG = LoggerFactory.getLogger(UploadRequests.class);

  /** S3 allows no more. */
  private static final int MAX_PARTS = 10_000;

  /** In nanoseconds since the abort began, so that many files are waited for together. */
  private static final long LONGEST_WAIT = TimeUnit.SECONDS.toNanos(1);

  private final Path destination;
  private final String key;
  private final ObjectStore store;
  private final String identity;
  private final MultipartUploads uploads;

  /** Sends the Create in the first thread that needs it; the others wait for that one. */
  private final FutureTask<String> create = new FutureTask<>(this::createUpload);

  /** Those that wait for a thread or are under way. */
  private final Set<Request> requests = new HashSet<>();

  private final ConcurrentLinkedQueue<UploadedPart> acknowledged = new ConcurrentLinkedQueue<>();
  private boolean begun;
  private int parts;

  /** Of an upload that exists. */
  private String id;

  /** Why no request begins any more. */
  private Throwable stopped;

  private boolean aborting;
  private long abortBegan;

  /** Whether the thread that ends the last request has to abort: no other waits for it. */
  private volatile boolean leftToLast;

  /** Whether a thread waits for the answer to an abort. */
  private boolean abortUnderWay;

  UploadRequests(Path destination, ObjectStore store, String identity, MultipartUploads uploads) {
    this.destination = destination;
    this.key = ObjectKeys.of(destination);
    this.store = store;
    this.identity = identity;
    this.uploads = uploads;
  }

  /** Whether there may be an upload. */
  synchronized boolean begun() {
    return begun;
  }

  /** Parts that were sent or wait to be sent. */
  synchronized int parts() {
    return parts;
  }

  synchronized boolean underWay() {
    return !requests.isEmpty();
  }

  /** Whether no request is under way, and no upload is left to abort. */
  synchronized boolean areOver() {
    return id == null && requests.isEmpty();
  }

  /** Has the upload created, unless that has begun: the first part need not wait for it then. */
  synchronized void create() {
    if (!begun) {
      execute(new Request(null, 0, false));
    }
  }

  /**
   * Waits for room, and has the next part sent.
   *
   * @param part is released once it was sent; where this fails, by the caller
   * @param last whether it counts as one of the attempt's last parts, which are bounded too
   */
  synchronized void send(PartBuffer part, boolean last) throws IOException {
    if (parts == MAX_PARTS) {
      throw new IOException(
          "ZR-2106: the file needs more than "
              + MAX_PARTS
              + " parts, which S3 does not allow. Raise fs.s3a.multipart.size.");
    }
    if (Thread.interrupted()) {
      throw interrupted(new InterruptedException());
    }
    if (last) {
      uploads.finishing.add(this);
    }
    try {
      await(
          () ->
              requests.size() < uploads.settings.partsInFlight()
                  && (!last || uploads.lastParts.tryAcquire()));
    } finally {
      uploads.finishing.remove(this);
    }
    execute(new Request(part, ++parts, last));
  }

  private void execute(Request request) {
    begun = true;
    requests.add(request);
    uploads.pool.execute(request);
  }

  /** Waits until all parts are sent. */
  synchronized void await() throws IOException {
    await(requests::isEmpty);
  }

  /** The upload, once all parts are sent. */
  synchronized PendingUpload pendingUpload() throws IOException {
    requireRunning();
    return new PendingUpload(
        destination,
        id,
        acknowledged.stream().sorted(Comparator.comparing(UploadedPart::number)).toList(),
        uploads.jobId,
        uploads.taskAttemptId,
        identity);
  }

  /** Throws where it is or gets stopped; after an interrupt, which stays set, as well. */
  private void await(BooleanSupplier condition) throws IOException {
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

  private static IOException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return (IOException)
        new InterruptedIOException("the thread that writes it was interrupted").initCause(e);
  }

  /** Has those that wait look again. */
  synchronized void wake() {
    notifyAll();
  }

  /** Throws why it is stopped, if it is. */
  synchronized void requireRunning() throws IOException {
    if (stopped instanceof Error error) {
      throw error;
    }
    if (stopped instanceof IOException known) {
      throw known;
    }
    if (stopped != null) {
      throw new IOException("unexpected: " + stopped, stopped);
    }
  }

  /** Lets no request begin any more, and who waits fail. */
  synchronized void stop(Throwable because) {
    if (stopped == null) {
      stopped = because;
    }
    notifyAll();
  }

  /** Has an abort begin: who waits fails, and no request begins any more. */
  synchronized void beginAbort() {
    stop(new IOException("ZR-2104: the upload was aborted"));
    if (!aborting) {
      aborting = true;
      abortBegan = System.nanoTime();
    }
  }

  /**
   * Aborts the upload of a file of which the abort has begun. Waits a second at most for requests
   * under way, because an engine that closes the file systems of a task holds up all others
   * meanwhile, and a store may not answer for minutes: then the thread that ends the last one
   * aborts the upload. Does nothing the second time, unless the first has failed.
   */
  void abort() throws IOException {
    List<Request> waiting;
    synchronized (this) {
      // All threads may be busy with requests of other files.
      waiting = requests.stream().filter(request -> !request.taken).toList();
    }
    waiting.forEach(uploads.pool::remove);
    ended(waiting);
    awaitEnds();
    synchronized (this) {
      leftToLast = !requests.isEmpty();
    }
    abortUnlessUnderWay();
  }

  /** Also where the thread is interrupted: a task attempt is killed so. */
  private synchronized void awaitEnds() {
    boolean interrupted = Thread.interrupted();
    try {
      while ((!requests.isEmpty() || abortUnderWay)
          && System.nanoTime() - abortBegan < LONGEST_WAIT) {
        TimeUnit.NANOSECONDS.timedWait(this, abortBegan + LONGEST_WAIT - System.nanoTime());
      }
    } catch (InterruptedException e) {
      interrupted = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void abortUnlessUnderWay() throws IOException {
    String uploadId;
    synchronized (this) {
      if (id == null || abortUnderWay || !requests.isEmpty()) {
        return;
      }
      uploadId = id;
      abortUnderWay = true;
    }
    boolean aborted = false;
    // S3A refuses every request under an interrupt.
    boolean interrupted = Thread.interrupted();
    try {
      store.abortUpload(key, uploadId);
      aborted = true;
    } catch (StoreException e) {
      aborted = e.kind() == StoreException.Kind.NO_SUCH_UPLOAD;
      if (!aborted) {
        throw e;
      }
    } finally {
      synchronized (this) {
        id = aborted ? null : id;
        abortUnderWay = false;
        notifyAll();
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private String createUpload() throws IOException {
    uploads.runBeforeFirst();
    String uploadId =
        store.createUpload(
            key, Map.of(PendingUpload.IDENTITY_METADATA, identity), uploads::noteLost);
    synchronized (this) {
      id = uploadId;
    }
    return uploadId;
  }

  private void ended(List<Request> ended) {
    boolean last = false;
    synchronized (this) {
      for (Request request : ended) {
        // Both the thread that has taken it and an abort may end it: who removes it, frees it.
        if (requests.remove(request)) {
          request.free();
        }
        last |= request.last;
      }
      notifyAll();
    }
    if (last) {
      // Without this monitor, while they may do the same.
      uploads.finishing.forEach(UploadRequests::wake);
    }
  }

  /** What a thread of the attempt sends: a part, and before the first one the Create. */
  private final class Request implements Runnable {
    /** Null where only the Create is sent. */
    private final PartBuffer part;

    private final int number;
    private final boolean last;

    private final List<Request> self = List.of(this);

    /** Whether a thread has taken it, and no other one ends it. */
    private boolean taken;

    Request(PartBuffer part, int number, boolean last) {
      this.part = part;
      this.number = number;
      this.last = last;
    }

    @Override
    public void run() {
      synchronized (UploadRequests.this) {
        if (!requests.contains(this)) {
          return;
        }
        taken = true;
      }
      try {
        send();
      } catch (IOException | RuntimeException | Error e) {
        // First of all, and without an allocation: the heap may be full.
        stop(e);
      }
      ended(self);
      try {
        if (leftToLast) {
          abortUnlessUnderWay();
        }
      } catch (IOException | RuntimeException e) {
        LOG.warn(
            "ZR-2107: The upload to {} could not be aborted. The end of its task attempt or of its"
                + " job aborts it, or the bucket's lifecycle rule for incomplete uploads",
            destination,
            e);
      }
    }

    private void send() throws IOException {
      requireRunning();
      create.run();
      String uploadId = FutureIO.awaitFuture(create);
      if (part != null) {
        requireRunning();
        acknowledged.add(store.uploadPart(key, uploadId, number, unlessStopped()));
      }
    }

    /** So that an abort ends the repetitions of a part too. */
    private RepeatableBody unlessStopped() {
      return new RepeatableBody() {
        @Override
        public long length() {
          return part.length();
        }

        @Override
        public InputStream open() throws IOException {
          requireRunning();
          return part.open();
        }
      };
    }

    /** Frees what it holds, with the monitor held. */
    private void free() {
      if (last) {
        uploads.lastParts.release();
      }
      try {
        if (part != null) {
          part.release();
        }
      } catch (IOException e) {
        stop(e);
      }
    }
  }
}
