package io.zerorename.hive.fallback;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import org.junit.jupiter.api.Test;

class EngineLinksTest {
  private static final ClassLoader OURS = EngineLinksTest.class.getClassLoader();

  @Test
  void theHiveOfTheBuildLacksNothing() throws IOException {
    EngineLinks links = PlatformVersions.linksOfHive(OURS, OURS);
    assertThat(links.missing()).isEmpty();
    assertThat(links.checked()).isGreaterThan(500);
  }

  @Test
  void withoutHiveTheFirstThatIsMissingIsTheReason() throws IOException {
    try (URLClassLoader empty = new URLClassLoader(new URL[0], null)) {
      EngineLinks links = PlatformVersions.linksOfHive(empty, OURS);
      assertThat(links.missing()).contains("org/apache/hadoop/hive/conf/HiveConf");
      assertThat(PlatformVersions.ofHive("3.1.3000", links).orElseThrow().message("db.t"))
          .contains("HIVE_VERSION", "(Hive 3.1.3000 has no " + links.missing().first() + ")");
    }
  }
}
