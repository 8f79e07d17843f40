package io.zerorename.testing.s3server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** S3 servers that others publish, which the build makes of their public packages. */
public enum PublicServer implements OtherServer {
  /** Has no releases as a module since 2019: a commit. */
  MINIO(Toolchain.GO, "github.com/minio/minio@v0.0.0-20260212201848-7aac2a2c5b7c") {
    @Override
    List<String> command(Path home, int port, Path data) {
      String address = "127.0.0.1:" + port;
      return List.of(home + "/bin/minio", "server", "--quiet", "--address", address, "" + data);
    }
  },
  /** Over a directory. */
  VERSITYGW(Toolchain.GO, "github.com/versity/versitygw/cmd/versitygw@v1.8.0") {
    @Override
    List<String> command(Path home, int port, Path data) {
      return List.of(home + "/bin/versitygw", "--port", "127.0.0.1:" + port, "posix", "" + data);
    }
  },
  /** Keeps objects in memory and takes any credentials. */
  MOTO(Toolchain.PYTHON, "moto[s3,server]==5.2.5") {
    @Override
    List<String> command(Path home, int port, Path data) {
      return List.of(home + "/bin/moto_server", "--host", "127.0.0.1", "--port", "" + port);
    }
  },
  /**
   * In this process and not in a container, with S3 alone. Takes any credentials. It does not say
   * that newer versions of what it needs do not work.
   */
  LOCALSTACK(
      Toolchain.PYTHON,
      "localstack-core[base-runtime]==4.7.0",
      "cbor2<6",
      "pyopenssl<26",
      "service-identity") {
    @Override
    List<String> command(Path home, int port, Path data) {
      return List.of(
          "env",
          "GATEWAY_LISTEN=127.0.0.1:" + port,
          "FILESYSTEM_ROOT=" + data,
          "SERVICES=s3",
          "EAGER_SERVICE_LOADING=1",
          "DISABLE_EVENTS=1",
          "SKIP_SSL_CERT_DOWNLOAD=1",
          "DNS_ADDRESS=0",
          home + "/bin/python",
          "-m",
          "localstack.runtime.main");
    }
  },
  /** 4.53, which has no release as a module: a commit. All of its servers in one process. */
  SEAWEEDFS(
      Toolchain.GO, "github.com/seaweedfs/seaweedfs/weed@v0.0.0-20261109003541-7506e5f91cd6") {
    @Override
    List<String> command(Path home, int port, Path data) throws IOException {
      List<String> command =
          new ArrayList<>(
              List.of(home + "/bin/weed", "server", "-ip=127.0.0.1", "-dir=" + data, "-s3"));
      command.add("-s3.port=" + port);
      command.addAll(List.of("-s3.port.iceberg=0", "-s3.port.lance=0"));
      for (String other : List.of("s3", "master", "volume", "filer")) {
        command.add("-%s.port.grpc=%d".formatted(other, ServerProcess.freePort()));
      }
      for (String other : List.of("master", "volume", "filer")) {
        command.add("-%s.port=%d".formatted(other, ServerProcess.freePort()));
      }
      return command;
    }
  },
  /** A cluster of one datanode and the gateway, in one JVM. */
  OZONE(
      Toolchain.MAVEN,
      "ozone-2.2.0/OzoneServer.java",
      "ozone-2.2.0/pom.xml",
      "ozone-2.2.0/repository/org/apache/ozone/hdds-hadoop-dependency-client/2.2.0/"
          + "hdds-hadoop-dependency-client-2.2.0.pom") {
    @Override
    List<String> command(Path home, int port, Path data) {
      return List.of(
          System.getProperty("java.home") + "/bin/java",
          "-Xmx1g",
          "-cp",
          home + "/lib/*",
          home + "/OzoneServer.java",
          "" + port,
          "" + data);
    }
  },
  /** A monitor, an OSD that keeps objects in memory, and the gateway. */
  CEPH(Toolchain.DEBIAN, "ceph/start") {
    @Override
    List<String> command(Path home, int port, Path data) throws IOException {
      return List.of("sh", home + "/start", "" + port, "" + data, "" + ServerProcess.freePort());
    }
  };

  /** Names the directory where servers stay for later tests. */
  private static final String INSTALLATIONS = "zerorename.test.servers";

  /**
   * Ends the server when this JVM ends, however: the other end of its standard input is here, and
   * never written to.
   */
  private static final String UNTIL_END_OF_INPUT =
      "exec 3<&0; \"$@\" 3<&- & server=$!; (read -r line <&3; kill -9 $server) & watcher=$!;"
          + " wait $server; kill $watcher";

  private final Toolchain toolchain;

  /** Names without spaces, with one between them. */
  private final String published;

  PublicServer(Toolchain toolchain, String... published) {
    this.toolchain = toolchain;
    this.published = String.join(" ", published);
  }

  /** What starts the server that was made in {@code home}. */
  abstract List<String> command(Path home, int port, Path data) throws IOException;

  @Override
  public Optional<String> reasonAgainst() {
    List<String> missing = toolchain.missing();
    return missing.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "NOT TESTED, %s: %s, which it needs, is not in the PATH"
                .formatted(name().toLowerCase(Locale.ROOT), String.join(", ", missing)));
  }

  @Override
  public RunningServer start(Path data, String accessKey, String secretKey) throws IOException {
    Path installations = Path.of(System.getProperty(INSTALLATIONS, "target/servers"));
    Path home =
        toolchain.made(
            Files.createDirectories(installations).toAbsolutePath(),
            List.of(published.split(" ", -1)));
    int port = ServerProcess.freePort();
    List<String> command = new ArrayList<>(List.of("sh", "-c", UNTIL_END_OF_INPUT, name()));
    command.addAll(command(home, port, Files.createDirectories(data).toAbsolutePath()));
    ProcessBuilder builder = new ProcessBuilder(command);
    // MinIO makes a directory in the one, Ozone in the other.
    Path beside = data.toAbsolutePath().getParent();
    builder.environment().put("HOME", beside.toString());
    builder.directory(beside.toFile());
    builder
        .environment()
        .putAll(
            Map.of(
                "MINIO_ROOT_USER", accessKey,
                "MINIO_ROOT_PASSWORD", secretKey,
                "ROOT_ACCESS_KEY", accessKey,
                "ROOT_SECRET_KEY", secretKey,
                "AWS_ACCESS_KEY_ID", accessKey,
                "AWS_SECRET_ACCESS_KEY", secretKey));
    return ServerProcess.startAt(port, builder);
  }
}
