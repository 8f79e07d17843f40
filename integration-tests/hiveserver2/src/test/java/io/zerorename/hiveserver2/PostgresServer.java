package io.zerorename.hiveserver2;

import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A PostgreSQL of this machine's own programs, on loopback, with its data in a temporary directory
 * that is gone after {@link #close}.
 */
final class PostgresServer implements Closeable {
  static final String USER = "hive";

  private static final String INITDB = "initdb";
  private static final String POSTGRES = "postgres";
  private static final Path OF_DEBIAN = Path.of("/usr/lib/postgresql");

  /** PostgreSQL refuses to run as root; this is the user "nobody". */
  private static final int NOBODY = 65_534;

  private static final int START_SECONDS = 300;
  private static final int END_SECONDS = 20;

  private final Path home;
  private final Process process;
  private final int port;

  private PostgresServer(Path home, Process process, int port) {
    this.home = home;
    this.process = process;
    this.port = port;
  }

  /** The directory of its programs: in the path, or else the newest where Debian has them. */
  static Optional<Path> programs() throws IOException {
    List<Path> places = new ArrayList<>();
    for (String directory : System.getenv("PATH").split(File.pathSeparator, -1)) {
      places.add(Path.of(directory));
    }
    if (Files.isDirectory(OF_DEBIAN)) {
      try (Stream<Path> versions = Files.list(OF_DEBIAN)) {
        versions
            .filter(version -> version.getFileName().toString().matches("[0-9]+(\\.[0-9]+)?"))
            .sorted(Comparator.comparing(PostgresServer::version).reversed())
            .forEach(version -> places.add(version.resolve("bin")));
      }
    }
    return places.stream()
        .filter(
            place ->
                Files.isExecutable(place.resolve(INITDB))
                    && Files.isExecutable(place.resolve(POSTGRES)))
        .findFirst();
  }

  private static double version(Path directory) {
    return Double.parseDouble(directory.getFileName().toString());
  }

  /** Starts it, and returns when it takes connections. */
  static PostgresServer start(Path programs) throws IOException, InterruptedException {
    Path home = Files.createTempDirectory("zerorename-postgres-");
    boolean root = System.getProperty("user.name").equals("root");
    if (root) {
      run(home, List.of("chown", NOBODY + ":" + NOBODY, home.toString()));
    }
    List<String> asUser =
        root
            ? List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups")
            : List.of();
    run(
        home,
        words(
            asUser,
            programs.resolve(INITDB).toString(),
            "--username=" + USER,
            "--auth=trust",
            "--encoding=UTF8",
            "--locale=C",
            "--no-sync",
            "--pgdata=" + home.resolve("data")));
    int port;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    Process process =
        started(
            home,
            words(
                asUser,
                programs.resolve(POSTGRES).toString(),
                "-D",
                home.resolve("data").toString(),
                "-p",
                String.valueOf(port),
                "-c",
                "listen_addresses=127.0.0.1",
                "-c",
                "unix_socket_directories=",
                "-c",
                "fsync=off"));
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly, "postgres-end"));
    PostgresServer server = new PostgresServer(home, process, port);
    server.awaitConnections();
    return server;
  }

  private static List<String> words(List<String> first, String... others) {
    List<String> words = new ArrayList<>(first);
    words.addAll(List.of(others));
    return words;
  }

  private static void run(Path home, List<String> command)
      throws IOException, InterruptedException {
    Process process = started(home, command);
    if (process.waitFor() != 0) {
      throw new AssertionError(command + " has failed: " + Files.readString(log(home)));
    }
  }

  private static Process started(Path home, List<String> command) throws IOException {
    return new ProcessBuilder(command)
        .directory(home.toFile())
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log(home).toFile()))
        .start();
  }

  private static Path log(Path home) {
    return home.resolve("log");
  }

  private void awaitConnections() throws IOException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
    while (true) {
      try (Connection connection = DriverManager.getConnection(url(POSTGRES), USER, "")) {
        connection.createStatement().execute("select 1");
        return;
      } catch (SQLException e) {
        if (!process.isAlive() || System.nanoTime() > end) {
          throw new AssertionError(
              "PostgreSQL takes no connections: " + Files.readString(log(home)), e);
        }
        Thread.sleep(100);
      }
    }
  }

  /** Makes a database, and returns its address. */
  String createDatabase(String name) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url(POSTGRES), USER, "")) {
      connection.createStatement().execute("create database " + name);
    }
    return url(name);
  }

  private String url(String database) {
    return "jdbc:postgresql://127.0.0.1:" + port + "/" + database;
  }

  /** Ends it when its clients are gone, or else kills it. */
  @Override
  public void close() throws IOException {
    process.destroy();
    try {
      if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while PostgreSQL ended", e);
    }
    try (Stream<Path> files = Files.walk(home)) {
      files.sorted(Comparator.reverseOrder()).forEach(PostgresServer::delete);
    }
  }

  private static void delete(Path file) {
    try {
      Files.delete(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
