package io.zerorename.testing.s3server;

import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * S3 servers that others publish, which the build makes of their public packages: of Go's modules
 * by {@code go install}, of PyPI's by {@code pip}.
 */
public enum PublicServer implements OtherServer {
  /** Has no releases as a module since 2019: a commit. */
  MINIO("go", "github.com/minio/minio@v0.0.0-20260212201848-7aac2a2c5b7c", "minio") {
    @Override
    List<String> arguments(int port, Path data) {
      return List.of("server", "--quiet", "--address", "127.0.0.1:" + port, data.toString());
    }
  },
  /** Over a directory. */
  VERSITYGW("go", "github.com/versity/versitygw/cmd/versitygw@v1.8.0", "versitygw") {
    @Override
    List<String> arguments(int port, Path data) {
      return List.of("--port", "127.0.0.1:" + port, "posix", data.toString());
    }
  },
  /** Keeps objects in memory and takes any credentials. */
  MOTO("python3", "moto[s3,server]==5.2.5", "moto_server") {
    @Override
    List<String> arguments(int port, Path data) {
      return List.of("--host", "127.0.0.1", "--port", "" + port);
    }
  };

  /** Names the directory where servers stay for later tests. */
  private static final String INSTALLATIONS = "zerorename.test.servers";

  private static final long INSTALLATION_MINUTES = 60;

  /**
   * Ends the server when this JVM ends, however: the other end of its standard input is here, and
   * never written to.
   */
  private static final String UNTIL_END_OF_INPUT =
      "exec 3<&0; \"$@\" 3<&- & server=$!; (read -r line <&3; kill -9 $server) & watcher=$!;"
          + " wait $server; kill $watcher";

  private final String toolchain;
  private final String published;
  private final String executable;

  PublicServer(String toolchain, String published, String executable) {
    this.toolchain = toolchain;
    this.published = published;
    this.executable = executable;
  }

  abstract List<String> arguments(int port, Path data);

  @Override
  public Optional<String> reasonAgainst() {
    boolean there =
        Stream.of(System.getenv("PATH").split(File.pathSeparator))
            .anyMatch(directory -> Files.isExecutable(Path.of(directory, toolchain)));
    return there
        ? Optional.empty()
        : Optional.of(
            "NOT TESTED, %s: %s, which makes it of %s, is not in the PATH"
                .formatted(executable, toolchain, published));
  }

  @Override
  public RunningServer start(Path data, String accessKey, String secretKey) throws IOException {
    Path installations = Path.of(System.getProperty(INSTALLATIONS, "target/servers"));
    int port = ServerProcess.freePort();
    List<String> command = new ArrayList<>(List.of("sh", "-c", UNTIL_END_OF_INPUT, executable));
    command.add(installed(Files.createDirectories(installations).toAbsolutePath()).toString());
    command.addAll(arguments(port, Files.createDirectories(data)));
    ProcessBuilder builder = new ProcessBuilder(command);
    // MinIO makes a directory there.
    builder.environment().put("HOME", data.toAbsolutePath().getParent().toString());
    builder
        .environment()
        .putAll(
            Map.of(
                "MINIO_ROOT_USER", accessKey,
                "MINIO_ROOT_PASSWORD", secretKey,
                "ROOT_ACCESS_KEY", accessKey,
                "ROOT_SECRET_KEY", secretKey));
    return ServerProcess.startAt(port, builder);
  }

  private Path installed(Path installations) throws IOException {
    Path home = installations.resolve(published.replaceAll("[^A-Za-z0-9.]+", "-"));
    Path program = home.resolve("bin").resolve(executable);
    Path lock = installations.resolve("lock");
    try (FileChannel channel =
            FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        var held = channel.lock()) {
      if (Files.isExecutable(program)) {
        return program;
      }
      if (toolchain.equals("go")) {
        run(Map.of("GOBIN", program.getParent().toString()), "go", "install", published);
      } else {
        run(Map.of(), toolchain, "-m", "venv", home.toString());
        run(Map.of(), home.resolve("bin/pip").toString(), "install", "--quiet", published);
      }
      return program;
    }
  }

  private static void run(Map<String, String> environment, String... command) throws IOException {
    Path output = Files.createTempFile("zerorename-installation-", ".txt");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.environment().putAll(environment);
    Process process = builder.start();
    try {
      if (!process.waitFor(INSTALLATION_MINUTES, TimeUnit.MINUTES) || process.exitValue() != 0) {
        process.destroyForcibly();
        throw new IOException(
            String.join(" ", command) + " did not succeed: " + Files.readString(output));
      }
      Files.delete(output);
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IOException("interrupted in " + String.join(" ", command), e);
    }
  }
}
