package io.zerorename.testing.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.hive.fallback.EngineLinks;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the committer's classes link against is in this Spark, and in its Scala. */
final class SparkLinksTest {
  private static final ClassLoader THIS = SparkLinksTest.class.getClassLoader();
  private static final String STREAMING = "org/apache/spark/sql/execution/streaming/";

  private static EngineLinks links(String theirs, ClassLoader engine) throws IOException {
    return EngineLinks.of("io/zerorename/spark/ZeroRenameExtensions", theirs, engine, THIS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"org/apache/spark/", "scala/"})
  void thisSparkLacksNothing(String theirs) throws IOException {
    EngineLinks links = links(theirs, THIS);

    // One class for each of the two packages in which it has been.
    List<String> absent =
        new ArrayList<>(
            List.of(STREAMING + (SparkOnS3.isMovedSpark() ? "" : "checkpointing/") + "Checkpoint"));
    if (THIS.getResource("org/apache/spark/sql/hive/HiveUtils.class") == null) {
      absent.add("org/apache/spark/sql/hive/");
    }
    assertThat(links.missing()).allMatch(it -> absent.stream().anyMatch(it::startsWith));
    assertThat(links.checked()).isGreaterThan(20);
  }

  @Test
  void whatAnotherSparkLacksIsNamed() throws IOException {
    try (URLClassLoader empty = new URLClassLoader(new URL[0], null)) {
      assertThat(links("org/apache/spark/", empty).missing())
          .contains("org/apache/spark/sql/SparkSession");
    }
  }
}
