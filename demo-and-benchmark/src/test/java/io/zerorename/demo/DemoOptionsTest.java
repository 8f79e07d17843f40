package io.zerorename.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.report.ProgramOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine.ParameterException;

class DemoOptionsTest {
  private static DemoOptions parse(String... arguments) {
    return ProgramOptions.read(new DemoOptions(), arguments);
  }

  @Test
  void everyTaskWritesLargeFilesOfFewPartitions() {
    DemoOptions options = parse("--file-mb", "7", "--tasks", "4");
    assertThat(options.partitions).isEqualTo(2);
    assertThat(options.writtenFiles()).isEqualTo(8);
    assertThat(options.salesPerPartition()).isEqualTo(4 * 200_000);
    assertThat(options.scale() * 2_880_000).isGreaterThan(8 * 200_000);
  }

  @ParameterizedTest
  @CsvSource({
    "--tasks 17, 17",
    "--partitions 1784, 1784",
    "--format csv, csv",
    "--file-mb 64 --partitions 5, --file-mb 64 in 5 files is more than 256 MB",
    "--merge --engine spark, --merge excludes --engine spark: Spark merges no files",
    "--endpoint=http://minio:9000 --bucket=b-1 --keep, excludes --latency-ms and --keep",
  })
  void whatIsWrongIsNamed(String line, String message) {
    assertThatThrownBy(() -> parse(line.split(" ")))
        .isInstanceOf(ParameterException.class)
        .hasMessageContaining(message);
  }
}
