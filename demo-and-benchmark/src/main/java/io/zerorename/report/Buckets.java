package io.zerorename.report;

import io.zerorename.testing.s3server.MeasuredBucket;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;

/** Where a program gets S3 from. */
public final class Buckets {
  /** On a server of the program's own. */
  public static final String NAME = "warehouse";

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuuMMdd-HHmmss").withZone(ZoneOffset.UTC);

  private Buckets() {}

  /**
   * A bucket on a new server, or a new directory on a person's S3, to be closed by the caller.
   *
   * @param directory for the data of a server on this machine
   * @param program in the name of a directory on a person's S3
   * @param console prints what is left if the JVM ends too early
   */
  public static MeasuredBucket open(
      Optional<Endpoint> endpoint, Path directory, String program, Consumer<String> console)
      throws IOException {
    if (endpoint.isEmpty()) {
      return MeasuredBucket.ownServer(directory.resolve("s3"), NAME);
    }
    Endpoint s3 = endpoint.get();
    return MeasuredBucket.at(
        s3.url(), s3.region(), s3.bucket(), newDirectory(s3.prefix(), program), console);
  }

  /** A directory that no other run has, with a slash behind it. */
  static String newDirectory(String prefix, String program) {
    String unique = UUID.randomUUID().toString().substring(0, 8);
    return "%szero-rename-%s-%s-%s/".formatted(prefix, program, TIME.format(Instant.now()), unique);
  }
}
