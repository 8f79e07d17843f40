package io.zerorename.magic.fs;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Locale;
import org.apache.hadoop.fs.Abortable;
import org.apache.hadoop.fs.ClosedIOException;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.Syncable;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsContext;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;

/**
 * The output stream of a pending file.
 *
 * <p>{@link #hflush} and {@link #hsync} do nothing, as with S3A: S3 cannot keep part of an object,
 * and ORC and others call them on every store. {@link #hasCapability} denies them.
 */
final class PendingOutputStream extends OutputStream
    implements Syncable, Abortable, StreamCapabilities, IOStatisticsSource {

  private final PendingFiles files;
  private final PendingFile file;

  /** Of the thread that has created the file, as with S3A. */
  private final IOStatisticsContext context = IOStatisticsContext.getCurrentIOStatisticsContext();

  private volatile boolean closed;

  PendingOutputStream(PendingFiles files, PendingFile file) {
    this.files = requireNonNull(files, "files");
    this.file = requireNonNull(file, "file");
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    checkOpen();
    file.write(bytes, offset, length);
  }

  /** Does nothing, also after the close, as with S3A: some writers flush closed streams. */
  @Override
  public void flush() {}

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
        file.close();
        files.closed(file);
      } finally {
        context.getAggregator().aggregate(file.statistics());
      }
    }
  }

  /** Discards the file. After a close this does nothing: delete the file instead. */
  @Override
  public AbortableResult abort() {
    boolean alreadyClosed = closed;
    IOException problem = null;
    if (!closed) {
      closed = true;
      try {
        files.discard(file);
      } catch (IOException e) {
        problem = e;
      }
    }
    return new Aborted(alreadyClosed, problem);
  }

  @Override
  public boolean hasCapability(String capability) {
    return switch (capability.toLowerCase(Locale.ROOT)) {
      case CommonPathCapabilities.ABORTABLE_STREAM,
          StreamCapabilities.IOSTATISTICS,
          StreamCapabilities.IOSTATISTICS_CONTEXT ->
          true;
      default -> false;
    };
  }

  @Override
  public IOStatistics getIOStatistics() {
    return file.statistics();
  }

  @Override
  public String toString() {
    return "stream to pending file " + file.path();
  }

  private void checkOpen() throws IOException {
    if (closed) {
      throw new ClosedIOException(file.path().toString(), "ZR-2225: the stream is closed");
    }
  }

  private record Aborted(boolean alreadyClosed, IOException anyCleanupException)
      implements AbortableResult {}
}
