package io.zerorename.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReportsTest {
  @Test
  void jsonHasTheKeysThatScriptsRelyOn() throws Exception {
    JsonNode json = new ObjectMapper().readTree(JsonReport.of(Samples.results()));

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
    assertThat(json.get("targets")).hasSize(Targets.of(Samples.results()).size());
  }

  @Test
  void roundsOfOneSubjectAreNumbered() throws Exception {
    JsonNode rows = new ObjectMapper().readTree(JsonReport.of(Samples.results())).get("rows");

    assertThat(rows.findValuesAsText("round")).startsWith("1", "2", "3", "1");
  }

  @Test
  void htmlShowsMediansConditionsAndWhiskers() throws Exception {
    String html = HtmlReport.of(Samples.results());

    assertThat(html)
        .contains("5.00 s", "5.00 (4.69 to 9.00)", "class=\"whisker\"", "at 100 MB/s")
        .contains("1/3.12 of the time", "not met", "2026-11-21")
        .doesNotContain("{{");
  }

  @Test
  void htmlComparesOthersWithWhatUsersGet() throws Exception {
    Results results =
        new Samples()
            .mapReduce("magic-32", 6, 2)
            .mapReduce("zero-rename-32", 2, 0.5)
            .mapReduce("zero-rename-uploading-32", 4, 1)
            .results(Map.of());

    assertThat(HtmlReport.of(results))
        .contains("Against magic-32, zero-rename-32 takes")
        .doesNotContain("zero-rename-uploading-32 takes");
  }

  @Test
  void htmlNeedsNoOtherFileOrHost() throws Exception {
    assertThat(HtmlReport.of(Samples.results()))
        .doesNotContain("http://", "https://", "<script", "<link", "src=", "@import", "url(")
        .contains("<svg", "prefers-color-scheme: dark");
  }

  @Test
  void htmlEscapesWhatComesFromOutside() throws Exception {
    Results results =
        new Samples()
            .hive("zero-rename", "append-P100", 10, 1, 100, Samples.FALLBACK)
            .results(Map.of("system", "Linux <amd64>"));

    assertThat(HtmlReport.of(results))
        .contains("zero-rename was not used here", "&lt;FORMAT&gt;", "Linux &lt;amd64&gt;")
        .doesNotContain("<FORMAT>");
  }

  @Test
  void markdownHasATablePerSuiteAndTheTargets() throws Exception {
    assertThat(MarkdownTables.of(Samples.results()))
        .contains("### Targets", "### commit", "### upload", "### mapreduce", "### hive")
        .contains("| orc-overwrite-P100 | 30 | zero-rename | 1 | 1.00 | 1.00 | 1.00 | 10.00 | 250")
        .contains("| yes |");
  }

  @Test
  void consoleShowsMediansAndTargets() throws Exception {
    assertThat(ConsoleSummary.of(Samples.results()))
        .containsPattern("Hive \\+ scratch staging +1\\.00 +4\\.00 +20\\.00 +2,000")
        .contains("not met      Upload, 1-stream: memory, zero-rename to s3a-bytebuffer: 1.10x");
  }
}
