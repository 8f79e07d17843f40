package io.zerorename.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.demo.DemoOptions.Engine;
import io.zerorename.demo.DemoOptions.Format;
import io.zerorename.report.ProgramOptions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.ParameterException;

class DemoOptionsTest {
  private static DemoOptions parse(String... arguments) {
    return ProgramOptions.read(new DemoOptions(), arguments);
  }

  @Test
  void noOptionsGiveAHundredPartitionsOfOrcOnTez() throws Exception {
    DemoOptions options = parse();

    assertThat(options.scale()).isEqualTo(0.01);
    assertThat(options.partitions).isGreaterThanOrEqualTo(100);
    assertThat(options.tasks).isEqualTo(1);
    assertThat(options.merge).isFalse();
    assertThat(options.format).isEqualTo(Format.ORC);
    assertThat(options.engine).isEqualTo(Engine.TEZ);
    assertThat(options.latencyMillis).isZero();
    assertThat(options.keep).isFalse();
  }

  @Test
  void largeFilesAreInFewPartitions() throws Exception {
    DemoOptions options = parse("--file-mb", "7");
    assertThat(options.partitions).isEqualTo(2);
    assertThat(options.salesPerPartition()).isEqualTo(200_000);
    assertThat(options.scale() * 2_880_000).isGreaterThan(2 * 200_000);
    assertThat(parse("--file-mb", "9", "--partitions", "3").partitions).isEqualTo(3);
    assertThatThrownBy(() -> parse("--file-mb", "64", "--partitions", "5"))
        .hasMessage("--file-mb 64 in 5 files is more than 256 MB");
    assertThat(parse("--file-mb", "128").partitions).isEqualTo(2);
  }

  @Test
  void everyTaskWritesLargeFiles() throws Exception {
    DemoOptions options = parse("--file-mb", "7", "--tasks", "4");
    assertThat(options.writtenFiles()).isEqualTo(8);
    assertThat(options.salesPerPartition()).isEqualTo(4 * 200_000);
    assertThat(options.scale() * 2_880_000).isGreaterThan(8 * 200_000);
    assertThatThrownBy(() -> parse("--file-mb", "128", "--tasks", "3"))
        .hasMessage("--file-mb 128 in 6 files is more than 256 MB");
  }

  @Test
  void aTableWithoutPartitionsHasAFileOfEachTask() throws Exception {
    DemoOptions options = parse("--partitions", "0", "--tasks", "10");
    assertThat(options.isPartitioned()).isFalse();
    assertThat(options.writtenFiles()).isEqualTo(10);
    assertThat(parse("--partitions=0", "--file-mb=7").salesPerPartition()).isEqualTo(200_000);
  }

  @Test
  void thereIsSomethingToMerge() throws Exception {
    assertThat(parse("--merge").tasks).isEqualTo(4);
    assertThat(parse("--merge", "--tasks", "2").tasks).isEqualTo(2);
    assertThatThrownBy(() -> parse("--merge", "--engine", "spark"))
        .hasMessage("--merge excludes --engine spark: Spark merges no files");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--partitions -5",
        "--partitions 1784",
        "--partitions",
        "--file-mb 129",
        "--tasks 0",
        "--tasks 17",
        "--format csv",
        "--engine flink",
        "--latency-ms -1",
        "--latency-ms 10001",
        "--frobnicate",
        "orc",
      })
  void whatIsWrongIsNamed(String line) {
    String[] arguments = line.split(" ");

    assertThatThrownBy(() -> parse(arguments))
        .isInstanceOf(ParameterException.class)
        .hasMessageContaining(arguments[arguments.length - 1]);
  }

  @Test
  void anEndpointIsNeitherSlowedDownNorKept() throws Exception {
    String[] place = {"--endpoint=http://minio:9000", "--bucket=some-bucket"};
    assertThat(parse(place).endpoint()).isPresent();
    for (String other : List.of("--latency-ms=30", "--keep")) {
      assertThatThrownBy(() -> parse(place[0], place[1], other))
          .isInstanceOf(ParameterException.class)
          .hasMessage("--endpoint excludes --latency-ms and --keep");
    }
  }
}
