package io.zerorename.hive.fallback;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whether missing classes come from a platform that is too old. */
class PlatformVersionsTest {
  @ParameterizedTest
  @CsvSource({
    "3.1.3,              3.1.0,        HIVE_VERSION",
    "3.1.3000.7.1.9.0-1, 3.1.1.7.1.9.0, HIVE_VERSION",
    "2.3.10,             3.4.1,        HIVE_VERSION",
    "4.0.1,              3.3.6,        HADOOP_VERSION",
    "4.0.1,              2.10.2,       HADOOP_VERSION",
    "4.0.1,              3.4.1,        ''",
    "4.2.0,              3.5.0,        ''",
    "20240101123456.1,   3.4.1,        ''",
    "Unknown,            Unknown,      ''"
  })
  void anOlderPlatformIsNamed(String hive, String hadoop, String reason) {
    assertThat(PlatformVersions.tooOld(hive, hadoop).map(it -> it.reason().name()).orElse(""))
        .isEqualTo(reason);
  }

  @Test
  void otherErrorsAreNotOfTheVersion() {
    assertThat(PlatformVersions.tooOld(new IllegalStateException())).isEmpty();
    // The build's own versions are new enough.
    assertThat(PlatformVersions.tooOld(new IllegalStateException(new NoClassDefFoundError("a"))))
        .isEmpty();
  }

  @Test
  void messageSaysWhatIsThereAndWhatIsNeeded() {
    assertThat(PlatformVersions.tooOld("4.0.1", "3.3.6").orElseThrow().message("db.t"))
        .contains("HADOOP_VERSION", "this is Hadoop 3.3.6", "needs Hadoop 3.4.1 or later");
  }
}
