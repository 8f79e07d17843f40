package io.zerorename.testing.net;

import static java.util.Objects.requireNonNull;

import io.zerorename.testing.net.MishapRule.Exchange;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Forwards TCP connections to a server, and lets a {@link MishapRule} lose, delay and repeat bytes.
 *
 * <p>It knows no protocol. It takes for one exchange what a client sends until the server answers,
 * and that answer; so client and server must take turns, as HTTP/1.1 does without pipelining. What
 * HTTP sends after {@code 100 Continue} is an exchange of its own.
 */
public final class LossyProxy implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(LossyProxy.class);
  private static final int BACKLOG = 512;

  private final InetSocketAddress server;
  private final ServerSocket listener;
  private final Set<LossyConnection> connections = ConcurrentHashMap.newKeySet();
  private final AtomicInteger accepted = new AtomicInteger();
  private final AtomicInteger struck = new AtomicInteger();
  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile MishapRule rule = MishapRule.NONE;

  private LossyProxy(InetSocketAddress server) throws IOException {
    this.server = requireNonNull(server, "server");
    this.listener = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
  }

  /** Starts on a free port of the loopback interface. */
  public static LossyProxy start(InetSocketAddress server) throws IOException {
    LossyProxy proxy = new LossyProxy(server);
    startThread("lossy-proxy", proxy::accept);
    return proxy;
  }

  /** Where clients connect. */
  public InetSocketAddress address() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), listener.getLocalPort());
  }

  /** Sets what befalls exchanges that begin from now on. */
  public void rule(MishapRule rule) {
    this.rule = requireNonNull(rule, "rule");
  }

  /** How many exchanges a rule has struck since the start. */
  public int struck() {
    return struck.get();
  }

  /** How many exchanges have begun of which the server has not yet answered a byte. */
  public long inMotion() {
    return connections.stream().filter(LossyConnection::inMotion).count();
  }

  @Override
  public void close() throws IOException {
    closed.countDown();
    listener.close();
    connections.forEach(LossyConnection::close);
  }

  InetSocketAddress server() {
    return server;
  }

  Optional<Mishap> begins(Exchange exchange) {
    Optional<Mishap> mishap = rule.on(exchange);
    mishap.ifPresent(
        some -> {
          LOG.info(
              "{} strikes exchange {} of connection {}",
              some,
              exchange.number(),
              exchange.connection());
          struck.incrementAndGet();
        });
    return mishap;
  }

  /** Waits; returns false, and at once, where the proxy is closed. */
  boolean pause(Duration time) throws InterruptedException {
    return !closed.await(time.toNanos(), TimeUnit.NANOSECONDS);
  }

  void ended(LossyConnection connection) {
    connections.remove(connection);
  }

  static void startThread(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        serve(listener.accept());
      } catch (IOException e) {
        if (!listener.isClosed()) {
          LOG.warn("the proxy at {} could not accept a connection", address(), e);
        }
      }
    }
  }

  private void serve(Socket client) {
    LossyConnection connection =
        new LossyConnection(this, accepted.incrementAndGet(), client, new Socket());
    connections.add(connection);
    if (listener.isClosed()) {
      connection.close();
    }
    connection.start();
  }
}
