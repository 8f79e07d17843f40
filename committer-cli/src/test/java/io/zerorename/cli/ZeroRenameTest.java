package io.zerorename.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What all commands have in common. */
class ZeroRenameTest {
  private final Configuration conf = new Configuration(false);

  @Test
  void aCodeIsExplained() throws Exception {
    CommandLineRun text = CommandLineRun.of(conf, "help", "ZR-9103");
    assertThat(text.exitCode()).as(text.err()).isEqualTo(ExitCode.OK.number());
    assertThat(text.out().lines())
        .containsExactly(
            "ZR-9103: --job belongs to --give-up",
            "",
            "stops `zerorename recover`, with exit code 2. Nothing was changed. Only `--give-up` acts on one"
                + " job: add it, or",
            "leave out `--job` to complete all open commits.");
    CommandLineRun linked = CommandLineRun.of(conf, "help", "--json", "ZR-5008");
    assertThat(linked.json().path("message").asText()).startsWith("the plan has a conditional");
    assertThat(linked.json().path("explanation").asText())
        .contains("Switch off what of these is on", "hive.acid.direct.insert.enabled")
        .doesNotContain("](", "\n");
    assertThat(CommandLineRun.of(conf, "help", "9103").out()).isEqualTo(text.out());
    CommandLineRun none = CommandLineRun.of(conf, "help", "ZR-0000");
    assertThat(none.exitCode()).isEqualTo(ExitCode.USAGE.number());
    assertThat(none.errorLines()).singleElement().asString().contains("'ZR-0000'");
  }

  @Test
  void whatCannotBeUnderstoodIsOneLineAndAnExitCode() {
    for (List<String> typed :
        List.of(
            List.<String>of(),
            List.of("unknown"),
            List.of("recover"),
            List.of("recover", "-D", "no-value", ""),
            List.of("uploads", "--older-than", "soon", "s3a://b/t"),
            List.of("recover", "--conf-dir", "/no/such/directory", "s3a://b/t"))) {
      CommandLineRun run = CommandLineRun.of(conf, typed.toArray(String[]::new));
      assertThat(run.exitCode()).as(typed.toString()).isEqualTo(ExitCode.USAGE.number());
      assertThat(run.errorLines()).as(typed.toString()).hasSize(1);
      assertThat(run.err()).startsWith("zerorename: ");
      assertThat(run.out()).isEmpty();
    }
  }

  @Test
  void aProgramGetsItsDocumentAlsoWhereTheCommandFails() throws Exception {
    CommandLineRun unknown = CommandLineRun.of(conf, "recover", "--unknown", "--json", "s3a://b/t");
    assertThat(unknown.exitCode()).isEqualTo(ExitCode.USAGE.number());
    assertThat(unknown.json().path("exitCode").asInt()).isEqualTo(ExitCode.USAGE.number());
    assertThat(unknown.json().path("error").asText()).contains("--help)");
    CommandLineRun run = CommandLineRun.of(conf, "recover", "--json", "/local/t");
    assertThat(run.errorLines()).hasSize(1);
    assertThat(run.json().path("exitCode").asInt()).isEqualTo(ExitCode.USAGE.number());
    assertThat(run.json().path("error").asText()).contains("/local/t is not on S3A");
  }

  @Test
  void memoryThatRunsOutIsOneLineAndADocument() throws Exception {
    CommandLineRun run =
        CommandLineRun.of(
            () -> {
              throw new OutOfMemoryError("Java heap space");
            },
            "recover",
            "--json",
            "s3a://b/t");
    assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED.number());
    assertThat(run.errorLines()).singleElement().asString().contains("Java heap space");
    assertThat(run.json().path("error").asText())
        .isEqualTo("java.lang.OutOfMemoryError: Java heap space (add --verbose to see where)");
  }

  @Test
  void theConfigurationIsThatOfTheDirectoriesAndThePropertiesThatWereTyped(@TempDir Path directory)
      throws Exception {
    Path hadoop = Files.createDirectory(directory.resolve("hadoop"));
    Path hive = Files.createDirectory(directory.resolve("hive"));
    site(hadoop.resolve("core-site.xml"), "a", "core");
    site(hadoop.resolve("mapred-site.xml"), "b", "mapred");
    site(hive.resolve("hive-site.xml"), "b", "hive");

    Configuration read =
        Settings.with(conf, List.of(hadoop, hive), Map.of("c", "typed", "a", "typed"), false);

    assertThat(read.get("a")).isEqualTo("typed");
    assertThat(read.get("b")).isEqualTo("hive");
    assertThat(read.get("c")).isEqualTo("typed");
    assertThat(conf.get("b")).isNull();
  }

  /** The way to the store may be in Spark's file alone. */
  @Test
  void sparksSettingsOfFileSystemsAndOfTheCommitterAreReadToo(@TempDir Path directory)
      throws Exception {
    site(directory.resolve("core-site.xml"), "fs.s3a.endpoint", "core");
    Files.writeString(
        directory.resolve("spark-defaults.conf"),
        "spark.hadoop.fs.s3a.endpoint http://store:9000\n"
            + "spark.hadoop.zerorename.commit.dir s3a://b/logs\n"
            + "spark.hadoop.zerorename.work.dir s3a://b/work\n"
            + "spark.hadoop.mapreduce.job.maps 7\n");
    Configuration read =
        Settings.with(conf, List.of(directory), Map.of("zerorename.work.dir", "typed"), true);
    assertThat(read.get("fs.s3a.endpoint")).isEqualTo("http://store:9000");
    assertThat(read.get("zerorename.commit.dir")).isEqualTo("s3a://b/logs");
    assertThat(read.get("zerorename.work.dir")).isEqualTo("typed");
    assertThat(read.get("mapreduce.job.maps")).isEqualTo(conf.get("mapreduce.job.maps"));
  }

  private static void site(Path file, String key, String value) throws Exception {
    Configuration site = new Configuration(false);
    site.set(key, value);
    try (var out = Files.newOutputStream(file)) {
      site.writeXml(out);
    }
  }
}
