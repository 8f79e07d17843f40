package io.zerorename.qfiles;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.hive.HiveOnS3;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each q-file does through the committer what it does on Hive's own path. */
@Tag("thorough")
final class HiveQFilesTest {
  /** A regular expression; of all q-files those run whose names have it. */
  private static final String SELECTED = "qfiles";

  static List<String> qFiles() throws IOException {
    Predicate<String> selected = Pattern.compile(System.getProperty(SELECTED, "")).asPredicate();
    List<String> names = list("qfiles.txt").keySet().stream().filter(selected).toList();
    if (names.isEmpty()) {
      throw new IllegalArgumentException("no q-file has this in its name");
    }
    return names;
  }

  @ParameterizedTest
  @MethodSource("qFiles")
  void qFileDoesWhatItDoesOnHivesOwnPath(String name) throws Exception {
    QFileRun run = new QFileRun(HiveOnS3.shared());
    QFile file = QFile.positive(name);
    QFileRun.Outcome stock = run.of(file, false);
    QFileRun.Outcome ours = run.of(file, true);
    System.out.println(name + ": " + ours.summary());

    assertThat(ours.answers()).isEqualTo(stock.answers());
    assertThat(ours.tables()).isEqualTo(stock.tables());
    assertThat(ours.copies()).as("requests COPY of what the committer committed").isZero();
    assertThat(ours.committed())
        .as("targets that the committer has committed; it left to Hive: %s", ours.fallbacks())
        .isGreaterThanOrEqualTo(Integer.parseInt(list("qfiles.txt").get(name)));
  }

  @Test
  void whatIsExcludedIsAQFileThatIsNotRun() throws Exception {
    for (String name : list("exclusions.txt").keySet()) {
      assertThat(QFile.positive(name).statements()).as(name).isNotEmpty();
      assertThat(list("qfiles.txt")).doesNotContainKey(name);
    }
  }

  /** The lines of a list, each the name of a q-file and what is said of it. */
  private static Map<String, String> list(String file) throws IOException {
    try (InputStream in = HiveQFilesTest.class.getResourceAsStream(file)) {
      Map<String, String> list = new TreeMap<>();
      new String(in.readAllBytes(), UTF_8)
          .lines()
          .filter(line -> !line.startsWith("#"))
          .map(line -> line.split(" ", 2))
          .forEach(line -> list.put(line[0], line[1]));
      return list;
    }
  }
}
