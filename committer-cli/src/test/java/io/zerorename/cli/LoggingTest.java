package io.zerorename.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.util.Properties;
import org.apache.log4j.Hierarchy;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.PropertyConfigurator;
import org.apache.log4j.spi.RootLogger;
import org.junit.jupiter.api.Test;

/** What {@code bin/zerorename} logs between the answers of a command. */
class LoggingTest {
  private static final String WAIT = "io.zerorename.core.commit.UploadCompletion";

  @Test
  void aWarningIsTwoLinesAtMostAndOthersAreSilent() throws IOException {
    Properties settings = new Properties();
    try (InputStream in = ZeroRename.class.getResourceAsStream("/zerorename-log4j.properties")) {
      settings.load(in);
    }
    // As the system properties that the script sets.
    settings.setProperty("zerorename.log.others", "ERROR");
    settings.setProperty("zerorename.log.trace", "short");
    Hierarchy loggers = new Hierarchy(new RootLogger(Level.DEBUG));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream before = System.err;
    System.setErr(new PrintStream(bytes, true, UTF_8));
    try {
      new PropertyConfigurator().doConfigure(settings, loggers);
      Logger recovery = loggers.getLogger("io.zerorename.core.recovery.Recovery");
      recovery.warn("Entry 1 cannot be completed now", new IOException("refused"));
      recovery.info("not for a person");
      loggers.getLogger(WAIT).info("waiting");
      loggers.getLogger("org.apache.hadoop.util.NativeCodeLoader").warn("native code is absent");
    } finally {
      System.setErr(before);
    }
    assertThat(bytes.toString(UTF_8).lines())
        .containsExactly(
            "zerorename: Entry 1 cannot be completed now",
            "java.io.IOException: refused",
            "zerorename: waiting");
  }
}
