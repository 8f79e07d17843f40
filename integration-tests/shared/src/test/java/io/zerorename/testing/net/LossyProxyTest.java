package io.zerorename.testing.net;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What client and server see of each mishap. */
@Timeout(300)
class LossyProxyTest {
  private static final Logger LOG = LoggerFactory.getLogger(LossyProxyTest.class);
  private static final String GREETING = "you said ";

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final BlockingQueue<String> served = new LinkedBlockingQueue<>();
  private ServerSocket server;
  private LossyProxy proxy;

  @BeforeEach
  void start() throws IOException {
    server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    proxy = LossyProxy.start((InetSocketAddress) server.getLocalSocketAddress());
  }

  @AfterEach
  void stop() throws IOException {
    proxy.close();
    server.close();
    threads.shutdownNow();
  }

  @Test
  void bytesPassUnchangedBothWaysUntilBothSidesAreDone() throws Exception {
    byte[] sent = new byte[3_000_000];
    new Random(1).nextBytes(sent);
    byte[] answer = new byte[2_000_000];
    new Random(2).nextBytes(answer);
    Future<byte[]> arrived =
        threads.submit(
            () -> {
              try (Socket socket = server.accept()) {
                byte[] all = socket.getInputStream().readAllBytes();
                socket.getOutputStream().write(answer);
                return all;
              }
            });
    try (Socket client = connect()) {
      client.getOutputStream().write(sent);
      client.shutdownOutput();
      assertThat(client.getInputStream().readAllBytes()).isEqualTo(answer);
    }
    assertThat(arrived.get()).isEqualTo(sent);
    assertThat(proxy.struck()).isZero();
  }

  @Test
  void aRuleSeesWhichExchangeOfWhichConnectionItIs() throws IOException {
    serveLines();
    List<MishapRule.Exchange> seen = new CopyOnWriteArrayList<>();
    proxy.rule(
        exchange -> {
          seen.add(exchange);
          return MishapRule.NONE.on(exchange);
        });
    try (Socket first = connect();
        Socket second = connect()) {
      assertThat(ask(first, "a")).isEqualTo(GREETING + "a");
      assertThat(ask(first, "b")).isEqualTo(GREETING + "b");
      assertThat(ask(second, "c")).isEqualTo(GREETING + "c");
    }
    assertThat(seen)
        .containsExactly(
            new MishapRule.Exchange(1, 1, "a\n"),
            new MishapRule.Exchange(1, 2, "b\n"),
            new MishapRule.Exchange(2, 1, "c\n"));
  }

  @Test
  void aDroppedExchangeNeverReachesTheServer() throws IOException {
    serveLines();
    proxy.rule(MishapRule.nth(2, exchange -> true, new Mishap.Drop()));
    try (Socket client = connect()) {
      ask(client, "a");
      assertThat(ask(client, "b")).isNull();
    }
    try (Socket client = connect()) {
      ask(client, "c");
    }
    assertThat(served).containsExactly("a", "c");
    assertThat(proxy.struck()).isEqualTo(1);
  }

  @Test
  void aResetIsNotAnEnd() throws IOException {
    serveLines();
    proxy.rule(MishapRule.always(exchange -> true, new Mishap.Reset()));
    try (Socket client = connect()) {
      assertThatThrownBy(() -> ask(client, "a"))
          .isInstanceOf(SocketException.class)
          .hasMessageContaining("reset");
    }
    assertThat(served).isEmpty();
  }

  @Test
  void aDelayedExchangeIsOneThatPasses() throws IOException {
    serveLines();
    proxy.rule(MishapRule.always(exchange -> true, new Mishap.Delay(Duration.ofMillis(200))));
    try (Socket client = connect()) {
      long start = System.nanoTime();
      assertThat(ask(client, "a")).isEqualTo(GREETING + "a");
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(199));
    }
  }

  @Test
  void aDelayedExchangeReachesTheServerAfterTheClientHasGivenUp() throws Exception {
    serveLines();
    proxy.rule(MishapRule.always(exchange -> true, new Mishap.Delay(Duration.ofSeconds(2))));
    try (Socket client = connect()) {
      client.setSoTimeout(100);
      assertThatThrownBy(() -> ask(client, "late")).isInstanceOf(SocketTimeoutException.class);
    }
    assertThat(served.poll(2, TimeUnit.MINUTES)).isEqualTo("late");
    while (proxy.inMotion() > 0) {
      Thread.onSpinWait();
    }
  }

  @Test
  void anAnswerIsCutAfterTheGivenNumberOfBytes() throws IOException {
    serveLines();
    proxy.rule(MishapRule.first(1, exchange -> true, new Mishap.CutAnswer(3)));
    try (Socket client = connect()) {
      send(client, "a");
      assertThat(client.getInputStream().readAllBytes()).asString(UTF_8).isEqualTo("you");
    }
    proxy.rule(MishapRule.first(1, exchange -> true, new Mishap.CutAnswer(0)));
    try (Socket client = connect()) {
      send(client, "b");
      assertThat(client.getInputStream().readAllBytes()).isEmpty();
    }
    assertThat(served).containsExactly("a", "b");
  }

  @Test
  void anAnswerCanEndInAReset() throws IOException {
    serveLines();
    proxy.rule(MishapRule.always(exchange -> true, new Mishap.ResetAnswer(0)));
    try (Socket client = connect()) {
      assertThatThrownBy(() -> ask(client, "a")).isInstanceOf(SocketException.class);
    }
    assertThat(served).containsExactly("a");
  }

  @Test
  void aSwallowedAnswerLeavesTheClientWaiting() throws Exception {
    serveLines();
    proxy.rule(MishapRule.always(exchange -> true, new Mishap.SwallowAnswer()));
    try (Socket client = connect()) {
      client.setSoTimeout(200);
      assertThatThrownBy(() -> ask(client, "a")).isInstanceOf(SocketTimeoutException.class);
    }
    assertThat(served.poll(2, TimeUnit.MINUTES)).isEqualTo("a");
  }

  @Test
  void aRepeatedAnswerMakesLaterOnesLateByOne() throws IOException {
    serveLines();
    proxy.rule(MishapRule.first(1, exchange -> true, new Mishap.RepeatAnswer()));
    try (Socket client = connect()) {
      BufferedReader in = reader(client);
      send(client, "a");
      assertThat(in.readLine()).isEqualTo(GREETING + "a");
      send(client, "b");
      assertThat(in.readLine()).isEqualTo(GREETING + "a");
      assertThat(in.readLine()).isEqualTo(GREETING + "b");
    }
    assertThat(served).containsExactly("a", "b");
  }

  @Test
  void closingEndsConnectionsThatAreHeldUp() throws Exception {
    serveLines();
    proxy.rule(MishapRule.always(exchange -> true, new Mishap.Delay(Duration.ofHours(1))));
    try (Socket client = connect()) {
      send(client, "a");
      Future<byte[]> answer = threads.submit(() -> client.getInputStream().readAllBytes());
      while (proxy.struck() == 0) {
        Thread.onSpinWait();
      }
      assertThat(proxy.inMotion()).isEqualTo(1);
      proxy.close();
      assertThat(answer.get()).isEmpty();
    }
    assertThat(served).isEmpty();
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket();
    socket.connect(proxy.address());
    return socket;
  }

  private static String ask(Socket client, String line) throws IOException {
    send(client, line);
    return reader(client).readLine();
  }

  private static void send(Socket client, String line) throws IOException {
    OutputStream out = client.getOutputStream();
    out.write((line + "\n").getBytes(UTF_8));
    out.flush();
  }

  private static BufferedReader reader(Socket client) throws IOException {
    return new BufferedReader(new InputStreamReader(client.getInputStream(), UTF_8));
  }

  /** A server that says what it was told, line by line. */
  private void serveLines() {
    threads.execute(
        () -> {
          try {
            while (true) {
              Socket socket = server.accept();
              threads.execute(() -> answerLines(socket));
            }
          } catch (IOException e) {
            assertThat(server.isClosed()).as("%s", e).isTrue();
          }
        });
  }

  private void answerLines(Socket connection) {
    try (connection) {
      BufferedReader in = reader(connection);
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        served.add(line);
        send(connection, GREETING + line);
      }
    } catch (IOException e) {
      LOG.debug("a connection ended, as most of them are meant to here", e);
    }
  }
}
