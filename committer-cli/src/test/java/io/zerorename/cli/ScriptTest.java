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

    assertThat(run("status", "--ended", "5", "db.t").lines().get(0)).contains("/opt/hive/lib/*");
    for (String path : List.of("s3a://bucket.a/db.t", "s3a://bucket")) {
      assertThat(run("status", "--ended", "5", path).lines()).as(path).first().isEqualTo(other);
    }
  }

  @Test
  void pathThatHadoopWouldBreakIsRefused() throws Exception {
    distribute("picocli-4.jar");
    environment.put("HIVE_CONF_DIR", "/opt/my hive");
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
