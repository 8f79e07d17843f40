package io.zerorename.core.manifest;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.store.PartBody;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** A piece of a file, read when it is asked for. */
record FileSlice(FileSystem fileSystem, Path file, long offset, long length) implements PartBody {
  FileSlice {
    requireNonNull(fileSystem, "fileSystem");
    requireNonNull(file, "file");
    if (offset < 0 || length < 0) {
      throw new IllegalArgumentException(length + " bytes at " + offset + " of " + file);
    }
  }

  @Override
  public InputStream open() throws IOException {
    FSDataInputStream in = fileSystem.open(file);
    try {
      in.seek(offset);
      return new Bounded(in, file, length);
    } catch (IOException | RuntimeException e) {
      try (in) {
        throw e;
      }
    }
  }

  /** Ends after the piece, and fails where the file ends before. */
  private static final class Bounded extends FilterInputStream {
    private final Path file;
    private long left;

    Bounded(InputStream in, Path file, long length) {
      super(in);
      this.file = file;
      this.left = length;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int from, int count) throws IOException {
      if (left == 0) {
        return -1;
      }
      int got = in.read(bytes, from, (int) Math.min(count, left));
      if (got < 0) {
        throw new EOFException(
            file + " was truncated after its task had written it: it lacks " + left + " bytes");
      }
      left -= got;
      return got;
    }

    @Override
    public long skip(long count) throws IOException {
      long skipped = in.skip(Math.min(count, left));
      left -= skipped;
      return skipped;
    }

    @Override
    public int available() throws IOException {
      return (int) Math.min(in.available(), left);
    }

    @Override
    public boolean markSupported() {
      return false;
    }
  }
}
