package io.zerorename.testing.s3server;

import java.io.Closeable;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.apache.http.HttpException;
import org.apache.http.HttpResponse;
import org.apache.http.impl.DefaultBHttpClientConnection;
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
  private DefaultBHttpClientConnection connection;
  private long lastUsedNanos;

  BackendConnection(URI server) {
    this.server = server;
  }

  /** For the next request. */
  DefaultBHttpClientConnection begin() throws IOException {
    if (socket == null || System.nanoTime() - lastUsedNanos > FRESH_NANOS) {
      close();
      Socket opened = open();
      connection = new DefaultBHttpClientConnection(GatewayConnection.BUFFER);
      connection.bind(opened);
      socket = opened;
    }
    return connection;
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

  /** The answer, after any interim answers; its body is still to be read. */
  HttpResponse readAnswer(String method) throws IOException, HttpException {
    HttpResponse answer;
    do {
      answer = connection.receiveResponseHeader();
    } while (answer.getStatusLine().getStatusCode() < 200);
    lastUsedNanos = System.nanoTime();
    int status = answer.getStatusLine().getStatusCode();
    if (!method.equals("HEAD") && status != 204 && status != 304) {
      connection.receiveResponseEntity(answer);
    }
    return answer;
  }

  /** Whether there is an answer, as of a server that refuses a request before it has all of it. */
  boolean hasAnswered() {
    try {
      return socket != null && connection.isResponseAvailable(PATIENCE_MILLIS);
    } catch (IOException e) {
      LOG.debug("no answer of {}", server, e);
      return false;
    }
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
