package io.zerorename.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.benchmark.BenchmarkOptions.Suite;
import io.zerorename.report.ProgramOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine.ParameterException;

class BenchmarkOptionsTest {
  private static BenchmarkOptions parse(String... arguments) {
    return ProgramOptions.read(new BenchmarkOptions(), arguments);
  }

  @Test
  void quickMeasuresOnceAndLessUnlessToldOtherwise() {
    assertThat(parse("--quick").rounds).isEqualTo(1);
    assertThat(parse("--rounds", "2", "--quick").rounds).isEqualTo(2);
    assertThat(parse("--quick", "--latency-ms=0,5").latencies).containsExactly(0, 5);
  }

  @Test
  void suitesAndFiltersAreRead() {
    BenchmarkOptions options =
        parse("--only=hive,commit,hive", "--case", "P1$", "--subject", "zero|magic");
    assertThat(options.suites).containsExactly(Suite.COMMIT, Suite.HIVE);
    assertThat(options.hasCase("orc-append-P1")).isTrue();
    assertThat(options.hasCase("orc-append-P10")).isFalse();
    assertThat(options.hasSubject("directory")).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "--only flink, --only",
    "--rounds 0, --rounds",
    "--case (, --case",
    "--endpoint=http://minio:9000 --bucket=b-1 --only=commit, --endpoint excludes --latency-ms",
  })
  void whatIsWrongIsNamed(String line, String message) {
    assertThatThrownBy(() -> parse(line.split(" ")))
        .isInstanceOf(ParameterException.class)
        .hasMessageContaining(message);
  }
}
