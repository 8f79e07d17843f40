package io.zerorename.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.benchmark.BenchmarkOptions.Suite;
import io.zerorename.benchmark.Results.CaseKey;
import io.zerorename.report.BarChart.Chart;
import io.zerorename.report.BarChart.Segment;
import io.zerorename.report.Picture;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The pictures of docs/performance, drawn from the tables of the pages. With {@code
 * -Dzerorename.pictures.write=true} they are written.
 */
class PicturesTest {
  private static final Path DOCS = Path.of(System.getProperty("basedir", ""), "..", "docs");

  /** Subjects in a person's words, as regular expressions. */
  private static final Map<String, String> LABELS =
      Map.of(
          "fileoutput-(.*)", "FileOutputCommitter $1",
          "directory", "S3A directory staging",
          "magic-(\\d+)", "S3A magic, $1 threads",
          "magic-memory-(\\d+)", "S3A magic in memory, $1 threads",
          "zero-rename-(\\d+)", "zero-rename, $1 threads",
          "zero-rename-uploading-(\\d+)", "zero-rename, tasks upload, $1 threads",
          "s3a-disk", "S3A, unsent data on disk",
          "s3a-bytebuffer", "S3A, unsent data in memory",
          "zero-rename-bytebuffer", "zero-rename, unsent data in memory");

  /** The columns of the tables by the names of what was measured. */
  private static final Map<String, String> SECONDS =
      Map.of(
          SimulatedJob.SETUP, "setup",
          Sample.TASKS, "tasks",
          HiveExperiment.METASTORE, "metastore",
          Sample.TOTAL, "total");

  private static final Map<String, String> MEASURES =
      Map.of(
          CommitExperiment.BOUND, "bound",
          UploadExperiment.RATE, "MB/s",
          UploadExperiment.PROCESSOR, "CPU s/GB",
          UploadExperiment.MEMORY, "live MB");

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "hive | HIVE | orc-overwrite-P100 | 2 | INSERT OVERWRITE of 100 partitions in ORC, 30 ms for each request",
        "hive-1000 | HIVE | orc-overwrite-P1000 | 2 | INSERT OVERWRITE of 1,000 partitions in ORC, 30 ms for each request",
        "mapreduce | MAPREDUCE | T20xF50-100KB | 1 | MapReduce job with 1,000 files of 100 KB, 30 ms for each request",
        "commit | COMMIT | 10000-uploads | 1 | Job commit of 10,000 uploads, 30 ms for each request",
        "upload | UPLOAD | 8-streams | 3 | Upload of 1 GB in eight streams, without a delay",
      })
  void pictureShowsTheTable(String name, Suite suite, String caseName, int charts, String title)
      throws Exception {
    List<Group> groups = groups(suite, caseName);
    List<Chart> shown =
        new Charts(new CaseKey(suite, caseName, 30), groups).all().subList(0, charts);
    List<Segment> legend =
        Charts.legend(suite).stream().filter(entry -> isIn(shown, entry)).toList();

    String svg = Picture.of(title, legend, shown);

    Path file = DOCS.resolve("images/benchmark-" + name + ".svg");
    if (Boolean.getBoolean("zerorename.pictures.write")) {
      Files.writeString(file, svg);
    }
    assertThat(file).as("draw it with -Dzerorename.pictures.write=true").hasContent(svg);
    assertThat(svg).contains("prefers-color-scheme: dark", title, "class=\"value\"");
    assertThat(svg.split("class=\"label\"", -1)).hasSize(1 + charts * groups.size());
  }

  private static boolean isIn(List<Chart> charts, Segment entry) {
    return charts.stream()
        .flatMap(chart -> chart.bars().stream())
        .flatMap(bar -> bar.segments().stream())
        .anyMatch(part -> part.name().equals(entry.name()) && part.value() > 0);
  }

  /** The lines of a case in the table of a suite's page. */
  private static List<Group> groups(Suite suite, String caseName) throws Exception {
    List<Group> groups = new ArrayList<>();
    List<String> titles = List.of();
    for (String line : Files.readAllLines(DOCS.resolve("performance/" + suite.key() + ".md"))) {
      List<String> cells = Arrays.stream(line.split("\\|", -1)).map(String::strip).toList();
      if (line.startsWith("| case |")) {
        titles = cells;
      } else if (cells.size() > 1 && cells.get(1).equals(caseName)) {
        Map<String, double[]> values = new HashMap<>();
        for (int i = 2; i < Math.min(cells.size(), titles.size()); i++) {
          values.put(titles.get(i), numbers(cells.get(i)));
        }
        groups.add(group(suite, caseName, cells.get(titles.indexOf("subject")), values));
      }
    }
    assertThat(groups).isNotEmpty();
    return groups;
  }

  private static Group group(
      Suite suite, String caseName, String subject, Map<String, double[]> values) {
    String label = subject;
    for (Map.Entry<String, String> rule : LABELS.entrySet()) {
      if (subject.matches(rule.getKey())) {
        label = subject.replaceFirst(rule.getKey(), rule.getValue());
      }
    }
    if (suite == Suite.UPLOAD && subject.equals("zero-rename")) {
      label = "zero-rename, unsent data on disk";
    }
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < (values.get("rounds")[0] > 1 ? 3 : 1); i++) {
      rows.add(new Row(suite, caseName, label, 30, i + 1, sample(values, i)));
    }
    return new Group(suite, caseName, 30, label, rows);
  }

  private static Sample sample(Map<String, double[]> values, int i) {
    Map<String, Double> seconds = new HashMap<>();
    SECONDS.forEach((part, title) -> seconds.put(part, value(values, title, i)));
    seconds.put(
        Sample.COMMIT,
        value(values, "seconds", i)
            + value(values, "job commit", i)
            + value(values, "commit + move", i));
    seconds.put(
        HiveExperiment.REST,
        Math.max(
            0,
            value(values, "total", 0)
                - value(values, "tasks", 0)
                - value(values, "commit + move", 0)
                - value(values, "metastore", 0)));
    Map<String, Double> measures = new HashMap<>();
    MEASURES.forEach((measure, title) -> measures.put(measure, value(values, title, i)));
    return new Sample(
        0, 0, seconds, Map.of("all", (long) value(values, "requests", i)), measures, "");
  }

  private static double value(Map<String, double[]> values, String title, int i) {
    return values.getOrDefault(title, new double[3])[i];
  }

  /** The median, the least and the most, of a cell such as "2.22 (2.04 to 2.33)". */
  private static double[] numbers(String cell) {
    String[] words = cell.replaceAll("[,()]", "").split(" (to )?", -1);
    double[] numbers = new double[3];
    for (int i = 0; i < 3; i++) {
      String word = words[words.length == 3 ? i : 0];
      numbers[i] = word.matches("[0-9.]+") ? Double.parseDouble(word) : 0;
    }
    return numbers;
  }
}
