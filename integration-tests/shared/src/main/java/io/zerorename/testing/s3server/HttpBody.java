package io.zerorename.testing.s3server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.OptionalLong;

/** Carries the body of an HTTP message from one connection to another as it stands. */
final class HttpBody {
  private static final int BUFFER = 64 * 1024;

  private final OptionalLong bytesPerSecond;
  private final long startNanos = System.nanoTime();
  private final byte[] buffer = new byte[BUFFER];
  private long moved;

  /** Moves bytes no faster than the rate, or as fast as they come. */
  HttpBody(OptionalLong bytesPerSecond) {
    this.bytesPerSecond = bytesPerSecond;
  }

  /** Bytes of payload moved so far, without the framing of chunks. */
  long moved() {
    return moved;
  }

  void copyLength(InputStream in, OutputStream out, long length) throws IOException {
    long left = length;
    while (left > 0) {
      int read = in.read(buffer, 0, (int) Math.min(buffer.length, left));
      if (read < 0) {
        throw new EOFException("connection closed " + left + " bytes before the end of a body");
      }
      out.write(buffer, 0, read);
      left -= read;
      moved += read;
      pace();
    }
  }

  void copyChunks(InputStream in, OutputStream out) throws IOException {
    while (true) {
      String sizeLine = line(in);
      writeLine(out, sizeLine);
      int extension = sizeLine.indexOf(';');
      String hex = extension < 0 ? sizeLine : sizeLine.substring(0, extension);
      long size = Long.parseLong(hex.strip(), 16);
      if (size == 0) {
        break;
      }
      copyLength(in, out, size);
      writeLine(out, line(in));
    }
    String trailer;
    do {
      trailer = line(in);
      writeLine(out, trailer);
    } while (!trailer.isEmpty());
  }

  void copyToEnd(InputStream in, OutputStream out) throws IOException {
    int read;
    while ((read = in.read(buffer)) >= 0) {
      out.write(buffer, 0, read);
      moved += read;
      pace();
    }
  }

  private static String line(InputStream in) throws IOException {
    return HttpHead.readLine(in)
        .orElseThrow(() -> new EOFException("connection closed within a chunked body"));
  }

  private static void writeLine(OutputStream out, String line) throws IOException {
    out.write((line + "\r\n").getBytes(ISO_8859_1));
  }

  private void pace() throws IOException {
    if (bytesPerSecond.isPresent()) {
      Pause.until(startNanos + Pause.nanosFor(moved, bytesPerSecond.getAsLong()));
    }
  }
}
