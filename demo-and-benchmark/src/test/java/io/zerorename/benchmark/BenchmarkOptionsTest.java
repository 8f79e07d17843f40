package io.zerorename.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.benchmark.BenchmarkOptions.Suite;
import io.zerorename.report.ProgramOptions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.ParameterException;

class BenchmarkOptionsTest {
  private static BenchmarkOptions parse(String... arguments) {
    return ProgramOptions.read(new BenchmarkOptions(), arguments);
  }

  @Test
  void noOptionsMeasureEverythingThreeTimesAtBothDelays() throws Exception {
    BenchmarkOptions options = parse();

    assertThat(options.suites).containsExactly(Suite.values());
    assertThat(options.rounds).isEqualTo(3);
    assertThat(options.latencies).containsExactly(30, 0);
    assertThat(options.uploadMegabytes).isEqualTo(1024);
    assertThat(options.hasCase("T20xF50-100KB")).isTrue();
    assertThat(options.hasSubject("magic-8")).isTrue();
  }

  @Test
  void quickMeasuresOnceAndLessUnlessToldOtherwise() throws Exception {
    assertThat(parse("--quick").rounds).isEqualTo(1);
    assertThat(parse("--quick").latencies).containsExactly(30);
    assertThat(parse("--quick").uploadMegabytes).isEqualTo(256);
    assertThat(parse("--rounds", "2", "--quick").rounds).isEqualTo(2);
    assertThat(parse("--quick", "--latency-ms=0,5").latencies).containsExactly(0, 5);
  }

  @Test
  void suitesSizesAndFiltersAreRead() throws Exception {
    BenchmarkOptions options =
        parse(
            "--only=hive,commit,hive",
            "--upload-mb",
            "70",
            "--case",
            "P1$",
            "--subject",
            "zero|magic");

    assertThat(options.suites).containsExactly(Suite.COMMIT, Suite.HIVE);
    assertThat(options.uploadMegabytes).isEqualTo(70);
    assertThat(options.hasCase("orc-append-P1")).isTrue();
    assertThat(options.hasCase("orc-append-P10")).isFalse();
    assertThat(options.hasSubject("zero-rename-8")).isTrue();
    assertThat(options.hasSubject("directory")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--only flink",
        "--rounds 0",
        "--rounds 101",
        "--latency-ms -1",
        "--latency-ms 10001",
        "--upload-mb 0",
        "--case (",
        "--case",
        "--subject [",
        "--frobnicate",
      })
  void whatIsWrongIsNamed(String line) {
    String[] arguments = line.split(" ");

    assertThatThrownBy(() -> parse(arguments))
        .isInstanceOf(ParameterException.class)
        .hasMessageContaining(arguments[0]);
  }

  @Test
  void anEndpointHasItsOwnPace() throws Exception {
    BenchmarkOptions options = parse("--endpoint=http://minio:9000", "--bucket=some-bucket");

    assertThat(options.suites).doesNotContain(Suite.COMMIT).hasSize(5);
    assertThat(options.latencies).containsExactly(0);
    assertThat(options.pace(0)).isEqualTo("on http://minio:9000");
    assertThat(parse().pace(30)).isEqualTo("at 30 ms");
    for (String other : List.of("--latency-ms=30", "--only=commit")) {
      assertThatThrownBy(() -> parse("--endpoint=http://minio:9000", "--bucket=some-bucket", other))
          .isInstanceOf(ParameterException.class)
          .hasMessageStartingWith("--endpoint excludes --latency-ms");
    }
  }
}
