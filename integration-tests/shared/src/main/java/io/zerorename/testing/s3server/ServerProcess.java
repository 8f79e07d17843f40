package io.zerorename.testing.s3server;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An S3 server on loopback in a process of its own. */
final class ServerProcess implements RunningServer {
  private static final int KEPT_LINES = 100;
  private static final long START_SECONDS = 300;
  private static final long PAUSE_MILLIS = 100;
  private static final int ANSWER_MILLIS = 10_000;

  private final Process process;
  private final Deque<String> lastLines = new ArrayDeque<>();
  private final CompletableFuture<Integer> port = new CompletableFuture<>();

  private ServerProcess(Process process) {
    this.process = process;
  }

  /**
   * Starts a server that chooses its port, and waits until it prints it.
   *
   * @param line matches the line with the port, which is its first group
   */
  static ServerProcess start(ProcessBuilder command, Pattern line) throws IOException {
    return started(command, process -> process.awaitLine(), line);
  }

  /** Starts a server with a given port, and waits until it answers there. */
  static ServerProcess startAt(int port, ProcessBuilder command) throws IOException {
    return started(command, process -> process.awaitAnswer(port), null);
  }

  /** A port that is free now. */
  static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private interface Wait {
    void until(ServerProcess process) throws IOException, InterruptedException;
  }

  private static ServerProcess started(ProcessBuilder command, Wait wait, Pattern line)
      throws IOException {
    ServerProcess started = new ServerProcess(command.redirectErrorStream(true).start());
    Thread reader = new Thread(() -> started.readOutput(line), "s3-server-output");
    reader.setDaemon(true);
    reader.start();
    try {
      wait.until(started);
      return started;
    } catch (IOException e) {
      started.close();
      throw e;
    } catch (InterruptedException e) {
      started.close();
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while the S3 server started", e);
    }
  }

  @Override
  public URI endpoint() {
    return URI.create("http://127.0.0.1:" + port.join());
  }

  @Override
  public boolean isAlive() {
    return process.isAlive();
  }

  @Override
  public long pid() {
    return process.pid();
  }

  @Override
  public void close() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    try {
      process.waitFor(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void awaitLine() throws IOException, InterruptedException {
    try {
      port.get(START_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw notStarted(e);
    }
  }

  private void awaitAnswer(int number) throws IOException, InterruptedException {
    URI root = URI.create("http://127.0.0.1:" + number + "/");
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
    IOException last = null;
    while (process.isAlive() && System.nanoTime() < deadline) {
      try {
        HttpURLConnection connection = (HttpURLConnection) root.toURL().openConnection();
        connection.setConnectTimeout(ANSWER_MILLIS);
        connection.setReadTimeout(ANSWER_MILLIS);
        int status = connection.getResponseCode();
        // It answers before it can work.
        if (status < HttpURLConnection.HTTP_INTERNAL_ERROR) {
          port.complete(number);
          return;
        }
      } catch (IOException e) {
        last = e;
      }
      Thread.sleep(PAUSE_MILLIS);
    }
    throw notStarted(last);
  }

  private IOException notStarted(Exception cause) {
    synchronized (lastLines) {
      return new IOException(
          "the S3 server did not start within "
              + START_SECONDS
              + " s. Its output ended with:\n"
              + String.join("\n", lastLines),
          cause);
    }
  }

  private void readOutput(Pattern portLine) {
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
      String line;
      while ((line = lines.readLine()) != null) {
        synchronized (lastLines) {
          lastLines.addLast(line);
          if (lastLines.size() > KEPT_LINES) {
            lastLines.removeFirst();
          }
        }
        Matcher matcher = portLine == null ? null : portLine.matcher(line);
        if (matcher != null && matcher.find()) {
          port.complete(Integer.valueOf(matcher.group(1)));
        }
      }
      port.completeExceptionally(new IOException("the process ended"));
    } catch (IOException e) {
      port.completeExceptionally(e);
    }
  }
}
