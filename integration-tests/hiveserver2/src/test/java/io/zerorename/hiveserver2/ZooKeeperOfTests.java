package io.zerorename.hiveserver2;

import io.zerorename.testing.process.Await;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

/** A ZooKeeper in this JVM, in which LLAP's daemons are found. */
final class ZooKeeperOfTests implements Closeable {
  private static final int TICK_MILLIS = 500;

  /** Where daemons put theirs; application masters have another place. */
  private static final String DAEMONS = "/llap-unsecure/";

  private static final int ANY_NUMBER = 0;

  private final ServerCnxnFactory connections;
  private final ZooKeeperServer server;

  private ZooKeeperOfTests(ServerCnxnFactory connections, ZooKeeperServer server) {
    this.connections = connections;
    this.server = server;
  }

  /**
   * Starts it.
   *
   * @param directory for its files, which is made
   */
  static ZooKeeperOfTests start(Path directory) throws IOException, InterruptedException {
    Files.createDirectories(directory);
    ServerCnxnFactory connections = new NIOServerCnxnFactory();
    connections.configure(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), ANY_NUMBER);
    ZooKeeperServer server =
        new ZooKeeperServer(directory.toFile(), directory.toFile(), TICK_MILLIS);
    connections.startup(server);
    return new ZooKeeperOfTests(connections, server);
  }

  /** What Hive and LLAP's daemons must be set to find it. */
  Map<String, String> settings() {
    return Map.of(
        "hive.zookeeper.quorum", "127.0.0.1",
        "hive.zookeeper.client.port", String.valueOf(connections.getLocalPort()),
        // A daemon that was killed is gone then.
        "hive.zookeeper.session.timeout", "10s");
  }

  /** Returns when the nodes of all daemons are gone, those of a killed one with its session. */
  void awaitNoDaemons() throws Exception {
    Await.until(
        "no daemon is in ZooKeeper",
        () ->
            server.getZKDatabase().getDataTree().getEphemerals().values().stream()
                .flatMap(Set::stream)
                .noneMatch(node -> node.startsWith(DAEMONS)));
  }

  @Override
  public void close() {
    connections.shutdown();
  }
}
