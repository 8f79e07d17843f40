package io.zerorename.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.zerorename.report.JavaProgram;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The smallest cases of the whole benchmark in a process of its own, as the script starts it. */
@Tag("thorough")
class BenchmarkTest {
  @TempDir Path directory;

  private JavaProgram benchmark;

  @BeforeEach
  void output() {
    benchmark = new JavaProgram(Benchmark.class, "benchmark", directory);
  }

  @Test
  void everySuiteIsMeasuredAndReported() throws Exception {
    int code =
        benchmark.run(
            "--quick",
            "--latency-ms=1",
            "--upload-mb=6",
            "--case=^1000-uploads|1-stream|T20xF1-|orc-overwrite-P1$",
            "--subject=zero-rename-32|zero-rename-16|zero-rename$|magic-memory-32");

    assertThat(code).as(benchmark.console()).isZero();
    assertThat(benchmark.console()).contains("hive         1 cases", "### hive", "report.html");
    JsonNode json = new ObjectMapper().readTree(directory.resolve("report.json").toFile());
    Map<String, JsonNode> rows = new HashMap<>();
    json.get("rows")
        .forEach(
            row ->
                rows.put(row.get("suite").textValue() + " " + row.get("subject").textValue(), row));
    assertThat(rows.keySet())
        .containsExactlyInAnyOrder(
            "commit zero-rename-16",
            "upload zero-rename",
            "mapreduce magic-memory-32",
            "mapreduce zero-rename-32",
            "hive zero-rename");
    assertThat(rows.get("upload zero-rename").get("requestsTotal").intValue()).isEqualTo(3);
    // 3 per small file, and 7 of the job.
    assertThat(rows.get("mapreduce zero-rename-32").get("requestsTotal").intValue()).isEqualTo(68);
    assertThat(rows.get("mapreduce magic-memory-32").get("requestsTotal").intValue())
        .isGreaterThan(69);
    assertThat(rows.get("hive zero-rename").get("note").textValue()).contains(HiveExperiment.USED);
    assertThat(rows.get("hive zero-rename").get("requestsTotal").intValue()).isEqualTo(13);
    assertThat(directory.resolve("report.html")).content().contains("Chart.js v");
    assertThat(directory.resolve("tables.md")).content().contains("### hive");
  }
}
