package io.zerorename.testing.s3server;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/** A server that tests run on in place of S3Proxy. */
public sealed interface OtherServer permits PublicServer, ContainerServer {
  /** The one that all tests of this JVM run on, by a name or as {@code docker:<image>}. */
  static Optional<OtherServer> selected() {
    return Optional.ofNullable(System.getProperty("zerorename.test.server"))
        .filter(name -> !name.isEmpty())
        .map(OtherServer::of);
  }

  private static OtherServer of(String name) {
    return name.startsWith(ContainerServer.PREFIX)
        ? ContainerServer.of(name.substring(ContainerServer.PREFIX.length()))
        : PublicServer.valueOf(name.toUpperCase(Locale.ROOT));
  }

  /** Why it cannot be had on this host; empty if it can. */
  Optional<String> reasonAgainst();

  /** Starts it without any data, and makes it before where no test has done that yet. */
  RunningServer start(Path data, String accessKey, String secretKey) throws IOException;
}
