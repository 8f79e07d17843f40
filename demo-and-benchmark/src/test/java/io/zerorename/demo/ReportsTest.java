package io.zerorename.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReportsTest {
  @Test
  void jsonHasTheKeysThatScriptsRelyOn() throws Exception {
    JsonNode json = new ObjectMapper().readTree(JsonReport.of(Samples.report()));

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

  @Test
  void htmlShowsTheNumbersOfEveryRun() throws Exception {
    String html = HtmlReport.of(Samples.report());

    assertThat(html).contains("5,555", "1,234", "4,321", "777", "9.3", "1.5", "CopyObject");
    assertThat(html).contains("All 12 checks held").doesNotContain("{{");
  }

  @Test
  void onlyTheBestNumberHasTheColorOfSuccess() throws Exception {
    String html = HtmlReport.of(Samples.report());

    assertThat(html)
        .contains(
            "<p class=\"big good\">1.5</p>", "<td>5,555</td><td>777</td><td class=\"good\">4</td>")
        .contains("<td>1,234</td><td class=\"good\">0</td><td class=\"good\">0</td>")
        .as("alike in all")
        .contains("<th>files</th><td>2</td><td>2</td><td>2</td>")
        .contains("<th>tasks</th><td>1.0</td><td>1.0</td><td>1.0</td>");

    List<Measurement> worse = new ArrayList<>(Samples.measurements());
    worse.set(0, slower(worse.get(0), 1));
    worse.set(2, slower(worse.get(2), 20));
    Report report = Samples.reportOf(worse);
    assertThat(HtmlReport.of(report))
        .contains("<p class=\"big\">20.0</p>")
        .contains("<th>seconds</th><td class=\"good\">1.0</td><td>9.3</td><td>20.0</td>");
  }

  private static Measurement slower(Measurement it, int seconds) {
    return new Measurement(
        it.way(),
        Duration.ofSeconds(seconds),
        it.phases(),
        it.requests(),
        it.requestsByPhase(),
        it.committerLines(),
        it.partitions(),
        it.objects(),
        it.pendingUploads());
  }

  @Test
  void waysHaveTheNamesThatTheDocumentationHas() throws Exception {
    for (String text :
        List.of(HtmlReport.of(Samples.report()), ConsoleTable.of(Samples.report()))) {
      assertThat(text)
          .contains("Hive default", "Hive + scratch staging", "zero-rename")
          .doesNotContainPattern("(?<!_)stock");
    }
  }

  @Test
  void htmlNeedsNoOtherFileOrHost() throws Exception {
    assertThat(HtmlReport.of(Samples.report()))
        .doesNotContain("http://", "https://", "<script", "<link", "src=", "@import", "url(")
        .contains("<svg", "prefers-color-scheme: dark");
  }

  @Test
  void htmlEscapesWhatComesFromOutside() throws Exception {
    assertThat(HtmlReport.of(Samples.report()))
        .contains("TABLE &lt;table&gt;", "Linux &lt;amd64&gt;")
        .doesNotContain("TABLE <table>");
  }

  @Test
  void aFailedCheckIsSeenInEveryReport() throws Exception {
    Report report = Samples.report(List.of(new Check("rows", false, "one is missing")));

    assertThat(report.passed()).isFalse();
    assertThat(HtmlReport.of(report)).contains("1 of 1 checks did not hold", "one is missing");
    assertThat(ConsoleTable.of(report)).contains("FAILED rows: one is missing");
    assertThat(new ObjectMapper().readTree(JsonReport.of(report)).get("passed").booleanValue())
        .isFalse();
  }

  @Test
  void reportsOfSparkSayWhatIsNotCompared() throws Exception {
    Report report = Samples.reportOfSpark();

    JsonNode json = new ObjectMapper().readTree(JsonReport.of(report));
    assertThat(json.get("stockV2").get("files").intValue()).isEqualTo(2);
    assertThat(json.get("zerorename").get("bytes").intValue()).isEqualTo(1000);
    assertThat(json.get("stock").get("phases").has("move")).isFalse();
    assertThat(json.has("statsEqual")).isFalse();
    assertThat(json.get("withoutStatistics").textValue()).contains("ANALYZE TABLE");
    assertThat(HtmlReport.of(report))
        .contains("Spark, algorithm 2", "All 11 checks held", "Spark 3.5.7", "ANALYZE TABLE")
        .doesNotContain("Hive on", "scratch", "{{");
    assertThat(ConsoleTable.of(report))
        .contains("Spark default", "ANALYZE TABLE")
        .containsPattern("S3 requests +5,555 +777 +4 +1388\\.8x +194\\.3x");
  }

  @Test
  void consoleShowsTheRunsSideBySideWithRatios() {
    assertThat(ConsoleTable.of(Samples.report()))
        .containsPattern("S3 requests +5,555 +777 +4 +1388\\.8x +194\\.3x")
        .containsPattern("COPY requests +1,234 +0 +0 +- +-");
  }
}
