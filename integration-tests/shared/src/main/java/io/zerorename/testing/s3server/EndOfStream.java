package io.zerorename.testing.s3server;

import java.io.ByteArrayOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

/** Hands bytes on, and keeps the last ones. */
final class EndOfStream extends FilterOutputStream {
  private final int size;
  private ByteArrayOutputStream end = new ByteArrayOutputStream();

  EndOfStream(OutputStream out, int size) {
    super(out);
    this.size = size;
  }

  /** At least so many as asked for, if there were. */
  byte[] bytes() {
    return end.toByteArray();
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int count) throws IOException {
    out.write(bytes, offset, count);
    int from = Math.max(0, count - size);
    end.write(bytes, offset + from, count - from);
    if (end.size() > 2 * size) {
      byte[] all = end.toByteArray();
      end = new ByteArrayOutputStream();
      end.writeBytes(Arrays.copyOfRange(all, all.length - size, all.length));
    }
  }
}
