package io.zerorename.hive.fallback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whether missing classes come from a platform that lacks them. */
class PlatformVersionsTest {
  @ParameterizedTest
  @CsvSource({
    "3.1.1.7.1.9.0, HADOOP_VERSION",
    "3.3.6,         HADOOP_VERSION",
    "3.4.1,         ''",
    "3.5.0,         ''",
    "Unknown,       ''"
  })
  void anOlderHadoopIsNamed(String hadoop, String reason) {
    assertThat(PlatformVersions.ofHadoop(hadoop).map(it -> it.reason().name()).orElse(""))
        .isEqualTo(reason);
  }

  @Test
  void otherErrorsAreNotOfThePlatform() {
    assertThat(PlatformVersions.lacking(new IllegalStateException())).isEmpty();
    // The build's own platform has what is needed.
    assertThat(PlatformVersions.lacking(new IllegalStateException(new NoClassDefFoundError("a"))))
        .isEmpty();
    assertThatNoException().isThrownBy(PlatformVersions::require);
  }
}
