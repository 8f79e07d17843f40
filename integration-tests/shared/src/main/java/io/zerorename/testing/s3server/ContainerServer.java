package io.zerorename.testing.s3server;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.ContainerLaunchException;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

/**
 * A server in a container that Testcontainers starts, where a Docker engine is.
 *
 * @param image with its tag
 */
public record ContainerServer(String image, Kind kind) implements OtherServer {
  static final String PREFIX = "docker:";

  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /** How the images of one server are started; their names have its name. */
  public enum Kind {
    MINIO(9000) {
      @Override
      void configure(GenericContainer<?> container, String accessKey, String secretKey) {
        container
            .withCommand("server", "/data")
            .withEnv("MINIO_ROOT_USER", accessKey)
            .withEnv("MINIO_ROOT_PASSWORD", secretKey)
            .waitingFor(Wait.forHttp("/minio/health/ready"));
      }
    },
    /** The image "demo", which is a whole cluster with one object gateway. */
    CEPH(8080) {
      @Override
      void configure(GenericContainer<?> container, String accessKey, String secretKey) {
        container
            .withEnv("MON_IP", "127.0.0.1")
            .withEnv("CEPH_PUBLIC_NETWORK", "0.0.0.0/0")
            .withEnv("RGW_NAME", "localhost")
            .withEnv("CEPH_DEMO_UID", "zerorename")
            .withEnv("CEPH_DEMO_ACCESS_KEY", accessKey)
            .withEnv("CEPH_DEMO_SECRET_KEY", secretKey)
            .waitingFor(Wait.forLogMessage(".*/opt/ceph-container/bin/demo: SUCCESS.*", 1));
      }
    },
    /** Takes any credentials. */
    LOCALSTACK(4566) {
      @Override
      void configure(GenericContainer<?> container, String accessKey, String secretKey) {
        container.withEnv("SERVICES", "s3").waitingFor(Wait.forHttp("/_localstack/health"));
      }
    };

    private final int port;

    Kind(int port) {
      this.port = port;
    }

    abstract void configure(GenericContainer<?> container, String accessKey, String secretKey);

    private String inNames() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  static ContainerServer of(String image) {
    return Arrays.stream(Kind.values())
        .filter(it -> image.contains(it.inNames()))
        .findFirst()
        .map(it -> new ContainerServer(image, it))
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "it is not known how a container of %s is started, only those of images whose"
                            .formatted(image)
                        + " names have one of "
                        + Arrays.stream(Kind.values()).map(Kind::inNames).toList()));
  }

  @Override
  public Optional<String> reasonAgainst() {
    return DockerClientFactory.instance().isDockerAvailable()
        ? Optional.empty()
        : Optional.of(
            "NOT TESTED, %s: Testcontainers finds no Docker engine on this host".formatted(image));
  }

  @Override
  public RunningServer start(Path data, String accessKey, String secretKey) throws IOException {
    GenericContainer<?> container =
        new GenericContainer<>(DockerImageName.parse(image)).withExposedPorts(kind.port);
    kind.configure(container, accessKey, secretKey);
    container.withStartupTimeout(PATIENCE);
    try {
      container.start();
    } catch (ContainerLaunchException e) {
      container.close();
      throw new IOException("a container of " + image + " did not start", e);
    }
    return new Running(container, kind.port);
  }

  private record Running(GenericContainer<?> container, int port) implements RunningServer {
    @Override
    public URI endpoint() {
      return URI.create("http://" + container.getHost() + ":" + container.getMappedPort(port));
    }

    @Override
    public boolean isAlive() {
      return container.isRunning();
    }

    @Override
    public long pid() {
      return container.getContainerInfo().getState().getPidLong();
    }

    @Override
    public void close() {
      container.close();
    }
  }
}
