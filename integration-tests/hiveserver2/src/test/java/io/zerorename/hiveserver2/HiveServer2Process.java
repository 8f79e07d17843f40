package io.zerorename.hiveserver2;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.testing.process.Await;
import io.zerorename.testing.process.ChildJvm;
import io.zerorename.testing.process.Kill;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.S3Gateway;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/** A HiveServer2 in a process of its own, and the way to S3 that it alone takes. */
final class HiveServer2Process implements Closeable {
  private static final String READY = "Starting ThriftBinaryCLIService on port ";

  private final Installation installation;
  private final ChildJvm process;
  private final S3Gateway gateway;
  private final int port;

  private HiveServer2Process(
      Installation installation, ChildJvm process, S3Gateway gateway, int port) {
    this.installation = installation;
    this.process = process;
    this.gateway = gateway;
    this.port = port;
  }

  /** Starts it, and returns when clients can connect. */
  static HiveServer2Process start(
      Installation installation, EmbeddedS3Server server, Map<String, String> settings)
      throws IOException, InterruptedException {
    return start(installation, server, settings, List.of());
  }

  /**
   * The same.
   *
   * @param options of its JVM
   */
  static HiveServer2Process start(
      Installation installation,
      EmbeddedS3Server server,
      Map<String, String> settings,
      List<String> options)
      throws IOException, InterruptedException {
    S3Gateway gateway = server.newGateway();
    // With port 0 it takes any, and tells nobody which.
    int port = freePort();
    Map<String, String> all = new HashMap<>(settings);
    all.put("hive.server2.thrift.port", String.valueOf(port));
    Map<String, String> environment = new HashMap<>(EmbeddedS3Server.environment());
    // As YARN sets it for the application master, which runs in this process.
    environment.put("USER", System.getProperty("user.name"));
    installation.configure(server, gateway, all);
    ChildJvm process =
        ChildJvm.start(
            ChildJvm.Command.of(HiveServer2Main.class)
                .withOptions(
                    List.of(
                        "-Xmx1g",
                        // The metastore has more statements than Derby keeps compiled.
                        "-Dderby.language.statementCache.size=1000",
                        "-Dderby.stream.error.file=" + installation.home().resolve("derby.log")))
                .withOptions(options)
                .withModulesOpen()
                .withEnvironment(environment)
                .withClassPath(installation.classPath()),
            installation.log());
    process.await(0, line -> line.startsWith(READY + port), Await.LIMIT);
    return new HiveServer2Process(installation, process, gateway, port);
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** Opens a session, as beeline does. */
  Session open() throws SQLException {
    return open("");
  }

  /**
   * The same.
   *
   * @param variables of the session, behind the database in the URL
   */
  Session open(String variables) throws SQLException {
    return Session.open(url() + variables);
  }

  /** Where clients connect. */
  String url() {
    return "jdbc:hive2://127.0.0.1:" + port + "/default";
  }

  /** Counts and breaks the requests of this HiveServer2 and of its tasks. */
  S3Gateway gateway() {
    return gateway;
  }

  /** All that it and those before it in this installation have logged. */
  List<String> log() throws IOException {
    return Files.readAllLines(installation.log());
  }

  /** The directory in which it stages. */
  Path scratch() {
    return installation.home().resolve("scratch");
  }

  /** What it has written to its standard output so far. */
  List<String> output() throws InterruptedException {
    return process.output();
  }

  /** Returns when it has written a line, not counting the first ones. */
  void awaitOutput(int from, String line) throws IOException, InterruptedException {
    process.await(from, line::equals, Await.LIMIT);
  }

  /** Returns when nothing runs in it for which no statement waits. */
  void awaitBackgroundWork() throws Exception {
    Await.until(
        "nothing runs in the background",
        () -> {
          int before = process.output().size();
          process.send(HiveServer2Main.QUESTION);
          List<String> lines =
              process.await(before, line -> line.startsWith(HiveServer2Main.ANSWER), Await.LIMIT);
          return lines.get(lines.size() - 1).equals(HiveServer2Main.ANSWER + 0);
        });
  }

  /** Makes it die, as of {@code kill -9}, at a request of its own. */
  void killAt(Kill kill) {
    gateway.faults(rule(kill));
  }

  /** The same, for {@link #gateway}. */
  FaultRule rule(Kill kill) {
    return kill.of(process);
  }

  /** Returns when it is killed and nothing of it is under way to S3. */
  void awaitDeath() throws IOException, InterruptedException {
    process.awaitEnd(Await.LIMIT);
    if (!process.wasKilled()) {
      throw new AssertionError("it has ended by itself. " + process.lastOutput());
    }
    gateway.awaitDisconnected(Await.LIMIT);
    gateway.faults(FaultRule.NONE);
  }

  /**
   * Kills it in an INSERT OVERWRITE whose files its tasks upload.
   *
   * @param table which is made
   * @return the table's objects before that statement
   */
  SortedMap<String, Long> killInOverwrite(BucketContents bucket, String table, Kill kill)
      throws Exception {
    // Closed with the connection's other end.
    Session session = open();
    session.execute("set zerorename.inline.max.bytes=0");
    Tables.createFilled(session, table);
    SortedMap<String, Long> before = bucket.objects(table + "/");
    killAt(kill);
    assertThatThrownBy(() -> session.execute(Tables.overwrite(table)))
        .isInstanceOf(SQLException.class);
    awaitDeath();
    close();
    return before;
  }

  /** Kills it if it is still there. */
  @Override
  public void close() throws IOException {
    process.close();
    gateway.close();
  }
}
