package io.zerorename.core.upload;

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
import java.io.SequenceInputStream;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.util.functional.InvocationRaisingIOE;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The bytes of one part: chunks of memory as long as the {@link Buffering} allows it, else a local
 * file. Once it is {@link #seal sealed}, several threads may read; all else is guarded by its
 * {@link UploadStream}.
 */
final class PartBuffer implements RepeatableBody {
  private static final Logger LOG = LoggerFactory.getLogger(PartBuffer.class);

  /** Little, because hundreds of small files may be open; each chunk is twice the one before. */
  private static final int FIRST_CHUNK = 8 << 10;

  /** G1 gives an array from 512 KiB on whole regions, of which the rest is wasted. */
  private static final int LONGEST_CHUNK = 256 << 10;

  final int number;
  private final long capacity;
  private final long inMemory;
  private final Buffering buffering;
  private final InvocationRaisingIOE beforeRead;

  /** All are full but for the last. */
  private final List<byte[]> chunks = new ArrayList<>();

  /** The length of all chunks. */
  private long allocated;

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
  PartBuffer(
      int number, long capacity, long start, Buffering buffering, InvocationRaisingIOE beforeRead) {
    this.number = number;
    this.capacity = capacity;
    // Of a long file nothing may be left.
    this.inMemory = Math.max(0, Math.min(capacity, buffering.memoryPerFile() - start));
    this.buffering = buffering;
    this.beforeRead = beforeRead;
  }

  /** Takes some of the bytes, and returns how many these are: none where the part is full. */
  int write(byte[] bytes, int offset, int count) throws IOException {
    int taken = (int) Math.min(count, capacity - length);
    if (taken == 0) {
      return 0;
    }
    if (file == null && length == allocated && !grow()) {
      spill();
    }
    if (file == null) {
      byte[] chunk = chunks.get(chunks.size() - 1);
      int free = (int) (allocated - length);
      taken = Math.min(taken, free);
      System.arraycopy(bytes, offset, chunk, chunk.length - free, taken);
    } else {
      fileStream.write(bytes, offset, taken);
    }
    length += taken;
    return taken;
  }

  private boolean grow() {
    int last = chunks.isEmpty() ? FIRST_CHUNK / 2 : chunks.get(chunks.size() - 1).length;
    int size = (int) Math.min(inMemory - allocated, Math.min(LONGEST_CHUNK, 2L * last));
    if (size <= 0) {
      return false;
    }
    // Before it is counted: the heap may be full.
    chunks.add(new byte[size]);
    if (!buffering.takeMemory(size)) {
      chunks.remove(chunks.size() - 1);
      return false;
    }
    allocated += size;
    return true;
  }

  private void spill() throws IOException {
    file = buffering.newFile(capacity);
    // Not Files.newOutputStream: a stream over a channel keeps the last array that it was given,
    // and hundreds of open files hundreds of arrays of any size.
    unbuffered = new FileOutputStream(file);
    fileStream = new BufferedOutputStream(unbuffered, FIRST_CHUNK);
    for (byte[] chunk : chunks) {
      fileStream.write(chunk);
    }
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
    beforeRead.apply();
    // Not Files.newInputStream: a channel leaves each thread that has read from it a buffer
    // outside of the heap.
    return file == null ? memoryFrom(0) : new FileInputStream(file);
  }

  private InputStream memoryFrom(long first) {
    List<InputStream> streams = new ArrayList<>();
    long start = 0;
    for (byte[] chunk : chunks) {
      int skipped = (int) Math.min(Math.max(0, first - start), chunk.length);
      int end = (int) Math.min(chunk.length, length - start);
      streams.add(new ByteArrayInputStream(chunk, skipped, end - skipped));
      start += chunk.length;
    }
    return new SequenceInputStream(Collections.enumeration(streams));
  }

  /** A copy of the last bytes, at most {@code count}; to be asked after {@link #seal}. */
  byte[] lastBytes(int count) throws IOException {
    long before = Math.max(0, length - count);
    if (file == null) {
      return memoryFrom(before).readAllBytes();
    }
    try (InputStream in = open()) {
      in.skipNBytes(before);
      return in.readAllBytes();
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
    buffering.giveBackMemory(allocated);
    allocated = 0;
    chunks.clear();
  }
}
