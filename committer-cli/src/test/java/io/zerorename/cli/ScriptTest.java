package io.zerorename.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** bin/zerorename where it was unpacked, with a command hadoop that tells how it was called. */
class ScriptTest {
  private static final String LOGGING = " -Dlog4j.configuration=zerorename-log4j.properties";

  @TempDir private Path directory;
  private Path root;
  private Path script;
  private final Map<String, String> environment = new HashMap<>();

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
            "#!/bin/sh\necho \"$HADOOP_CLASSPATH\"\necho \"$HADOOP_CLIENT_OPTS\"\n"
                + "echo \"${HADOOP_USE_CLIENT_CLASSLOADER:-no class loader of its own}\"\n"
                + "for word; do echo \"$word\"; done\nexit 3\n");
    Files.setPosixFilePermissions(hadoop, PosixFilePermissions.fromString("rwx------"));
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
  }

  @Test
  void aDistributionsJarsComeBeforeTheUsersOwnAndWordsStayWords() throws Exception {
    distribute("zero-rename-committer-1.jar", "picocli-4.jar", "committer-cli-1.jar", "other.jar");

    Printed printed = run("status", "-D", "a=b c", "s3a://bucket/t");

    assertThat(printed.exitCode()).as("hadoop's").isEqualTo(3);
    assertThat(printed.lines())
        .containsExactly(
            classPath(
                root + "/lib/zero-rename-committer-1.jar",
                root + "/lib/committer-cli-1.jar",
                root + "/lib/picocli-4.jar",
                "/user/own.jar"),
            LOGGING + " -Dzerorename.log.others=ERROR -Dzerorename.log.trace=short",
            "no class loader of its own",
            "io.zerorename.cli.ZeroRename",
            "status",
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
            classPath(
                root + "/committer-cli/target/committer-cli-1.jar",
                root + "/committer-core/target/committer-core-1.jar",
                root + "/committer-cli/target/lib/picocli-4.jar",
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

  @Test
  void warningsOfHadoopAndStackTracesAreForThoseWhoAskForThem() throws Exception {
    distribute("picocli-4.jar");
    assertThat(run("status", "--verbose", "s3a://bucket/t").lines().get(1))
        .isEqualTo(LOGGING + " -Dzerorename.log.others=WARN -Dzerorename.log.trace=full");
    environment.put("HADOOP_ROOT_LOGGER", "DEBUG,console");
    assertThat(run("status", "s3a://bucket/t").lines().get(1)).isEmpty();
  }

  @Test
  void linksLeadToWhereItWasUnpacked() throws Exception {
    distribute("picocli-4.jar");
    Path bin = Files.createDirectories(directory.resolve("usr/bin"));
    Files.createSymbolicLink(bin.resolve("zr"), script);
    script = Files.createSymbolicLink(bin.resolve("zerorename"), Path.of("zr"));

    assertThat(run("--help").lines().get(0))
        .isEqualTo(classPath(root + "/lib/picocli-4.jar", "/user/own.jar"));
  }

  @Test
  void hivesJarsAreForNamesOfTables() throws Exception {
    distribute("picocli-4.jar");
    environment.put("HIVE_HOME", "/opt/hive");
    String other = classPath(root + "/lib/picocli-4.jar", "/opt/hive/conf", "/user/own.jar");

    for (List<String> words :
        List.of(
            List.of("recover", "db.t"),
            List.of("status", "--ended", "5", "db.t"),
            List.of("uploads", "db.t"))) {
      assertThat(run(words.toArray(String[]::new)).lines())
          .as(words.toString())
          .first()
          .asString()
          .contains("/opt/hive/lib/*");
    }
    for (List<String> words :
        List.of(
            List.of("recover", "s3a://bucket.a/db.t"),
            List.of("status", "--ended", "5", "s3a://bucket/db"),
            List.of("uploads", "s3a://bucket/t"),
            List.of("status", "s3a://bucket"))) {
      assertThat(run(words.toArray(String[]::new)).lines())
          .as(words.toString())
          .first()
          .isEqualTo(other);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"HIVE_HOME", "HIVE_CONF_DIR"})
  void pathThatHadoopWouldBreakIsRefused(String variable) throws Exception {
    distribute("picocli-4.jar");
    environment.put(variable, "/opt/my hive");

    assertThat(run("--help").lines()).singleElement().asString().contains("space", "/opt/my hive");

    environment.clear();
    Path moved = Files.move(root, directory.toRealPath().resolve("zero rename"));
    script = moved.resolve("bin/zerorename");
    Printed printed = run("--help");
    assertThat(printed.exitCode()).isEqualTo(ExitCode.USAGE.number());
    assertThat(printed.lines()).singleElement().asString().contains("space", moved.toString());
  }

  private void distribute(String... jars) throws IOException {
    Files.createDirectory(root.resolve("lib"));
    for (String jar : jars) {
      Files.createFile(root.resolve("lib").resolve(jar));
    }
  }

  private static String classPath(String... entries) {
    return String.join(":", entries);
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
    builder.environment().keySet().removeAll(List.of("HADOOP_ROOT_LOGGER", "HADOOP_CLIENT_OPTS"));
    builder.environment().keySet().removeAll(List.of("HIVE_HOME", "HIVE_CONF_DIR"));
    builder.environment().put("HADOOP_USE_CLIENT_CLASSLOADER", "true");
    builder.environment().putAll(environment);
    Process process = builder.start();
    assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
    return new Printed(process.exitValue(), Files.readAllLines(output));
  }
}
