package io.zerorename.core.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringWriter;
import java.util.List;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.log4j.Logger;
import org.apache.log4j.PatternLayout;
import org.apache.log4j.WriterAppender;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeclaredKeysTest {
  private final Configuration configuration = new Configuration(false);
  private final DeclaredKeys keys =
      new DeclaredKeys(CoreKeys.all(), List.of(ConfigKey.PREFIX + "hive."));

  @Test
  void whatIsDeclaredIsKnown() {
    for (ConfigKey<?> key : CoreKeys.all()) {
      configuration.set(key.name(), "1");
      if (key.isPerBucket()) {
        String rest = key.name().substring("zerorename.".length());
        configuration.set("zerorename.bucket.my.dotted.bucket." + rest, "1");
      }
    }
    assertThat(configuration.size()).as("keys").isGreaterThan(15);
    configuration.set("zerorename.bucket.b.hive.enabled", "true");
    configuration.set("zerorename.internal.handed.over.some-job", "1");
    configuration.set("zerorename.hive.of.a.module.that.is.not.here", "true");
    configuration.set("fs.zerorename.impl", "SomeFileSystem");
    configuration.set("mapreduce.job.name", "zerorename.commit.thread");

    assertThat(keys.unknownIn(configuration)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "zerorename.commit.thread",
        "zerorename.Upload.Threads",
        "zerorename.inline.max",
        "zerorename.x",
        "zerorename.",
        "zerorename.bucket.b",
        "zerorename.bucket.b.commit.thread",
        "zerorename.bucket.my.own.upload.partsize",
        "zerorename.bucket.commit.threads",
      })
  void whatIsNoKeyIsTold(String given) {
    configuration.set(given, "4");

    assertThat(keys.unknownIn(configuration).values())
        .containsExactly(
            "ZR-3203: "
                + given
                + " is no key of the committer and has no effect; docs/configuration.md lists the"
                + " keys.");
  }

  @Test
  void aKeyThatNoBucketMayHaveOfItsOwnIsTold() {
    configuration.set("zerorename.bucket.b.work.dir", "/w");

    assertThat(keys.unknownIn(configuration).values())
        .containsExactly(
            "ZR-3203: zerorename.bucket.b.work.dir cannot be set for one bucket and has no effect;"
                + " docs/configuration.md lists the keys.");
  }

  @Test
  void theLogIsWarnedOncePerProcessAndTheCallerEveryTime() {
    // No other test of the JVM has it.
    String name = "zerorename." + UUID.randomUUID();
    configuration.set(name, "4");
    StringWriter log = new StringWriter();
    WriterAppender appender = new WriterAppender(new PatternLayout("%p %m%n"), log);
    Logger logger = Logger.getLogger(DeclaredKeys.class);
    logger.addAppender(appender);
    try {
      assertThat(keys.warnOfUnknown(configuration)).hasSize(1);
      assertThat(keys.warnOfUnknown(new Configuration(configuration))).hasSize(1);
    } finally {
      logger.removeAppender(appender);
    }
    assertThat(log.toString().lines())
        .containsExactly(
            "WARN ZR-3203: "
                + name
                + " is no key of the committer and has no effect; docs/configuration.md lists the"
                + " keys.");
  }
}
