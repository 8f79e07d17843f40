package io.zerorename.testing.hosts;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.zerorename.testing.network.Network;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.S3Access;
import io.zerorename.testing.s3server.S3Gateway;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/** A network of hosts, and S3 on the one of this process. */
final class S3OnNetwork implements Closeable {
  private final Network network;
  private final EmbeddedS3Server server;
  private final S3Gateway gateway;

  private S3OnNetwork(Network network, EmbeddedS3Server server, S3Gateway gateway) {
    this.network = network;
    this.server = server;
    this.gateway = gateway;
  }

  static S3OnNetwork start() throws IOException {
    Network network = Network.create();
    EmbeddedS3Server server = EmbeddedS3Server.start();
    return new S3OnNetwork(network, server, server.newGateway(network.address()));
  }

  Network.Host addHost() throws IOException {
    return network.add();
  }

  /** For processes on the hosts. */
  S3Access access() {
    return server.access(gateway);
  }

  void faults(FaultRule faults) {
    gateway.faults(faults);
  }

  BucketContents createBucket(String name) {
    return server.createBucket(name);
  }

  BucketContents bucket(String name) {
    return server.contents(name);
  }

  /** The numbers in all data files of a table, in order. */
  static List<Long> rows(BucketContents bucket, String table) {
    return bucket.files("").stream()
        .map(key -> "/" + key)
        .filter(key -> key.contains("/" + table + "/") && !key.contains("/_"))
        .flatMap(key -> new String(bucket.read(key.substring(1)), UTF_8).lines())
        // MapReduce separates a key from no value, too.
        .map(line -> Long.valueOf(line.strip()))
        .sorted()
        .toList();
  }

  @Override
  public void close() throws IOException {
    network.close();
    gateway.close();
    server.close();
  }
}
