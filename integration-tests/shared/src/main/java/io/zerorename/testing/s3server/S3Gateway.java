package io.zerorename.testing.s3server;

import static java.util.Objects.requireNonNull;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.http.Header;
import org.apache.http.HttpEntityEnclosingRequest;
import org.apache.http.HttpHeaders;
import org.apache.http.HttpRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A reverse proxy in front of an S3 server that counts each request before the client has its
 * answer, and can delay requests or make them fail.
 *
 * <p>Heads and bodies pass unchanged, so signatures verify, unless {@link #storeInPlainText}. What
 * else it asks of the server is a defect of S3Proxy's: {@link BulkDelete#markersBesideFiles}. It
 * refuses what S3 refuses and S3Proxy does not: {@link PartChecksums}. Addresses must be
 * path-style. Clients speak plain HTTP, to the gateway as their server or, where the host is
 * signed, as their proxy; the server may speak HTTPS.
 */
public final class S3Gateway implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(S3Gateway.class);
  private static final int BACKLOG = 512;

  /** How headers begin that S3Proxy refuses. */
  private static final List<String> HEADERS_OF_AWS =
      List.of(
          "x-amz-server-side-encryption",
          "x-amz-acl",
          "x-amz-request-payer",
          "x-amz-storage-class",
          "x-amz-security-token");

  private final URI backend;
  private final UncountedRequests uncounted;
  private final ServerSocket listener;
  private final Counters counters = new Counters();
  private final PartChecksums checksums = new PartChecksums();
  private final List<RequestRecording> recordings = new CopyOnWriteArrayList<>();
  private final Set<GatewayConnection> connections = ConcurrentHashMap.newKeySet();
  private final AtomicInteger connectionNumber = new AtomicInteger();
  private volatile Latency latency = Latency.NONE;
  private volatile FaultRule faults = FaultRule.NONE;
  private volatile boolean plainText;
  private volatile Optional<String> serverName = Optional.empty();

  private S3Gateway(URI backend, UncountedRequests uncounted, InetAddress address)
      throws IOException {
    this.backend = backend;
    this.uncounted = requireNonNull(uncounted, "uncounted");
    this.listener = new ServerSocket(0, BACKLOG, address);
  }

  /** Starts a gateway on a free port of the loopback interface. */
  static S3Gateway start(URI backend, UncountedRequests uncounted) throws IOException {
    return start(backend, uncounted, InetAddress.getLoopbackAddress());
  }

  /** Starts a gateway on a free port of an address of this host. */
  static S3Gateway start(URI backend, UncountedRequests uncounted, InetAddress address)
      throws IOException {
    if (!List.of("http", "https").contains(backend.getScheme()) || backend.getHost() == null) {
      throw new IllegalArgumentException(
          "the gateway needs a server's address such as http://host:port or https://host, not "
              + backend);
    }
    S3Gateway gateway = new S3Gateway(backend, uncounted, address);
    startThread("s3-gateway", gateway::accept);
    return gateway;
  }

  /** Where clients connect. */
  public URI endpoint() {
    return URI.create(
        "http://" + listener.getInetAddress().getHostAddress() + ":" + listener.getLocalPort());
  }

  /** Everything counted since the start; compare two by {@link RequestCounts#minus}. */
  public RequestCounts counts() {
    return counters.snapshot();
  }

  /** Begins a list of the requests that arrive from now on. */
  public RequestRecording record() {
    RequestRecording recording = new RequestRecording(recordings::remove);
    recordings.add(recording);
    return recording;
  }

  /**
   * Returns when the server has dealt with all requests that its clients have sent, and none of
   * them is connected any more: after clients are killed, so that nothing of them is under way.
   *
   * @throws AssertionError where a client is still connected when the time is over
   */
  public void awaitDisconnected(Duration patience) throws InterruptedException {
    long end = System.nanoTime() + patience.toNanos();
    synchronized (connections) {
      while (!connections.isEmpty()) {
        long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
        if (left <= 0) {
          throw new AssertionError(
              connections.size() + " connections are still open after " + patience);
        }
        connections.wait(left);
      }
    }
  }

  /** How many connections are open, idle ones included. */
  public int connections() {
    return connections.size();
  }

  /** Sets how slow the server looks to requests that arrive from now on. */
  public void latency(Latency latency) {
    this.latency = requireNonNull(latency, "latency");
  }

  /** Sets what goes wrong with requests that arrive from now on. */
  public void faults(FaultRule faults) {
    this.faults = requireNonNull(faults, "faults");
  }

  /** Sets the server's name in its answers from now on; empty for its own. */
  public void serverName(Optional<String> name) {
    this.serverName = requireNonNull(name, "name");
  }

  /**
   * Keeps the headers that ask for encryption, an ACL or a storage class, let the requester pay or
   * belong to temporary credentials, from a server that would refuse them. They are signed, so the
   * server must not check signatures.
   */
  void storeInPlainText() {
    plainText = true;
  }

  @Override
  public void close() throws IOException {
    listener.close();
    connections.forEach(GatewayConnection::close);
  }

  /** Whether each request that has come is answered. */
  public boolean isQuiet() {
    synchronized (connections) {
      return connections.stream().noneMatch(GatewayConnection::isServing);
    }
  }

  URI backend() {
    return backend;
  }

  UncountedRequests uncounted() {
    return uncounted;
  }

  Counters counters() {
    return counters;
  }

  PartChecksums checksums() {
    return checksums;
  }

  /** The head of a request as the server gets it. */
  HttpEntityEnclosingRequest forwarded(HttpRequest head) {
    HttpEntityEnclosingRequest forServer = S3RequestParser.withoutServer(head);
    forServer.removeHeaders(HttpHeaders.EXPECT);
    if (plainText) {
      Arrays.stream(head.getAllHeaders())
          .filter(header -> HEADERS_OF_AWS.stream().anyMatch(lowerCase(header)::startsWith))
          .forEach(forServer::removeHeader);
    }
    return forServer;
  }

  private static String lowerCase(Header header) {
    return header.getName().toLowerCase(Locale.ROOT);
  }

  Optional<String> serverName() {
    return serverName;
  }

  Latency latency() {
    return latency;
  }

  /** Counts and records a request that has arrived, and says what shall go wrong with it. */
  Optional<Fault> arrived(S3Request request) {
    counters.request(request.type());
    recordings.forEach(recording -> recording.add(request));
    return faults.on(request);
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        serve(listener.accept());
      } catch (IOException e) {
        if (!listener.isClosed()) {
          LOG.warn("S3 gateway at {} could not accept a connection", endpoint(), e);
        }
      }
    }
  }

  private void serve(Socket client) {
    GatewayConnection connection = new GatewayConnection(this, client);
    connections.add(connection);
    if (listener.isClosed()) {
      connection.close();
    }
    startThread(
        "s3-gateway-" + connectionNumber.incrementAndGet(),
        () -> {
          try {
            connection.serve();
          } finally {
            removed(connection);
          }
        });
  }

  private void removed(GatewayConnection connection) {
    synchronized (connections) {
      connections.remove(connection);
      connections.notifyAll();
    }
  }

  private static void startThread(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
  }
}
