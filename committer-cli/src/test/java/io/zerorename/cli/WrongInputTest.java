package io.zerorename.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What every command about a path on S3 says where it cannot do it. */
class WrongInputTest extends OnTable {
  private static final List<List<String>> ON_S3 =
      List.of(List.of("status"), List.of("recover"), List.of("uploads"), List.of("verify"));

  @Test
  void aPathThatIsNotOnS3IsWrong() {
    for (List<String> command : ON_S3) {
      for (String path : List.of("hdfs://nn/t", "s3a:///t", "")) {
        CommandLineRun run = run(command, path);
        assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE.number());
        assertThat(run.err()).contains(path);
      }
    }
  }

  @Test
  void loginDetailsAreRefusedAndNotRepeated() {
    for (List<String> command : ON_S3) {
      for (String path : List.of("s3a://AK:SECRET@bucket/t", "s3a://AK:SEC/RET@bucket/t")) {
        List<String> typed = new ArrayList<>(command);
        typed.addAll(List.of("--json", path));
        CommandLineRun run = bucket.run(typed.toArray(String[]::new));
        assertThat(run.exitCode()).as(typed.toString()).isEqualTo(ExitCode.USAGE.number());
        assertThat(run.out() + run.err()).contains("login details").doesNotContain("SEC", "AK");
      }
    }
  }

  @Test
  void loginDetailsAreNotRepeatedWhereOptionsAreWrong() {
    CommandLineRun run = bucket.run("recover", "--json", "s3a://b/t", "s3a://AK:SEC/RET@b/t");
    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE.number());
    assertThat(run.out() + run.err()).contains("s3a://…@b/t").doesNotContain("SEC", "AK");
  }

  @Test
  void aBucketThatIsNotThereIsNamed() {
    for (List<String> command : ON_S3) {
      CommandLineRun run = run(command, "s3a://no-such-bucket-here/t");
      assertThat(run.exitCode()).as(command + run.err()).isEqualTo(ExitCode.USAGE.number());
      assertThat(run.err()).as(command.toString()).contains("no-such-bucket-here");
    }
  }

  @Test
  void whatIsNotAllowedIsNamed() {
    bucket.refuse(request -> true);
    for (List<String> command : ON_S3) {
      CommandLineRun run = run(command, table);
      assertThat(run.exitCode()).as(command + run.err()).isEqualTo(ExitCode.FAILED.number());
      assertThat(run.err()).as(command.toString()).containsIgnoringCase("denied");
    }
  }

  @Test
  void withoutHiveANameIsRefused() {
    for (List<String> command : ON_S3) {
      CommandLineRun run = run(command, "db.table");
      assertThat(run.exitCode()).as(command.toString()).isEqualTo(ExitCode.USAGE.number());
      assertThat(run.err()).contains("ZR-9404", "db.table", "Hive is not on the class path");
    }
  }

  private CommandLineRun run(List<String> command, String path) {
    List<String> typed = new ArrayList<>(command);
    typed.add(path);
    CommandLineRun run = bucket.run(typed.toArray(String[]::new));
    assertThat(run.errorLines()).as(typed + run.err()).hasSize(1);
    assertThat(run.out()).as(typed.toString()).isEmpty();
    return run;
  }
}
