package io.zerorename.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What was measured, and is not asserted: for docs/performance/limits.md. */
public final class Published {
  private static final Logger LOG = LoggerFactory.getLogger(Published.class);

  private Published() {}

  /** Writes it to {@code target/limits}, in a file of that name. */
  public static void as(String name, String text) throws IOException {
    LOG.info("{}: {}", name, text);
    Files.writeString(
        Files.createDirectories(Path.of("target", "limits")).resolve(name + ".txt"),
        LocalDate.now(ZoneOffset.UTC) + " " + text + "\n");
  }
}
