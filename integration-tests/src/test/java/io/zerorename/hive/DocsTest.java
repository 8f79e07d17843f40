package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.config.ConfigKey;
import io.zerorename.magic.job.MapReduceKeys;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

/** The documentation says what the code says. */
class DocsTest {
  private static final Path ROOT =
      Path.of(System.getProperty("basedir", "")).resolve("..").toAbsolutePath().normalize();

  @Test
  void configurationPageHasARowForEachKeyAndNoOther() {
    List<String> rows =
        Stream.concat(HiveKeys.all().stream(), MapReduceKeys.own().stream())
            .map(DocsTest::row)
            .toList();
    assertThat(tableRows("docs/configuration.md")).containsExactlyElementsOf(rows);
  }

  private static String row(ConfigKey<?> key) {
    String row =
        "| `"
            + key.name()
            + "` | "
            + key.defaultText()
            + " | "
            + key.unit()
            + " | "
            + key.description()
            + " |";
    return row.replace("<", "&lt;");
  }

  @Test
  void fallbackPageHasARowForEachReasonAndNoOther() {
    List<String> rows =
        Arrays.stream(FallbackReason.values())
            .map(reason -> "| `" + reason + "` | " + reason.explanation() + " |")
            .toList();
    assertThat(tableRows("docs/fallback.md")).containsExactlyElementsOf(rows);
  }

  @Test
  void exampleForHiveSwitchesTheCommitterOnAsTheTestsDo() {
    Configuration example = new Configuration(false);
    example.addResource(
        new org.apache.hadoop.fs.Path(ROOT.resolve("conf-examples/hive-site.xml").toUri()));
    assertThat(example.get("hive.semantic.analyzer.hook"))
        .isEqualTo(ZeroRenameHook.class.getName());
    assertThat(example.get("hive.query.lifetime.hooks")).isEqualTo(ZeroRenameHook.class.getName());
  }

  private static List<String> tableRows(String page) {
    return read(page).lines().filter(line -> line.startsWith("| `")).toList();
  }

  private static String read(String page) {
    try {
      return Files.readString(ROOT.resolve(page));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
