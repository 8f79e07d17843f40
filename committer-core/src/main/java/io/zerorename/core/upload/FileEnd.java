package io.zerorename.core.upload;

import io.zerorename.core.upload.UploadStream.Tail;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;

/**
 * The parts that reach into the end of a file that is being written. Nothing of them is copied
 * before the file is finished. Callers hold the monitor of its stream.
 */
final class FileEnd {
  private final int size;
  private final Deque<PartBuffer> parts = new ArrayDeque<>();

  /**
   * @param size in bytes
   */
  FileEnd(int size) {
    this.size = size;
  }

  /** Takes the next part, to which no byte is added any more. */
  void add(PartBuffer part) throws IOException {
    part.retain();
    parts.add(part);
    releaseBefore(0);
  }

  /** Releases the parts of which nothing is in the end, if these bytes follow them. */
  void releaseBefore(long following) throws IOException {
    long after = following;
    Iterator<PartBuffer> fromLast = parts.descendingIterator();
    while (fromLast.hasNext()) {
      PartBuffer part = fromLast.next();
      if (after >= size) {
        fromLast.remove();
        part.release();
      }
      after += part.length();
    }
  }

  /** Copies the end of the file, and releases its parts. They may lie on disk. */
  Tail take(long position) throws IOException {
    byte[] bytes = new byte[(int) Math.min(size, position)];
    int missing = bytes.length;
    Iterator<PartBuffer> fromLast = parts.descendingIterator();
    while (missing > 0) {
      byte[] piece = fromLast.next().end(missing);
      missing -= piece.length;
      System.arraycopy(piece, 0, bytes, missing, piece.length);
    }
    release();
    return new Tail(position - bytes.length, bytes);
  }

  /** Releases all parts, also where one of them cannot be deleted; there are few. */
  void release() throws IOException {
    PartBuffer part = parts.poll();
    if (part != null) {
      try {
        part.release();
      } finally {
        release();
      }
    }
  }
}
