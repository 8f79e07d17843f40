package io.zerorename.testing.sparksuites;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.docs.SourceTree;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each of Spark's own tests that passes on S3A with Spark's own commit protocol passes with
 * zero-rename's, which has written what it wrote.
 */
@Tag("thorough")
final class SparkSuitesTest {
  private static final Path TARGET = Path.of("target").toAbsolutePath();
  private static final Map<String, String> STOCK = Map.of();

  private static SuiteRuns runs;
  private static Results results;

  @BeforeAll
  static void start() throws IOException {
    runs = new SuiteRuns(TARGET.resolve("spark-suites"), DirectoryOnS3.create());
    results = new Results(TARGET.resolve("spark-differential.json"));
  }

  @AfterAll
  static void stop() throws IOException {
    runs.close();
  }

  static List<String> suites() {
    return SuiteList.suites();
  }

  @ParameterizedTest
  @MethodSource("suites")
  void whatPassesWithSparksCommitProtocolPassesWithOurs(String suite) throws Exception {
    Map<String, String> ours = conf();
    Set<String> excluded = SuiteList.excluded(suite);
    Map<String, TestRun> stock = runs.run(suite, STOCK, List.of());
    Comparison first =
        new Comparison(stock, withExcludedApart(suite, ours, stock.keySet(), excluded), excluded);
    List<String> doubtful = first.doubtful();
    Comparison comparison =
        doubtful.isEmpty()
            ? first
            : first.again(runs.run(suite, STOCK, doubtful), runs.run(suite, ours, doubtful));
    results.add(suite, comparison);

    assertThat(Comparison.passed(comparison.stock())).as("passed with Spark's own").isPositive();
    assertThat(Comparison.requests(comparison.stock()).total()).as("sent to S3").isPositive();
    assertThat(comparison.lost()).as("lost with ours: %s", comparison.reasons()).isEmpty();
    assertThat(comparison.stoodAside()).as("ours was not in charge").isEmpty();
    assertThat(comparison.needlesslyExcluded()).as("needs no exclusion").isEmpty();
  }

  /** One that fails may leave what makes the next ones fail. */
  private static Map<String, TestRun> withExcludedApart(
      String suite, Map<String, String> settings, Set<String> tests, Set<String> excluded)
      throws IOException, InterruptedException {
    if (excluded.isEmpty()) {
      return runs.run(suite, settings, List.of());
    }
    List<String> included = tests.stream().filter(test -> !excluded.contains(test)).toList();
    Map<String, TestRun> all = new LinkedHashMap<>(runs.run(suite, settings, included));
    all.putAll(runs.run(suite, settings, excluded));
    return all;
  }

  /** What users copy. */
  private static Map<String, String> conf() throws IOException {
    Properties defaults = new Properties();
    try (Reader reader =
        Files.newBufferedReader(SourceTree.root().resolve("conf-examples/spark-defaults.conf"))) {
      defaults.load(reader);
    }
    Map<String, String> conf = new TreeMap<>();
    defaults.forEach((key, value) -> conf.put((String) key, ((String) value).trim()));
    return conf;
  }
}
