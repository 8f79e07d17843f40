package io.zerorename.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.report.Browser;
import io.zerorename.report.Reports;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportsTest {
  @TempDir Path directory;

  private String page(Report report) throws Exception {
    Reports.write(directory, "demo", report.json());
    return Browser.open(directory.resolve("report.html"), directory);
  }

  @Test
  void pageShowsTheNumbersOfEveryRun() throws Exception {
    String page = page(Samples.report());

    assertThat(page)
        .contains("5,555 S3 requests become 4, and 1,234 copies become none")
        .contains("4,321", "777", "9.3", "CopyObject", "All 12 checks held")
        .contains("Hive + scratch staging", "TABLE &lt;table&gt;", "Linux &lt;amd64&gt;")
        .doesNotContain("Spark default", "undefined", "NaN");
    assertThat(page.split("data-points=\"[1-9]", -1)).as("charts that are drawn").hasSize(1 + 4);
  }

  @Test
  void pageOfSparkSaysWhatIsNotCompared() throws Exception {
    assertThat(page(Samples.reportOfSpark()))
        .contains("Spark, algorithm 2", "All 11 checks held", "Spark 3.5.7", "ANALYZE TABLE")
        .doesNotContain("Hive on", "scratch", "undefined", "NaN");
  }

  @Test
  void aFailedCheckIsSeen() throws Exception {
    Report report = Samples.report(List.of(new Check("rows", false, "one is missing")));

    assertThat(report.passed()).isFalse();
    assertThat(ConsoleTable.of(report))
        .contains("FAILED rows: one is missing")
        .containsPattern("S3 requests +\\| 5,555 +\\| 777 +\\| 4 +\\| 1388\\.8x +\\| 194\\.3x");
    assertThat(page(report)).contains("1 of 1 checks did not hold", "one is missing");
  }
}
