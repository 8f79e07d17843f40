package io.zerorename.core.upload;

import io.zerorename.core.store.Failures;
import io.zerorename.core.store.RepeatableBody;
import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.Closeable;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.util.Arrays;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The bytes of one part: an array that grows as long as the {@link Buffering} allows it, else a
 * local file. Once it is {@link #seal sealed}, several threads may read; all else is guarded by its
 * {@link UploadStream}.
 */
final class PartBuffer implements RepeatableBody {
  private static final Logger LOG = LoggerFactory.getLogger(PartBuffer.class);

  /** Little, because hundreds of small files may be open. */
  private static final int FIRST = 8 << 10;

  private static final int LONGEST_ARRAY = 1 << 30;

  /** To free memory takes none: the heap may be full. */
  private static final byte[] EMPTY = {};

  final int number;
  private final long capacity;
  private final long inMemory;
  private final Buffering buffering;
  private final Failures.Step beforeRead;

  private byte[] array = EMPTY;
  private File file;
  private OutputStream unbuffered;
  private OutputStream fileStream;
  private long length;

  /**
   * @param number of the part in its file, from 1
   * @param capacity in bytes
   * @param start how many bytes of the file come before
   * @param beforeRead fails where nobody wants the bytes, so that a request is not repeated
   */
  PartBuffer(int number, long capacity, long start, Buffering buffering, Failures.Step beforeRead) {
    this.number = number;
    this.capacity = capacity;
    this.inMemory = Math.min(LONGEST_ARRAY, buffering.memoryPerFile - start);
    this.buffering = buffering;
    this.beforeRead = beforeRead;
  }

  /** Takes as many bytes as there is room for, and returns how many these are. */
  int write(byte[] bytes, int offset, int count) throws IOException {
    int taken = (int) Math.min(count, capacity - length);
    if (file == null && length + taken > array.length && !grow(length + taken)) {
      spill();
    }
    if (file == null) {
      System.arraycopy(bytes, offset, array, (int) length, taken);
    } else {
      fileStream.write(bytes, offset, taken);
    }
    length += taken;
    return taken;
  }

  private boolean grow(long needed) {
    if (needed > inMemory) {
      return false;
    }
    long most = Math.min(capacity, inMemory);
    int size = (int) Math.min(most, Math.max(needed, Math.max(FIRST, 2L * array.length)));
    // Before it is counted: the heap may be full.
    byte[] larger = Arrays.copyOf(array, size);
    if (!buffering.takeMemory(size - array.length)) {
      return false;
    }
    array = larger;
    return true;
  }

  private void spill() throws IOException {
    file = buffering.newFile(capacity);
    // Not Files.newOutputStream: a stream over a channel keeps the last array that it was given,
    // and hundreds of open files hundreds of arrays of any size.
    unbuffered = new FileOutputStream(file);
    fileStream = new BufferedOutputStream(unbuffered, FIRST);
    fileStream.write(array, 0, (int) length);
    freeMemory();
  }

  /** No byte follows; the body may be read from now on. */
  void seal() throws IOException {
    if (fileStream != null) {
      fileStream.close();
    }
  }

  @Override
  public long length() {
    return length;
  }

  @Override
  public InputStream open() throws IOException {
    beforeRead.run();
    // Not Files.newInputStream: a channel leaves each thread that has read from it a buffer
    // outside of the heap.
    return file == null
        ? new ByteArrayInputStream(array, 0, (int) length)
        : new FileInputStream(file);
  }

  /** A copy of the last bytes, at most {@code count}; to be asked after {@link #seal}. */
  byte[] lastBytes(int count) throws IOException {
    long before = Math.max(0, length - count);
    try (InputStream in = open()) {
      in.skipNBytes(before);
      return in.readNBytes((int) (length - before));
    }
  }

  /** Gives memory back and deletes the file. */
  void release() {
    freeMemory();
    // What is still buffered is not wanted any more, and on a full disk could not be written.
    try (Closeable ignored = unbuffered) {
      if (file != null) {
        Files.deleteIfExists(file.toPath());
      }
    } catch (IOException e) {
      LOG.warn("ZR-2112: The local file {} of an upload is needed no more, and stays", file, e);
    }
  }

  private void freeMemory() {
    buffering.giveBackMemory(array.length);
    array = EMPTY;
  }
}
