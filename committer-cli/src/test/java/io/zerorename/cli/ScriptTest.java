package io.zerorename.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** bin/zerorename where it was unpacked, with a command hadoop that tells how it was called. */
class ScriptTest {
  @TempDir private Path directory;
  private Path root;
  private Path script;

  @BeforeEach
  void unpack() throws IOException {
    root = directory.toRealPath().resolve("zerorename");
    Path source = Path.of("").toAbsolutePath();
    while (!Files.exists(source.resolve("bin/zerorename"))) {
      source = source.getParent();
    }
    Files.createDirectories(root.resolve("bin"));
    script = Files.copy(source.resolve("bin/zerorename"), root.resolve("bin/zerorename"));
    Path hadoop =
        Files.writeString(
            directory.resolve("hadoop"),
            "#!/bin/sh\necho \"$HADOOP_CLASSPATH\"\necho \"$HADOOP_ROOT_LOGGER\"\n"
                + "echo \"${ZERORENAME_TERMINAL:-nobody watches}\"\n"
                + "for word; do echo \"$word\"; done\nexit 3\n");
    Files.setPosixFilePermissions(hadoop, PosixFilePermissions.fromString("rwx------"));
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
  }

  @Test
  void aDistributionsJarsComeBeforeTheUsersOwnAndWordsStayWords() throws Exception {
    Files.createDirectory(root.resolve("lib"));
    Files.createFile(root.resolve("lib/b.jar"));
    Files.createFile(root.resolve("lib/a.jar"));

    Printed printed = run("jobs", "-D", "a=b c", "s3a://bucket/t");

    assertThat(printed.exitCode()).as("hadoop's").isEqualTo(3);
    assertThat(printed.lines())
        .containsExactly(
            root + "/lib/a.jar:" + root + "/lib/b.jar:/user/own.jar",
            "WARN,console",
            "nobody watches",
            "io.zerorename.cli.ZeroRename",
            "jobs",
            "-D",
            "a=b c",
            "s3a://bucket/t");
  }

  @Test
  void aSourceTreesJarsAreThoseThatWereBuilt() throws Exception {
    for (String jar :
        List.of(
            "committer-core/target/committer-core-1.jar",
            "committer-core/target/committer-core-1-tests.jar",
            "committer-core/target/s3proxy/s3proxy.jar",
            "committer-cli/target/committer-cli-1.jar",
            "committer-cli/target/lib/picocli-4.jar")) {
      Files.createDirectories(root.resolve(jar).getParent());
      Files.createFile(root.resolve(jar));
    }

    assertThat(run("--help").lines().get(0))
        .isEqualTo(
            String.join(
                ":",
                root + "/committer-cli/target/committer-cli-1.jar",
                root + "/committer-cli/target/lib/picocli-4.jar",
                root + "/committer-core/target/committer-core-1.jar",
                "/user/own.jar"));
  }

  @Test
  void withoutJarsItSaysHowToGetThem() throws Exception {
    Printed printed = run("--help");
    assertThat(printed.exitCode()).isEqualTo(ExitCode.USAGE.number());
    assertThat(printed.lines())
        .singleElement()
        .asString()
        .contains("jars are not below " + root, "mvn package");
  }

  private record Printed(int exitCode, List<String> lines) {}

  private Printed run(String... words) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(script.toString()));
    command.addAll(List.of(words));
    Path output = directory.resolve("output.txt");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.environment().put("PATH", directory + ":" + System.getenv("PATH"));
    builder.environment().put("HADOOP_CLASSPATH", "/user/own.jar");
    builder.environment().remove("HADOOP_ROOT_LOGGER");
    builder.environment().remove("ZERORENAME_TERMINAL");
    Process process = builder.start();
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    return new Printed(process.exitValue(), Files.readAllLines(output));
  }
}
