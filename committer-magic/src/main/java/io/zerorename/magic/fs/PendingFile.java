package io.zerorename.magic.fs;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.store.Failures;
import io.zerorename.core.upload.OutputFile;
import io.zerorename.core.upload.UploadStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Locale;
import java.util.Objects;
import org.apache.hadoop.fs.ClosedIOException;
import org.apache.hadoop.fs.FSInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.Syncable;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsContext;
import org.apache.hadoop.fs.statistics.IOStatisticsSnapshot;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;
import org.apache.hadoop.fs.statistics.StreamStatisticNames;

/**
 * One file of a session, and the stream of its writer, from its creation to its description for job
 * commit. A failure is kept, so that no file is lost silently if a record writer swallows the
 * exception.
 *
 * <p>{@link #hflush} and {@link #hsync} do nothing, as with S3A: S3 cannot keep part of an object,
 * and ORC and others call them on every store, on closed streams as well. {@link #hasCapability}
 * denies them.
 *
 * <p>Thread-safe: another thread may abort the session while the writer is running. No thread holds
 * the monitor while the upload waits for the store.
 */
final class PendingFile extends OutputStream
    implements Syncable, StreamCapabilities, IOStatisticsSource {

  private enum State {
    WRITING,
    /** Closed; the last parts are being sent, and it waits for job commit. */
    PENDING,
    /** The upload was aborted after {@link #failure}. */
    FAILED,
    /** Deleted, overwritten, or aborted on purpose; the upload was aborted. */
    DISCARDED
  }

  private final PendingFiles session;
  private final Path path;
  private final UploadStream upload;
  private final long blockSize;

  /** Of the thread that has created the file, as with S3A. */
  private final IOStatisticsContext context = IOStatisticsContext.getCurrentIOStatisticsContext();

  /** Whether the writer has closed its stream. */
  private volatile boolean closed;

  private State state = State.WRITING;
  private Throwable failure;

  /** Whether it is closed and perhaps no caller will ask for its {@link #output}. */
  private boolean parked;

  private long modificationTime = System.currentTimeMillis();

  PendingFile(PendingFiles session, Path path, UploadStream upload, long blockSize) {
    this.session = requireNonNull(session, "session");
    this.path = requireNonNull(path, "path");
    this.upload = requireNonNull(upload, "upload");
    this.blockSize = blockSize;
  }

  Path path() {
    return path;
  }

  @Override
  public void write(int b) throws IOException {
    checkWritable();
    orFail(() -> upload.write(b));
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, bytes.length);
    checkWritable();
    orFail(() -> upload.write(bytes, offset, length));
  }

  private synchronized void checkWritable() throws IOException {
    if (closed) {
      throw new ClosedIOException(path.toString(), "ZR-2225: the stream is closed");
    }
    if (state == State.DISCARDED) {
      throw new IOException(
          ("ZR-2206: cannot write to %s: it was deleted or overwritten, or its task attempt was"
                  + " aborted")
              .formatted(path));
    }
    if (state == State.FAILED) {
      throw failed();
    }
  }

  @Override
  public void hflush() {}

  @Override
  public void hsync() {}

  /** Makes the file pending. Closing again does nothing, also after a close that failed. */
  @Override
  public void close() throws IOException {
    if (!closed) {
      closed = true;
      try {
        finish();
        session.closed(this);
      } finally {
        context.getAggregator().aggregate(getIOStatistics());
      }
    }
  }

  /**
   * Ends the upload's content; parts may still be under way. A discarded file stays discarded,
   * without an error.
   */
  private void finish() throws IOException {
    if (isOpen()) {
      orFail(upload::finish);
      finished();
    }
  }

  private synchronized boolean isOpen() throws IOException {
    if (state == State.FAILED) {
      throw failed();
    }
    return state == State.WRITING;
  }

  private synchronized void finished() throws IOException {
    if (isOpen()) {
      state = State.PENDING;
      modificationTime = System.currentTimeMillis();
    }
  }

  /** Whether it waits for job commit. */
  synchronized boolean isPending() {
    return state == State.PENDING;
  }

  /** Discards the file in any state, and has {@link #abort} begin. Returns at once. */
  synchronized void discard() {
    state = State.DISCARDED;
    upload.beginAbort();
  }

  /** Frees the end of a closed file, and lets {@link #abandon} abort its upload. */
  synchronized void park() throws IOException {
    parked = true;
    forgetTail();
  }

  /**
   * Fails the file if it is still being written, and discards it if it is parked; then {@link
   * #abort} has begun.
   *
   * @return whether it was one of these
   */
  synchronized boolean abandon(String reason) {
    if (state == State.WRITING) {
      state = State.FAILED;
      failure = new IOException(reason);
    } else if (state == State.PENDING && parked) {
      state = State.DISCARDED;
    } else {
      return false;
    }
    upload.beginAbort();
    return true;
  }

  /** Aborts the upload of a file that is discarded or has failed. */
  void abort() throws IOException {
    upload.abort();
  }

  /** Whether it waits for job commit and a part of it is under way. */
  synchronized boolean isSending() {
    return state == State.PENDING && upload.isSending();
  }

  /** Waits for the parts that are under way. */
  OutputFile output() throws IOException {
    beTaken();
    orFail(upload::close);
    return upload.file();
  }

  private synchronized void beTaken() throws IOException {
    switch (state) {
      case PENDING -> parked = false;
      case FAILED -> throw failed();
      case WRITING ->
          throw new IOException(
              "ZR-2202: cannot commit %s: it is still being written. Close the record writer first"
                  .formatted(path));
      case DISCARDED ->
          throw new IOException("ZR-2203: cannot commit " + path + ": its upload was aborted");
    }
  }

  synchronized FileStatus status() {
    return new FileStatus(upload.position(), false, 1, blockSize, modificationTime, path);
  }

  synchronized FSInputStream open() throws IOException {
    return switch (state) {
      case PENDING -> new TailInputStream(path, upload.position(), upload.tail());
      case FAILED -> throw failed();
      // As with every object store, a file does not exist before its close.
      case WRITING ->
          throw new FileNotFoundException(
              "ZR-2204: " + path + " cannot be read: it is still being written. Close it first");
      case DISCARDED ->
          throw new FileNotFoundException("ZR-2205: " + path + " was deleted or overwritten");
    };
  }

  @Override
  public boolean hasCapability(String capability) {
    String lower = capability.toLowerCase(Locale.ROOT);
    return lower.equals(StreamCapabilities.IOSTATISTICS)
        || lower.equals(StreamCapabilities.IOSTATISTICS_CONTEXT);
  }

  /** Bytes and parts so far, under the names of S3A's streams. */
  @Override
  public synchronized IOStatistics getIOStatistics() {
    IOStatisticsSnapshot statistics = new IOStatisticsSnapshot();
    statistics.setCounter(StreamStatisticNames.STREAM_WRITE_BYTES, upload.position());
    statistics.setCounter(
        StreamStatisticNames.STREAM_WRITE_BLOCK_UPLOADS,
        state == State.PENDING ? upload.parts() : 0);
    statistics.setCounter(
        StreamStatisticNames.STREAM_WRITE_EXCEPTIONS, state == State.FAILED ? 1 : 0);
    return statistics;
  }

  /** How many bytes the file keeps in memory after its close. */
  synchronized long tailBytes() {
    return state == State.PENDING ? upload.tailLength() : 0;
  }

  /** Frees these bytes; the file can be read no more. */
  synchronized void forgetTail() throws IOException {
    upload.forgetTail();
  }

  private void orFail(Failures.Step step) throws IOException {
    try {
      step.run();
    } catch (IOException | RuntimeException | Error e) {
      // Also after an OutOfMemoryError, which a process of many tasks may survive.
      fail(e);
      throw e;
    }
  }

  private void fail(Throwable cause) {
    synchronized (this) {
      // The first failure is the cause of later ones.
      if (state != State.DISCARDED && state != State.FAILED) {
        state = State.FAILED;
        failure = cause;
      }
    }
    try {
      upload.abort();
    } catch (IOException | RuntimeException e) {
      cause.addSuppressed(e);
    }
  }

  private IOException failed() {
    return new IOException(
        ("ZR-2208: %s could not be written and its upload was aborted (%s). The task attempt must"
                + " fail; its retry writes the file again")
            .formatted(path, failure.getMessage()),
        failure);
  }
}
