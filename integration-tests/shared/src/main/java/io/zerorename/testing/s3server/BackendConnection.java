package io.zerorename.testing.s3server;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The gateway's own connection to the server, opened when needed and used again while fresh. */
final class BackendConnection implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(BackendConnection.class);

  /** Below the idle timeouts of S3 servers, so that a request never meets a closing connection. */
  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(3);

  private static final int PATIENCE_MILLIS = 1_000;

  private final URI server;
  private volatile Socket socket;
  private InputStream in;
  private OutputStream out;
  private long lastUsedNanos;

  BackendConnection(URI server) {
    this.server = server;
  }

  /** A stream for the next request. */
  OutputStream begin() throws IOException {
    if (socket == null || System.nanoTime() - lastUsedNanos > FRESH_NANOS) {
      close();
      Socket opened = open();
      in = new BufferedInputStream(opened.getInputStream(), 64 * 1024);
      out = new BufferedOutputStream(opened.getOutputStream(), 64 * 1024);
      socket = opened;
    }
    return out;
  }

  /** Looks the name up each time: a store has many hosts. */
  private Socket open() throws IOException {
    boolean secure = server.getScheme().equals("https");
    int port = server.getPort() > 0 ? server.getPort() : secure ? 443 : 80;
    Socket plain = new Socket(server.getHost(), port);
    plain.setTcpNoDelay(true);
    if (!secure) {
      return plain;
    }
    SSLSocket socket =
        (SSLSocket)
            ((SSLSocketFactory) SSLSocketFactory.getDefault())
                .createSocket(plain, server.getHost(), port, true);
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    socket.setSSLParameters(parameters);
    return socket;
  }

  /** The head of the answer, after any interim answers. */
  HttpHead readAnswer() throws IOException {
    while (true) {
      HttpHead head =
          HttpHead.read(in)
              .orElseThrow(
                  () -> new EOFException("server at " + server + " closed without an answer"));
      if (head.status() >= 200) {
        lastUsedNanos = System.nanoTime();
        return head;
      }
    }
  }

  /** Whether there is an answer, as of a server that refuses a request before it has all of it. */
  boolean hasAnswered() {
    try {
      socket.setSoTimeout(PATIENCE_MILLIS);
      in.mark(1);
      boolean answered = in.read() >= 0;
      in.reset();
      socket.setSoTimeout(0);
      return answered;
    } catch (IOException e) {
      LOG.debug("no answer of {}", server, e);
      return false;
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
