package io.zerorename.testing.s3server;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.TimeUnit;

/** The gateway's own connection to the server, opened when needed and used again while fresh. */
final class BackendConnection implements Closeable {
  /** Below the idle timeouts of S3 servers, so that a request never meets a closing connection. */
  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final InetSocketAddress address;
  private volatile Socket socket;
  private InputStream in;
  private OutputStream out;
  private long lastUsedNanos;

  BackendConnection(InetSocketAddress address) {
    this.address = address;
  }

  /** A stream for the next request. */
  OutputStream begin() throws IOException {
    if (socket == null || System.nanoTime() - lastUsedNanos > FRESH_NANOS) {
      close();
      Socket opened = new Socket(address.getAddress(), address.getPort());
      opened.setTcpNoDelay(true);
      in = new BufferedInputStream(opened.getInputStream(), 64 * 1024);
      out = new BufferedOutputStream(opened.getOutputStream(), 64 * 1024);
      socket = opened;
    }
    return out;
  }

  /** The head of the answer, after any interim answers. */
  HttpHead readAnswer() throws IOException {
    while (true) {
      HttpHead head =
          HttpHead.read(in)
              .orElseThrow(
                  () -> new EOFException("server at " + address + " closed without an answer"));
      if (head.status() >= 200) {
        lastUsedNanos = System.nanoTime();
        return head;
      }
    }
  }

  /** The stream that holds the body after {@link #readAnswer}. */
  InputStream in() {
    return in;
  }

  @Override
  public void close() throws IOException {
    Socket open = socket;
    socket = null;
    if (open != null) {
      open.close();
    }
  }
}
