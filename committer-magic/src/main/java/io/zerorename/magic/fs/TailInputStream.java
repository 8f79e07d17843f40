package io.zerorename.magic.fs;

import io.zerorename.core.config.CoreKeys;
import java.io.EOFException;
import java.io.IOException;
import java.util.Objects;
import org.apache.hadoop.fs.FSExceptionMessages;
import org.apache.hadoop.fs.FSInputStream;
import org.apache.hadoop.fs.Path;

/**
 * Reads the end of a pending file, such as a footer that a record writer has just written: S3
 * cannot return it before the upload is completed.
 */
final class TailInputStream extends FSInputStream {

  private final Path path;
  private final long length;
  private final byte[] tail;
  private long position;
  private boolean closed;

  TailInputStream(Path path, long length, byte[] tail) {
    this.path = path;
    this.length = length;
    this.tail = tail;
  }

  @Override
  public synchronized int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public synchronized int read(byte[] buffer, int offset, int count) throws IOException {
    checkOpen();
    Objects.checkFromIndexSize(offset, count, buffer.length);
    if (count == 0) {
      return 0;
    }
    if (position >= length) {
      return -1;
    }
    if (position < length - tail.length) {
      throw new IOException(
          ("ZR-2222: cannot read byte %s of %s: S3 shows nothing of an upload that is not"
                  + " completed, and only the last %s of its %s bytes are kept in memory (of its"
                  + " last part, and less once other files have been closed). Raise %s, or read the"
                  + " object after job commit")
              .formatted(position, path, tail.length, length, CoreKeys.UPLOAD_TAIL_SIZE.name()));
    }
    int from = Math.toIntExact(position - (length - tail.length));
    int read = Math.min(count, tail.length - from);
    System.arraycopy(tail, from, buffer, offset, read);
    position += read;
    return read;
  }

  @Override
  public synchronized int available() throws IOException {
    checkOpen();
    return (int) Math.min(Integer.MAX_VALUE, length - position);
  }

  @Override
  public synchronized void seek(long target) throws IOException {
    checkOpen();
    if (target < 0) {
      throw new EOFException(FSExceptionMessages.NEGATIVE_SEEK + " " + target + " in " + path);
    }
    if (target > length) {
      throw new EOFException(
          "%s: %s in %s of %s bytes"
              .formatted(FSExceptionMessages.CANNOT_SEEK_PAST_EOF, target, path, length));
    }
    position = target;
  }

  @Override
  public synchronized long getPos() {
    return position;
  }

  /** There is one copy of the bytes. */
  @Override
  public boolean seekToNewSource(long target) {
    return false;
  }

  @Override
  public synchronized void close() {
    closed = true;
  }

  private void checkOpen() throws IOException {
    if (closed) {
      throw new IOException(FSExceptionMessages.STREAM_IS_CLOSED + ": " + path);
    }
  }
}
