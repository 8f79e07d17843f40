package io.zerorename.magic.fs;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.store.Failures;
import io.zerorename.core.upload.OutputFile;
import io.zerorename.core.upload.UploadStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import org.apache.hadoop.fs.ClosedIOException;
import org.apache.hadoop.fs.FSInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;

/**
 * One file of a session, and the stream of its writer, from its creation to its description for job
 * commit. The upload keeps a failure, so that no file is lost silently if a record writer swallows
 * the exception.
 *
 * <p>A flush does nothing, as with S3A: S3 cannot keep part of an object, and ORC and others call
 * hflush and hsync on every store, on closed streams as well.
 *
 * <p>Thread-safe: another thread may abort the session while the writer is running. No thread holds
 * the monitor while the upload waits for the store.
 */
final class PendingFile extends OutputStream {
  private enum State {
    WRITING,
    /** Closed; the last parts are being sent, and it waits for job commit. */
    PENDING,
    /** Its session ended before its writer had closed it; the upload was aborted. */
    ABANDONED,
    /** Deleted, overwritten, or aborted on purpose; the upload was aborted. */
    DISCARDED
  }

  private final PendingFiles session;
  private final Path path;
  private final UploadStream upload;
  private final long blockSize;

  /** Whether the writer has closed its stream. */
  private volatile boolean closed;

  private State state = State.WRITING;

  /** Whether it is closed and perhaps no caller will ask for its {@link #output}. */
  private boolean parked;

  private final long modificationTime = System.currentTimeMillis();

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
    requireWritable();
    upload.write(b);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    requireWritable();
    upload.write(bytes, offset, length);
  }

  private void requireWritable() throws IOException {
    if (closed) {
      throw new ClosedIOException(path.toString(), "ZR-2225: the stream is closed");
    }
    requireKept();
  }

  /** Makes the file pending. Closing again does nothing, also after a close that failed. */
  @Override
  public void close() throws IOException {
    if (!closed) {
      closed = true;
      // A discarded file stays discarded, without an error.
      if (!isDiscarded()) {
        requireKept();
        upload.finish();
        finished();
      }
      session.closed(this);
    }
  }

  private synchronized boolean isDiscarded() {
    return state == State.DISCARDED;
  }

  private synchronized void finished() throws IOException {
    if (!isDiscarded()) {
      requireKept();
      state = State.PENDING;
    }
  }

  /** Whether it waits for job commit. */
  synchronized boolean isPending() {
    return state == State.PENDING && !upload.hasFailed();
  }

  private synchronized void discard() {
    state = State.DISCARDED;
    upload.beginAbort();
  }

  /** Frees the end of a closed file, and lets {@link #abandon} abort its upload. */
  synchronized void park() {
    parked = true;
    forgetTail();
  }

  /**
   * Fails the file if it is still being written, and discards it if it is parked; then its abort
   * has begun.
   *
   * @return whether it was one of these
   */
  synchronized boolean abandon() {
    if (upload.hasFailed()) {
      return false;
    }
    if (state == State.WRITING) {
      state = State.ABANDONED;
    } else if (state == State.PENDING && parked) {
      state = State.DISCARDED;
    } else {
      return false;
    }
    upload.beginAbort();
    return true;
  }

  /** Discards files in any state, and aborts their uploads. */
  static void discardAll(List<PendingFile> files) throws IOException {
    files.forEach(PendingFile::discard);
    abortAll(files);
  }

  /** Aborts the uploads of files that are discarded or have failed. All wait for it together. */
  static void abortAll(List<PendingFile> files) throws IOException {
    Failures failures = new Failures();
    files.forEach(file -> failures.of(file.upload::abort));
    failures.throwAny();
  }

  /** Whether it waits for job commit and a part of it is under way. */
  synchronized boolean isSending() {
    return state == State.PENDING && upload.isSending();
  }

  /** Waits for the parts that are under way. */
  OutputFile output() throws IOException {
    synchronized (this) {
      requirePending();
      parked = false;
    }
    upload.close();
    synchronized (this) {
      // Another thread may have discarded it meanwhile.
      requirePending();
      return upload.file();
    }
  }

  private void requirePending() throws IOException {
    requireKept();
    if (state == State.WRITING) {
      // As with every object store, a file does not exist before its close.
      throw new FileNotFoundException(
          ("ZR-2202: %s cannot be committed or read: it is still being written. Close the record"
                  + " writer first")
              .formatted(path));
    }
  }

  /** Throws why the file cannot be committed any more, if it cannot. */
  private synchronized void requireKept() throws IOException {
    if (state == State.DISCARDED) {
      throw new FileNotFoundException(
          ("ZR-2203: %s is not there any more: it was deleted or overwritten, or its upload was"
                  + " aborted with its task attempt")
              .formatted(path));
    }
    if (state == State.ABANDONED) {
      throw new IOException(
          ("ZR-2208: %s could not be written: its file system was closed before the file. The task"
                  + " attempt must fail; its retry writes the file again")
              .formatted(path));
    }
    upload.requireNotFailed();
  }

  synchronized FileStatus status() {
    return new FileStatus(upload.position(), false, 1, blockSize, modificationTime, path);
  }

  synchronized FSInputStream open() throws IOException {
    requirePending();
    return new TailInputStream(path, upload.position(), upload.tail());
  }

  /** Frees the bytes that are kept of a closed file, which can be read no more. */
  void forgetTail() {
    upload.forgetTail();
  }
}
