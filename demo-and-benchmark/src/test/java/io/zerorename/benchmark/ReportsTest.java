package io.zerorename.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.zerorename.report.Browser;
import io.zerorename.report.Reports;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportsTest {
  @TempDir Path directory;

  @Test
  void jsonHasTheKeysThatScriptsRelyOn() throws Exception {
    JsonNode json = new ObjectMapper().readTree(Reports.json(Samples.results().json()));

    assertThat(json.get("rows")).hasSize(12);
    for (JsonNode row : json.get("rows")) {
      assertThat(row.get("suite").textValue()).isIn("commit", "upload", "mapreduce", "hive");
      assertThat(row.get("case").isTextual()).isTrue();
      assertThat(row.get("subject").isTextual()).isTrue();
      assertThat(row.get("latencyMs").isInt()).isTrue();
      assertThat(row.get("round").intValue()).isPositive();
      assertThat(row.get("files").isNumber()).isTrue();
      assertThat(row.get("bytes").isNumber()).isTrue();
      for (String part : new String[] {"tasks", "commit", "total"}) {
        assertThat(row.get("seconds").get(part).isNumber()).as(part).isTrue();
      }
      assertThat(row.get("requestsTotal").longValue()).isPositive();
      assertThat(row.get("requests").isObject()).isTrue();
    }
    JsonNode stock = json.get("rows").get(9);
    assertThat(stock.get("case").textValue()).isEqualTo("orc-overwrite-P100");
    assertThat(stock.get("requests").get("HeadObject").intValue()).isEqualTo(5000);
    assertThat(stock.get("dollars").doubleValue()).isEqualTo(0.002);
    assertThat(json.get("machine").get("processors").textValue()).isEqualTo("2");
    assertThat(json.get("rows").findValuesAsText("round")).startsWith("1", "2", "3", "1");
  }

  @Test
  void pageShowsMediansChartsAndFallbacks() throws Exception {
    Results results =
        new Samples()
            .all()
            .hive("zero-rename", "append-P100", 10, 1, 100, Samples.FALLBACK)
            .results(Map.of("system", "Linux <amd64>"));
    Reports.write(directory, "benchmark", results.json());

    String page = Browser.open(directory.resolve("report.html"), directory);

    assertThat(page)
        .contains("5 cases of commit, upload, mapreduce, hive", "5.00 (4.69 to 9.00)")
        .contains("at 100 MB/s", "2026-11-21", "Hive + scratch staging")
        .contains("zero-rename was not used here", "&lt;FORMAT&gt;", "Linux &lt;amd64&gt;")
        .doesNotContain("Checkpoints of Spark", "undefined", "NaN");
    assertThat(page.split("data-points=\"[1-9]", -1)).as("charts that are drawn").hasSize(1 + 11);
  }

  @Test
  void aHookThatWasNotThereIsSeen() throws Exception {
    String note = HiveExperiment.note("OK\nTime taken: 1 seconds\n");

    assertThat(
            new Samples()
                .hive("zero-rename", "append-P1", 1, 1, 1, note)
                .results(Map.of())
                .markdown())
        .contains("no: the hook said nothing");
    assertThat(HiveExperiment.note("OK\n" + Samples.USED + "\n")).isEqualTo(Samples.USED);
  }

  @Test
  void tablesAreForPagesAndForTerminals() throws Exception {
    String[] lines = Samples.results().markdown().replaceAll(" +", " ").split("\n", -1);

    assertThat(lines)
        .contains("### commit", "### upload", "### mapreduce", "### hive")
        .contains(
            "| 10000-uploads | 30 | zero-rename-64 | 3 | 5.00 (4.69 to 9.00) | 4.69 | 1.07x (1.00x to 1.92x) | 10,000 | 0.05000 |")
        .contains(
            "| orc-overwrite-P100 | 30 | zero-rename | 1 | 1.00 | 1.00 | 1.00 | 10.00 | 250 | 0.00010 | yes |");
  }
}
