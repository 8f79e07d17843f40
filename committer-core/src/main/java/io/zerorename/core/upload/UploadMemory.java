package io.zerorename.core.upload;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The memory of upload buffers, counted so that all files that one process has open stay below a
 * limit together. {@link #shared} is the instance of the process; everything else is per task
 * attempt.
 *
 * <p>Chunks of the full size are used again, as long as anybody uploads: to allocate them anew for
 * each part lets the heap grow to several times the limit before the garbage is collected.
 */
public final class UploadMemory {
  /**
   * The largest chunk, in bytes. With a heap below 4 GiB, G1 gives an array of 512 KiB or more
   * regions of 1 MiB of its own, so that chunks of 1 MiB would take twice their size.
   */
  static final int CHUNK = 256 << 10;

  private static final UploadMemory SHARED = new UploadMemory();

  private final Deque<byte[]> free = new ArrayDeque<>();
  private long used;
  private int users;

  /** The process's own count, which every task attempt in it should share. */
  public static UploadMemory shared() {
    return SHARED;
  }

  /** Bytes that are held now. */
  public synchronized long used() {
    return used;
  }

  /** Bytes that no file holds and that are kept for the next one. */
  public synchronized long kept() {
    return (long) free.size() * CHUNK;
  }

  /** To be called by each task attempt that is going to take chunks. */
  synchronized void begin() {
    users++;
  }

  /** The end of a {@link #begin}; after the last one nothing is kept. */
  synchronized void end() {
    if (--users == 0) {
      free.clear();
    }
  }

  /**
   * Takes a chunk if all holders together, and what is kept, stay within {@code limit} then.
   *
   * @return null where they would not; nothing is taken then
   */
  synchronized byte[] tryTake(int size, long limit) {
    if (used + size > limit) {
      return null;
    }
    byte[] chunk;
    if (size == CHUNK && !free.isEmpty()) {
      chunk = free.pop();
    } else {
      while (used + size + kept() > limit && !free.isEmpty()) {
        free.pop();
      }
      chunk = new byte[size];
    }
    used += size;
    return chunk;
  }

  /** Gives back what {@link #tryTake} has returned. Its content may be overwritten at once. */
  synchronized void giveBack(byte[] chunk) {
    forget(chunk);
    if (chunk.length == CHUNK && users > 0) {
      free.push(chunk);
    }
  }

  /** Gives back what {@link #tryTake} has returned, to the garbage collector. */
  synchronized void forget(byte[] chunk) {
    if (used < chunk.length) {
      throw new IllegalStateException("more upload memory was given back than taken");
    }
    used -= chunk.length;
  }
}
