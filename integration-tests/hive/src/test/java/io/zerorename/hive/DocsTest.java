package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.config.ConfigKey;
import io.zerorename.core.metrics.CommitterMetrics;
import io.zerorename.core.metrics.Metric;
import io.zerorename.hive.config.HiveKeys;
import io.zerorename.hive.fallback.FallbackReason;
import io.zerorename.magic.job.MapReduceKeys;
import io.zerorename.testing.docs.Page;
import io.zerorename.testing.docs.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

/** The documentation says what the code says. */
class DocsTest {
  /** A whole key in a text: no class of ours, and nothing with a placeholder in it. */
  private static final Pattern MENTION =
      Pattern.compile("(?<!io\\.)\\b(zerorename(?:\\.[a-z]++)++)(?!\\w|\\.[<&\u2026])");

  private static final String LITERAL = "\"(zerorename(?:\\.[a-z]+)+)\"";
  private static final String CATALOGUE =
      "committer-cli/src/main/resources/io/zerorename/cli/messages.md";

  @Test
  void configurationPageHasARowForEachSettingAndNoOther() {
    List<String> rows = new ArrayList<>();
    Stream.of(HiveKeys.all(), MapReduceKeys.own(), List.of(HiveKeys.TABLE_ENABLED))
        .flatMap(List::stream)
        .map(DocsTest::row)
        .forEach(rows::add);
    assertThat(tableRows("docs/configuration.md"))
        .filteredOn(row -> row.startsWith("| `zerorename."))
        .containsExactlyElementsOf(rows);
  }

  @Test
  void configurationPageNamesTheKeysOfBucketsAndNoOther() {
    List<String> keys =
        Stream.concat(HiveKeys.all().stream(), MapReduceKeys.own().stream())
            .filter(ConfigKey::isPerBucket)
            .map(ConfigKey::name)
            .toList();
    String page = SourceTree.read("docs/configuration.md");
    int start = page.indexOf("These can be set for one bucket: ");
    assertThat(start).isPositive();
    assertThat(mentions(page.substring(start, page.indexOf("\n\n", start))))
        .containsExactlyElementsOf(keys);
  }

  /** The names of classes are set in files, where no compiler looks. */
  @Test
  void classesThatSwitchTheCommitterOnExist() throws ClassNotFoundException {
    Configuration examples = new Configuration(false);
    for (String file : List.of("hive-site.xml", "mapred-site.xml", "tez-site.xml")) {
      Path example = SourceTree.root().resolve("conf-examples").resolve(file);
      examples.addResource(new org.apache.hadoop.fs.Path(example.toUri()));
    }
    int classes = 0;
    for (Map.Entry<String, String> setting : examples) {
      if (setting.getValue().startsWith("io.zerorename.")) {
        assertThat(Class.forName(setting.getValue())).as(setting.getKey()).isNotNull();
        classes++;
      }
    }
    assertThat(classes).isEqualTo(4);
  }

  @Test
  void pagesAndExamplesNameNoKeyThatThereIsNot() throws IOException {
    Configuration named = new Configuration(false);
    Stream.of(
            Page.all().map(Page::text),
            Stream.of("conf-examples/README.md", CATALOGUE).map(SourceTree::read),
            examples().map(SourceTree::read))
        .flatMap(texts -> texts)
        .forEach(text -> mentions(text).forEach(key -> named.set(key, "")));
    assertThat(named.size()).isGreaterThan(HiveKeys.all().size());
    named.unset(HiveKeys.TABLE_ENABLED.name());
    assertThat(HiveKeys.declared().unknownIn(named).keySet())
        // Properties of the build's own JVMs.
        .filteredOn(key -> !key.startsWith("zerorename.test."))
        // How the keys of one bucket begin, all of which a setting of Hive restricts.
        .filteredOn(key -> !key.equals("zerorename.bucket"))
        .isEmpty();
  }

  @Test
  void everyKeyInTheCodeIsDeclared() {
    Configuration named = new Configuration(false);
    for (String java : SourceTree.ofProduct()) {
      SourceTree.find(LITERAL, java).forEach(key -> named.set(key, ""));
    }
    assertThat(named.size()).isGreaterThan(HiveKeys.all().size());
    named.unset(HiveKeys.TABLE_ENABLED.name());
    assertThat(HiveKeys.declared().unknownIn(named).keySet())
        .as("but for what the command line calls its requests, and what its script sets")
        .containsExactlyInAnyOrder("zerorename.lifecycle", "zerorename.own.jars");
  }

  private static List<String> mentions(String text) {
    return MENTION.matcher(text).results().map(mention -> mention.group(1)).toList();
  }

  @Test
  void everyExampleIsListed() throws IOException {
    Path examples = SourceTree.root().resolve("conf-examples");
    assertThat(
            Page.of(examples.resolve("README.md")).links().stream()
                .filter(link -> link.endsWith(".xml")))
        .hasSizeGreaterThan(5)
        .containsExactlyInAnyOrderElementsOf(
            examples().map(file -> examples.relativize(file).toString()).toList());
  }

  private static Stream<Path> examples() throws IOException {
    try (Stream<Path> all = Files.walk(SourceTree.root().resolve("conf-examples"))) {
      return all.filter(file -> file.toString().endsWith(".xml")).toList().stream();
    }
  }

  private static String row(ConfigKey<?> key) {
    return row("`" + key.name() + "`", key.defaultText(), key.unit(), key.description());
  }

  private static String row(String... cells) {
    return ("| " + String.join(" | ", cells) + " |").replace("<", "&lt;");
  }

  @Test
  void supportPageHasEachReasonWithARemedyAndNoOther() {
    List<List<String>> rows =
        Page.of(SourceTree.root().resolve("docs/support.md")).rows().stream()
            .filter(row -> row.get(0).matches("`[A-Z_0-9]+`"))
            .toList();
    assertThat(rows.stream().map(row -> row.subList(0, 2)))
        .containsExactlyElementsOf(
            Arrays.stream(FallbackReason.values())
                .map(reason -> List.of("`" + reason + "`", reason.explanation()))
                .toList());
    assertThat(rows).allSatisfy(row -> assertThat(row).hasSize(3).doesNotContain(""));
  }

  @Test
  void observabilityPageNamesEachCounter() {
    assertThat(SourceTree.read("docs/observability.md"))
        .contains(CommitterMetrics.NAME)
        .contains(
            Arrays.stream(Metric.values()).map(metric -> "`" + metric.attribute() + "`").toList());
  }

  private static List<String> tableRows(String page) {
    return SourceTree.read(page).lines().filter(line -> line.startsWith("| `")).toList();
  }
}
