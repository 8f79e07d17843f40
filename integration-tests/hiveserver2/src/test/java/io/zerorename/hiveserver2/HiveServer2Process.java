package io.zerorename.hiveserver2;

import io.zerorename.testing.process.Await;
import io.zerorename.testing.process.ChildJvm;
import io.zerorename.testing.process.Kill;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.S3Gateway;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

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
      Installation installation,
      EmbeddedS3Server server,
      Map<String, String> settings,
      String... options)
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
            ChildJvm.Command.of(HiveMain.class)
                .withArguments(List.of("org.apache.hive.service.server.HiveServer2"))
                .withOptions(
                    List.of(
                        "-Xmx1g",
                        // The metastore has more statements than Derby keeps compiled.
                        "-Dderby.language.statementCache.size=1000",
                        "-Dderby.stream.error.file=" + installation.home().resolve("derby.log")))
                .withOptions(List.of(options))
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

  /** The same, with variables behind the database in the URL. */
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

  /** Makes it die, as of {@code kill -9}, at a request of its own. */
  void killAt(Kill kill) {
    gateway.faults(kill.of(process));
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

  /** Kills it if it is still there. */
  @Override
  public void close() throws IOException {
    process.close();
    gateway.close();
  }
}
