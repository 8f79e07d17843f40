package io.zerorename.magic.fs;

import io.zerorename.core.store.Failures;
import io.zerorename.core.upload.OutputFile;
import io.zerorename.core.upload.UploadStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import org.apache.hadoop.fs.FSInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;

/**
 * One file of a session, and the stream of its writer, from its creation to its description for job
 * commit. Its {@link UploadStream} has its state, and keeps a failure, so that no file is lost
 * silently if a record writer swallows the exception.
 *
 * <p>A flush does nothing, as with S3A: S3 cannot keep part of an object, and ORC and others call
 * hflush and hsync on every store, on closed streams as well.
 *
 * <p>Thread-safe: another thread may abort the session while the writer is running.
 */
final class PendingFile extends OutputStream {
  private final PendingFiles session;
  final Path path;

  /** It is closed once the file waits for job commit. */
  final UploadStream upload;

  private final long blockSize;
  private final long modificationTime = System.currentTimeMillis();

  private boolean closed;

  /** Whether it is closed and perhaps no caller will ask for its {@link #output}. */
  private boolean parked;

  PendingFile(PendingFiles session, Path path, UploadStream upload, long blockSize) {
    this.session = session;
    this.path = path;
    this.upload = upload;
    this.blockSize = blockSize;
  }

  @Override
  public void write(int b) throws IOException {
    upload.write(b);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    upload.write(bytes, offset, length);
  }

  /** Makes the file pending. Closing again does nothing, also after a close that failed. */
  @Override
  public void close() throws IOException {
    if (!closed) {
      closed = true;
      upload.close();
      session.closed(this);
    }
  }

  /** Frees the end of a closed file, and lets {@link #abandon} abort its upload. */
  synchronized void park() {
    parked = true;
    upload.forgetTail();
  }

  /** Stops the file if it is still being written, or parked: nobody will commit it. */
  synchronized void abandon() {
    if (!upload.isClosed() || parked) {
      upload.fail("its file system was closed before the file was closed or committed");
    }
  }

  /** Discards files in any state, and aborts their uploads. All wait for it together. */
  static void discardAll(List<PendingFile> files) throws IOException {
    files.forEach(file -> file.upload.beginAbort());
    Failures failures = new Failures();
    files.forEach(file -> failures.of(file.upload::abort));
    failures.throwAny();
  }

  /** Waits for the parts that are under way. */
  OutputFile output() throws IOException {
    synchronized (this) {
      parked = false;
    }
    return upload.file();
  }

  FileStatus status() {
    return new FileStatus(upload.position(), false, 1, blockSize, modificationTime, path);
  }

  FSInputStream open() throws IOException {
    return new TailInputStream(path, upload.position(), upload.tail());
  }
}
