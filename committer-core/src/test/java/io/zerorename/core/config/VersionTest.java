package io.zerorename.core.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class VersionTest {
  @Test
  void numberIsWrittenByTheBuild() {
    assertThat(Version.number()).matches("\\d+\\.\\d+\\.\\d+(-[0-9A-Za-z.-]+)?");
  }
}
