package io.zerorename.cli.explain;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.cli.CommandLineRun;
import io.zerorename.cli.command.ExitCode;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

/** Without Hive on the class path; the tests with Hive try the rest. */
class ExplainCommandTest {
  @Test
  void withoutHiveItSaysSoInOneLine() {
    CommandLineRun run = CommandLineRun.of(new Configuration(false), "explain", "select 1");
    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE.number());
    assertThat(run.errorLines())
        .singleElement()
        .asString()
        .contains("Hive is not on the class path");
  }
}
