package io.zerorename.dist;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.s3server.EmbeddedS3Server;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands on a machine without Hadoop, with a real S3 server. */
class CommandsIT {
  @TempDir private static Path directory;

  private static EmbeddedS3Server server;
  private static Path top;

  @BeforeAll
  static void start() throws Exception {
    server = EmbeddedS3Server.startIn(directory.resolve("s3"));
    server.createBucket("data").write("db/t/file", "row".getBytes(UTF_8));
    Path archive = Path.of(System.getProperty("zerorename.commands"));
    Process tar =
        new ProcessBuilder("tar", "-xzf", archive.toString())
            .directory(directory.toFile())
            .inheritIO()
            .start();
    assertThat(tar.waitFor()).as("exit code of tar").isZero();
    top = directory.resolve(archive.getFileName().toString().replace(".tar.gz", ""));
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"status", "verify", "uploads", "doctor --read-only"})
  void everyCommandHasItsClasses(String command) throws Exception {
    List<String> words = new ArrayList<>(List.of(command.split(" ")));
    words.add("s3a://data/db");
    Printed printed = run(Map.of(), words.toArray(String[]::new));
    assertThat(printed.text()).contains("s3a://data/db").doesNotContain("NoClassDefFoundError");
  }

  @Test
  void withoutJavaItSaysWhatIsMissing() throws Exception {
    Printed printed = run(Map.of("JAVA_HOME", "/none"), "status", "s3a://data/db");
    assertThat(printed.text())
        .isEqualTo(
            "zerorename: /none/bin/java is not there; install Java 17, and set JAVA_HOME to it or put java"
                + " into the PATH.\n");
    assertThat(printed.exitCode()).isEqualTo(2);
  }

  /** The options of Java are then none, which an old bash takes for an unset variable. */
  @Test
  void aLogOfTheUsersOwnNeedsNoOptions() throws Exception {
    Printed printed = run(Map.of("HADOOP_ROOT_LOGGER", "ERROR,console"), "status", "s3a://data/db");
    assertThat(printed.text()).contains("No commit log is at or below s3a://data/db");
    assertThat(printed.exitCode()).isZero();
  }

  @Test
  void libHasHadoopAndTheSdkApartAndIsSmall() throws IOException {
    assertThat(names(top.resolve("lib")))
        .map(name -> name.replaceFirst("-[0-9].*", ""))
        .containsExactlyInAnyOrder("zero-rename-committer", "committer-cli", "picocli", "hadoop");
    assertThat(names(top.resolve("lib/hadoop")))
        .anyMatch(name -> name.startsWith("hadoop-aws-"))
        .noneMatch(name -> name.startsWith("committer-") || name.startsWith("bundle-"));
  }

  private static List<String> names(Path parent) throws IOException {
    try (Stream<Path> files = Files.list(parent)) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }

  private record Printed(int exitCode, String text) {}

  private static Printed run(Map<String, String> environment, String... words)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(top.resolve("bin/zerorename").toString()));
    command.addAll(List.of(words));
    server
        .hadoopSettings()
        .forEach((key, value) -> command.addAll(List.of("-D", key + "=" + value)));
    Path output = directory.resolve("output.txt");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
    builder
        .environment()
        .keySet()
        .removeIf(name -> name.startsWith("HADOOP") || name.startsWith("HIVE"));
    builder.environment().put("PATH", withoutHadoop());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().putAll(EmbeddedS3Server.environment());
    builder.environment().putAll(environment);
    Process process = builder.start();
    assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
    return new Printed(process.exitValue(), Files.readString(output));
  }

  private static String withoutHadoop() {
    return String.join(
        File.pathSeparator,
        Stream.of(System.getenv("PATH").split(File.pathSeparator))
            .filter(it -> !Files.exists(Path.of(it, "hadoop")))
            .toList());
  }
}
