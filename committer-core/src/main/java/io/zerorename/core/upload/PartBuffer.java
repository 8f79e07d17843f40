package io.zerorename.core.upload;

import io.zerorename.core.store.RepeatableBody;
import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.io.SequenceInputStream;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;

/**
 * The bytes of one part, in memory as long as the limits allow it, else in a local file. Memory is
 * taken as bytes arrive, at first little, so that hundreds of open small files cost little. One
 * thread writes; once it has {@link #seal sealed}, several may read and release.
 */
final class PartBuffer implements RepeatableBody {
  private static final int FIRST_CHUNK = 8 << 10;

  private final long capacity;
  private final long inMemory;
  private final UploadMemory memory;
  private final Buffering buffering;

  private final List<byte[]> chunks = new ArrayList<>();
  private int usedInLast;
  private File file;
  private OutputStream unbuffered;
  private OutputStream fileStream;
  private long length;

  private int holders = 1;

  /**
   * @param capacity in bytes
   * @param start how many bytes of the file come before
   */
  PartBuffer(long capacity, long start, UploadMemory memory, Buffering buffering) {
    this.capacity = capacity;
    this.inMemory = Math.max(0, buffering.memoryPerFile() - start);
    this.memory = memory;
    this.buffering = buffering;
  }

  long remaining() {
    return capacity - length;
  }

  /** Takes at most {@link #remaining} bytes. */
  void write(byte[] bytes, int offset, int count) throws IOException {
    if (count > remaining()) {
      throw new IllegalArgumentException(count + " bytes do not fit into " + remaining());
    }
    int from = offset;
    int left = count;
    while (left > 0) {
      if (file == null && !hasRoomInChunk() && !addChunk()) {
        spill();
      }
      int now;
      if (file != null) {
        now = left;
        fileStream.write(bytes, from, now);
      } else {
        byte[] chunk = chunks.get(chunks.size() - 1);
        now = Math.min(left, chunk.length - usedInLast);
        System.arraycopy(bytes, from, chunk, usedInLast, now);
        usedInLast += now;
      }
      from += now;
      left -= now;
      length += now;
    }
  }

  /** No byte follows; the body may be read from now on. */
  void seal() throws IOException {
    if (fileStream != null) {
      fileStream.close();
    }
  }

  private boolean hasRoomInChunk() {
    return !chunks.isEmpty() && usedInLast < chunks.get(chunks.size() - 1).length;
  }

  private boolean addChunk() {
    if (length >= inMemory) {
      return false;
    }
    long size = Math.min(remaining(), Math.min(UploadMemory.CHUNK, Math.max(FIRST_CHUNK, length)));
    byte[] chunk = memory.tryTake((int) size, buffering.memoryLimit());
    if (chunk == null) {
      return false;
    }
    chunks.add(chunk);
    usedInLast = 0;
    return true;
  }

  private void spill() throws IOException {
    file = buffering.directories().createFile(capacity);
    // Not Files.newOutputStream: a stream over a channel keeps the last array that it was given,
    // and hundreds of open files hundreds of arrays of any size.
    unbuffered = new FileOutputStream(file);
    fileStream = new BufferedOutputStream(unbuffered, FIRST_CHUNK);
    for (int i = 0; i < chunks.size(); i++) {
      fileStream.write(chunks.get(i), 0, usedIn(i));
    }
    if (length >= inMemory) {
      // What follows in this file needs none of it.
      free(memory::forget);
    } else {
      free(memory::giveBack);
    }
  }

  private int usedIn(int chunk) {
    return chunk == chunks.size() - 1 ? usedInLast : chunks.get(chunk).length;
  }

  @Override
  public long length() {
    return length;
  }

  @Override
  public InputStream open() throws IOException {
    if (file != null) {
      // Not Files.newInputStream: a channel leaves each thread that has read from it a buffer
      // outside of the heap.
      return new FileInputStream(file);
    }
    List<InputStream> streams = new ArrayList<>(chunks.size());
    for (int i = 0; i < chunks.size(); i++) {
      streams.add(new ByteArrayInputStream(chunks.get(i), 0, usedIn(i)));
    }
    return new SequenceInputStream(Collections.enumeration(streams));
  }

  /** A copy of the last bytes, at most {@code count}; to be asked after {@link #seal}. */
  byte[] lastBytes(long count) throws IOException {
    byte[] result = new byte[(int) Math.min(count, length)];
    if (file != null) {
      try (RandomAccessFile in = new RandomAccessFile(file, "r")) {
        in.seek(length - result.length);
        in.readFully(result);
      }
      return result;
    }
    int missing = result.length;
    for (int i = chunks.size() - 1; missing > 0; i--) {
      int now = Math.min(missing, usedIn(i));
      System.arraycopy(chunks.get(i), usedIn(i) - now, result, missing - now, now);
      missing -= now;
    }
    return result;
  }

  /** Keeps the bytes until one more {@link #release}. */
  synchronized void retain() {
    holders++;
  }

  /** Gives memory back and deletes the file, once who made the part has called it too. */
  synchronized void release() throws IOException {
    if (--holders == 0) {
      free(memory::giveBack);
      deleteFile();
    }
  }

  private void deleteFile() throws IOException {
    if (file != null) {
      try {
        // What is still buffered is not wanted any more, and on a full disk could not be written.
        if (unbuffered != null) {
          unbuffered.close();
        }
      } finally {
        Files.deleteIfExists(file.toPath());
      }
    }
  }

  private void free(Consumer<byte[]> end) {
    chunks.forEach(end);
    chunks.clear();
    usedInLast = 0;
  }
}
