package io.zerorename.testing.s3server;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.OptionalLong;
import org.apache.http.HttpEntity;
import org.apache.http.entity.HttpEntityWrapper;

/** The body of a request on its way to the server, of which the last bytes are kept. */
final class PassingBody extends HttpEntityWrapper {
  private final OptionalLong bytesPerSecond;
  private long moved;
  private byte[] end = {};

  /**
   * @param bytesPerSecond moves bytes no faster; empty: as fast as they come
   */
  PassingBody(HttpEntity body, OptionalLong bytesPerSecond) {
    super(body);
    this.bytesPerSecond = bytesPerSecond;
  }

  /** Bytes of payload moved so far. */
  long moved() {
    return moved;
  }

  /** Where its trailing headers are, if it has any. */
  byte[] end() {
    return end;
  }

  @Override
  public void writeTo(OutputStream out) throws IOException {
    long startNanos = System.nanoTime();
    byte[] buffer = new byte[GatewayConnection.BUFFER];
    InputStream in = getContent();
    int read;
    while ((read = in.read(buffer)) >= 0) {
      out.write(buffer, 0, read);
      moved += read;
      keep(buffer, read);
      if (bytesPerSecond.isPresent()) {
        Pause.until(startNanos + Pause.nanosFor(moved, bytesPerSecond.getAsLong()));
      }
    }
  }

  private void keep(byte[] buffer, int read) {
    int from = Math.max(0, read - PartChecksums.TRAILER_BYTES);
    int before = Math.min(end.length, PartChecksums.TRAILER_BYTES - (read - from));
    byte[] kept = Arrays.copyOfRange(end, end.length - before, end.length + read - from);
    System.arraycopy(buffer, from, kept, before, read - from);
    end = kept;
  }
}
