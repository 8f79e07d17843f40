package io.zerorename.testing.sparksuites;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.docs.SourceTree;
import io.zerorename.testing.sparksuites.SuiteList.Suite;
import io.zerorename.testing.sparksuites.TestRun.Requests;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
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
 * zero-rename's, and leaves no rename to Spark's. The former runs only what fails with the latter.
 */
@Tag("thorough")
final class SparkSuitesTest {
  private static final Path TARGET = Path.of("target").toAbsolutePath();
  private static final Map<String, TestRun> STOCK_NOT_RUN = Map.of();

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

  static List<Suite> suites() {
    return SuiteList.suites();
  }

  @ParameterizedTest
  @MethodSource("suites")
  void whatPassesWithSparksCommitProtocolPassesWithOurs(Suite suite) throws Exception {
    String name = suite.name();
    Set<String> excluded = SuiteList.excluded(name);
    Map<String, TestRun> all = runs.run(name, ours(), List.of());
    Comparison comparison = new Comparison(all, STOCK_NOT_RUN, excluded);
    // A test that fails may leave what makes the next ones fail.
    List<String> doubtful = comparison.doubtful();
    if (!doubtful.isEmpty()) {
      comparison = comparison.again(runs.run(name, ours(), doubtful));
    }
    Set<String> toCompare = new LinkedHashSet<>(comparison.doubtful());
    toCompare.addAll(excluded);
    if (!toCompare.isEmpty()) {
      Map<String, TestRun> stock = runs.run(name, Map.of(), toCompare);
      comparison = new Comparison(comparison.ours(), stock, excluded);
    }
    Requests requests =
        all.values().stream().map(TestRun::requests).reduce(Requests.NONE, Requests::plus);
    results.add(name, comparison, requests);

    assertThat(requests.total()).as("sent to S3").isPositive();
    assertThat(comparison.lost()).as("lost with ours").isEmpty();
    assertThat(comparison.stoodAside()).as("ours was not in charge").isEmpty();
    assertThat(comparison.needlesslyExcluded()).as("needs no exclusion").isEmpty();
    assertThat(comparison.passed()).as("passed").isGreaterThanOrEqualTo(suite.leastPassed());
  }

  /** What users copy. */
  private static Map<String, String> ours() throws IOException {
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
