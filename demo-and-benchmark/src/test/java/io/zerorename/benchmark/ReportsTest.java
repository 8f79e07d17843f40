package io.zerorename.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.benchmark.BenchmarkOptions.Suite;
import io.zerorename.report.Browser;
import io.zerorename.report.ProgramOptions;
import io.zerorename.report.Reports;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportsTest {
  private static final String USED = HiveExperiment.USED + " INSERT OVERWRITE of default.t";
  private static final String FALLBACK = "zero-rename: default.t keeps Hive's own path: <FORMAT>";

  @TempDir Path directory;

  private final List<Row> rows = new ArrayList<>();

  @Test
  void medianAndFallbackAreInTheTablesAndOnThePage() throws Exception {
    for (double seconds : new double[] {4.6875, 5, 9}) {
      add(Suite.COMMIT, "10000-uploads", "zero-rename-64", seconds, "");
    }
    add(Suite.UPLOAD, "1-stream", "s3a-disk", 10, "");
    add(Suite.MAPREDUCE, "T20xF50-100KB", "magic-32", 6, "");
    add(Suite.HIVE, "orc-overwrite-P1", "stock", 60, "");
    add(Suite.HIVE, "orc-overwrite-P1", "zero-rename", 10, USED);
    add(Suite.HIVE, "orc-append-P1", "zero-rename", 10, FALLBACK);
    Results results =
        new Results(
            Instant.parse("2026-11-21T08:00:00Z"),
            ProgramOptions.read(new BenchmarkOptions()),
            Map.of("system", "Linux <amd64>"),
            rows,
            Optional.empty());
    assertThat(results.markdown().replaceAll(" +", " "))
        .contains(
            "| 10000-uploads | 30 | zero-rename-64 | 3 | 5.00 (4.69 to 9.00) | 1.00 | 1.00x |",
            "| 10.00 | 250 | 0.00010 | yes |",
            "| no: " + FALLBACK + " |");

    Reports.write(directory, "benchmark", results.json());
    String page = Browser.open(directory.resolve("report.html"), directory);
    assertThat(page)
        .contains("5 cases of commit, upload, mapreduce, hive", "5.00 (4.69 to 9.00)")
        .contains("zero-rename was not used here", "&lt;FORMAT&gt;", "Linux &lt;amd64&gt;")
        .doesNotContain("undefined", "NaN");
    assertThat(page).as("a chart that is drawn").containsPattern("data-points=\"[1-9]");
  }

  @Test
  void aHookThatWasNotThereIsSeen() {
    assertThat(HiveExperiment.note("OK\nTime taken: 1 seconds\n")).contains("said nothing");
    assertThat(HiveExperiment.note("OK\n" + USED + "\n")).isEqualTo(USED);
  }

  private void add(Suite suite, String caseName, String subject, double seconds, String note) {
    int round = 1 + (int) rows.stream().filter(it -> it.caseName().equals(caseName)).count();
    Sample sample =
        new Sample(
            100,
            12_345,
            Map.of(
                "setup", 0.1, "tasks", 1.0, "commit", seconds, "metastore", 1.0, "total", seconds),
            Map.of("HeadObject", 250L),
            Map.of(
                CommitExperiment.BOUND, 1.0,
                CommitExperiment.TO_BOUND, 1.0,
                UploadExperiment.RATE, 100.0,
                UploadExperiment.MEMORY, 40.0,
                UploadExperiment.PROCESSOR, 1.5),
            note);
    rows.add(
        new Row(suite, caseName, subject, Benchmark.title(subject), 30, round, sample, 0.0001));
  }
}
