package io.zerorename.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.zerorename.report.Browser;
import io.zerorename.report.Reports;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportsTest {
  @TempDir Path directory;

  @Test
  void jsonHasTheKeysThatScriptsRelyOn() throws Exception {
    JsonNode json = json(Samples.report());

    for (String subject : List.of("stock", "stockScratch", "zerorename")) {
      JsonNode run = json.get(subject);
      assertThat(run.get("seconds").isNumber()).as(subject).isTrue();
      assertThat(run.get("files").intValue()).isEqualTo(2);
      assertThat(run.get("rows").intValue()).isEqualTo(3);
      assertThat(run.get("bytes").intValue()).isEqualTo(1000);
      assertThat(run.get("requests").isObject()).isTrue();
      assertThat(run.get("requestsTotal").isNumber()).isTrue();
      assertThat(run.get("copyRequests").isNumber()).isTrue();
    }
    assertThat(json.get("stock").get("seconds").doubleValue()).isEqualTo(9.25);
    assertThat(json.get("stock").get("requests").get("CopyObject").intValue()).isEqualTo(1234);
    assertThat(json.get("stock").get("requestsTotal").intValue()).isEqualTo(5555);
    assertThat(json.get("stock").get("copyRequests").intValue()).isEqualTo(1234);
    assertThat(json.get("zerorename").get("copyRequests").intValue()).isZero();
    assertThat(json.get("rowsEqual").booleanValue()).isTrue();
    assertThat(json.get("statsEqual").booleanValue()).isTrue();
  }

  private static JsonNode json(Report report) throws Exception {
    return new ObjectMapper().readTree(Reports.json(report.json()));
  }

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
        .contains(
            "Hive default", "Hive + scratch staging", "TABLE &lt;table&gt;", "Linux &lt;amd64&gt;")
        .doesNotContain("Spark default", "undefined", "NaN")
        .as("only the best number has the colour of success, and none that is alike in all")
        .contains("<p class=\"big good\">1.5</p>")
        .contains("<td>5,555</td><td>777</td><td class=\"good\">4</td>")
        .contains("<td>1,234</td><td class=\"good\">0</td><td class=\"good\">0</td>")
        .contains("<td>2</td><td>2</td><td>2</td>");
    assertThat(page.split("data-points=\"[1-9]", -1)).as("charts that are drawn").hasSize(1 + 4);
  }

  @Test
  void pageOfSparkSaysWhatIsNotCompared() throws Exception {
    assertThat(page(Samples.reportOfSpark()))
        .contains("Spark, algorithm 2", "All 11 checks held", "Spark 3.5.7", "ANALYZE TABLE")
        .doesNotContain("Hive on", "scratch", "undefined", "NaN");
  }

  @Test
  void pageNeedsNoOtherFileOrHost() throws Exception {
    Reports.write(directory, "demo", Samples.report().json());

    assertThat(directory.resolve("report.html"))
        .content()
        .contains("Chart.js v", "prefers-color-scheme: dark", "\\u003ctable>")
        .doesNotContain("{{", "<link", " src=", "@import", "url(", "TABLE <table>");
  }

  @Test
  void aFailedCheckIsSeen() throws Exception {
    Report report = Samples.report(List.of(new Check("rows", false, "one is missing")));

    assertThat(report.passed()).isFalse();
    assertThat(ConsoleTable.of(report)).contains("FAILED rows: one is missing");
    assertThat(json(report).get("passed").booleanValue()).isFalse();
    assertThat(page(report)).contains("1 of 1 checks did not hold", "one is missing");
  }

  @Test
  void reportsOfSparkSayWhatIsNotCompared() throws Exception {
    Report report = Samples.reportOfSpark();

    JsonNode json = json(report);
    assertThat(json.get("stockV2").get("files").intValue()).isEqualTo(2);
    assertThat(json.get("zerorename").get("bytes").intValue()).isEqualTo(1000);
    assertThat(json.get("stock").get("phases").has("move")).isFalse();
    assertThat(json.has("statsEqual")).isFalse();
    assertThat(json.get("withoutStatistics").textValue()).contains("ANALYZE TABLE");
    assertThat(ConsoleTable.of(report))
        .contains("Spark default", "ANALYZE TABLE")
        .containsPattern("S3 requests +\\| 5,555 +\\| 777 +\\| 4 +\\| 1388\\.8x +\\| 194\\.3x");
  }

  @Test
  void consoleShowsTheRunsSideBySideWithRatios() {
    assertThat(ConsoleTable.of(Samples.report()))
        .containsPattern("S3 requests +\\| 5,555 +\\| 777 +\\| 4 +\\| 1388\\.8x +\\| 194\\.3x")
        .containsPattern("COPY requests +\\| 1,234 +\\| 0 +\\| 0 +\\| - +\\| - ");
  }
}
