package io.zerorename.core.config;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The version of the committer that runs. It is read from a file that the build writes, and not
 * from a jar's manifest, so that it is right in whatever way the classes came to the class path.
 */
public final class Version {
  private static final Logger LOG = LoggerFactory.getLogger(Version.class);
  private static final AtomicBoolean LOGGED = new AtomicBoolean();

  private Version() {}

  /** Such as {@code 1.0.0}, as in the names of the jars. */
  public static String number() {
    Properties properties = new Properties();
    try (InputStream file = Version.class.getResourceAsStream("version.properties")) {
      properties.load(file);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "ZR-3202: version.properties in the committer's jar is unreadable", e);
    }
    return properties.getProperty("version");
  }

  /**
   * Says in the log which version runs, at the first call in this process. Each way into the
   * committer calls it.
   */
  public static void logOnce() {
    if (LOGGED.compareAndSet(false, true)) {
      LOG.info("zero-rename committer {}", number());
    }
  }
}
