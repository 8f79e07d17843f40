package io.zerorename.core.upload;

import io.zerorename.core.upload.UploadStream.Tail;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Iterator;

/**
 * The end of a file that is being written. Nothing is copied before it is asked for: most parts are
 * under way for longer than the end takes to follow. Callers hold the monitor of its stream.
 */
final class FileEnd {
  private final int size;

  /** The latest parts, as long as what follows is shorter than the end; none once there is one. */
  private final Deque<PartBuffer> parts = new ArrayDeque<>();

  private Tail tail;

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

  /** Copies the end of the parts and releases them. They may lie on disk, if memory is short. */
  Tail make(long position) throws IOException {
    if (tail == null) {
      byte[] end = new byte[0];
      Iterator<PartBuffer> fromLast = parts.descendingIterator();
      while (fromLast.hasNext() && end.length < size) {
        byte[] before = fromLast.next().end(size - end.length);
        byte[] joined = Arrays.copyOf(before, before.length + end.length);
        System.arraycopy(end, 0, joined, before.length, end.length);
        end = joined;
      }
      tail = new Tail(position - end.length, end);
      releaseAll();
    }
    return tail;
  }

  /** Makes it empty. */
  void drop(long position) throws IOException {
    tail = new Tail(position, new byte[0]);
    releaseAll();
  }

  /** Its length, whether or not it is in memory already. */
  long length(long position) {
    return tail == null ? Math.min(position, size) : tail.bytes().length;
  }

  /** Also where one of them cannot be deleted; there are few. */
  private void releaseAll() throws IOException {
    PartBuffer part = parts.poll();
    if (part != null) {
      try {
        part.release();
      } finally {
        releaseAll();
      }
    }
  }
}
