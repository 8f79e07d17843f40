package io.zerorename.testing.s3server;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.zerorename.testing.process.ChildJvm;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** S3Proxy in a process of its own, which ends no later than this one. */
final class S3ProxyProcess implements Closeable {
  /** Where the build puts S3Proxy's jar, relative to a module. */
  static final Path BUILT_JAR = Path.of("target", "s3proxy", "s3proxy.jar");

  static final String JAR_PROPERTY = "zerorename.s3proxy.jar";

  /**
   * An option for the server's JVM. Tests are over before the second compiler pays. Only that one
   * hashes by the processor's instructions, and the server hashes each byte twice: in the benchmark
   * it would measure mostly that.
   */
  private static final String COMPILER_PROPERTY = "zerorename.s3proxy.compiler";

  private static final Pattern PORT =
      Pattern.compile("Started .*ServerConnector.*\\{127\\.0\\.0\\.1:(\\d+)}");
  private static final int KEPT_LINES = 100;
  private static final long START_SECONDS = 300;

  private final Process process;
  private final Deque<String> lastLines = new ArrayDeque<>();
  private final CompletableFuture<Integer> port = new CompletableFuture<>();

  private S3ProxyProcess(Process process) {
    this.process = process;
  }

  /** Starts S3Proxy over a directory and waits until it answers. */
  static S3ProxyProcess start(Path workDirectory, String accessKey, String secretKey)
      throws IOException {
    return start(
        workDirectory,
        List.of(
            "s3proxy.authorization=aws-v2-or-v4",
            "s3proxy.identity=" + accessKey,
            "s3proxy.credential=" + secretKey));
  }

  /** The same, for everybody: it checks no signatures. */
  static S3ProxyProcess start(Path workDirectory) throws IOException {
    return start(workDirectory, List.of("s3proxy.authorization=none"));
  }

  private static S3ProxyProcess start(Path workDirectory, List<String> authorization)
      throws IOException {
    Path data = Files.createDirectories(workDirectory.resolve("data"));
    Path properties = workDirectory.resolve("s3proxy.properties");
    Files.writeString(
        properties,
        String.join(
            "\n",
            "s3proxy.endpoint=http://127.0.0.1:0",
            String.join("\n", authorization),
            "jclouds.provider=filesystem-nio2",
            "jclouds.filesystem.basedir=" + data,
            ""));
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ChildJvm.UNVERIFIED);
    command.addAll(
        List.of(
            "-Xmx512m",
            "-XX:+UseSerialGC",
            System.getProperty(COMPILER_PROPERTY, "-XX:TieredStopAtLevel=1"),
            "-Djava.io.tmpdir=" + workDirectory,
            "-cp",
            jar() + File.pathSeparator + ownClasses(),
            S3ProxyLauncher.class.getName(),
            "--properties",
            properties.toString()));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    S3ProxyProcess started = new S3ProxyProcess(process);
    Thread reader = new Thread(started::readOutput, "s3proxy-output");
    reader.setDaemon(true);
    reader.start();
    try {
      started.awaitPort();
      return started;
    } catch (IOException e) {
      started.close();
      throw e;
    }
  }

  URI endpoint() {
    return URI.create("http://127.0.0.1:" + port.join());
  }

  long pid() {
    return process.pid();
  }

  /** What the process printed last, to explain a failure. */
  String lastOutput() {
    synchronized (lastLines) {
      return String.join("\n", lastLines);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
    try {
      process.waitFor(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void awaitPort() throws IOException {
    try {
      port.get(START_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException(
          "the embedded S3 server did not start within "
              + START_SECONDS
              + " s. Its output ended with:\n"
              + lastOutput(),
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while the embedded S3 server started", e);
    }
  }

  private void readOutput() {
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
        Matcher matcher = PORT.matcher(line);
        if (matcher.find()) {
          port.complete(Integer.valueOf(matcher.group(1)));
        }
      }
      port.completeExceptionally(new IOException("the process ended"));
    } catch (IOException e) {
      port.completeExceptionally(e);
    }
  }

  private static Path jar() throws IOException {
    String property = System.getProperty(JAR_PROPERTY);
    List<Path> candidates =
        property != null
            ? List.of(Path.of(property))
            : List.of(BUILT_JAR, Path.of("committer-core").resolve(BUILT_JAR));
    return candidates.stream()
        .filter(Files::isRegularFile)
        .findFirst()
        .map(Path::toAbsolutePath)
        .orElseThrow(
            () ->
                new IOException(
                    "S3Proxy's jar is not at "
                        + candidates
                        + ", where the build copies it in the phase generate-test-resources. Run"
                        + " mvn test-compile, or name the jar with -D"
                        + JAR_PROPERTY));
  }

  private static Path ownClasses() throws IOException {
    try {
      return Path.of(
          S3ProxyLauncher.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IOException("the location of this class is not a path", e);
    }
  }
}
