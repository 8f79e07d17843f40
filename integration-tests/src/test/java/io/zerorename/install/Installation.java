package io.zerorename.install;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.hive.LocalHive;
import io.zerorename.testing.process.ChildJvm;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;

/**
 * The distribution, unpacked and configured as the README says, beside a cluster that has Hadoop,
 * Tez and Hive and nothing of ours. All of it is in one directory outside of the sources.
 */
final class Installation {
  private static final String ARCHIVE = System.getProperty("zerorename.distribution");
  private static final long COMMAND_SECONDS = 60;
  private static final String END = "</configuration>";

  private final Path home;
  private final Path distribution;
  private final Path conf;

  private Installation(Path home, Path distribution) {
    this.home = home;
    this.distribution = distribution;
    this.conf = home.resolve("conf");
  }

  /** What a command printed, on both streams, and how it ended. */
  record Outcome(int exitCode, String text) {}

  /** Unpacks the distribution and merges its example into the cluster's hive-site.xml. */
  static Installation in(Path home, EmbeddedS3Server server) throws Exception {
    Path archive = Path.of(ARCHIVE);
    assertThat(archive)
        .as("the distribution, which mvn package -pl distribution -am makes")
        .isRegularFile();
    Process tar =
        new ProcessBuilder("tar", "-xzf", archive.toString())
            .directory(home.toFile())
            .inheritIO()
            .start();
    assertThat(tar.waitFor()).as("exit code of tar").isZero();
    String name = archive.getFileName().toString().replace(".tar.gz", "");
    Installation installation = new Installation(home, home.resolve(name));
    installation.configure(server);
    return installation;
  }

  private void configure(EmbeddedS3Server server) throws IOException {
    Files.createDirectories(conf);
    Files.createDirectories(home.resolve("scratch"));
    write("core-site.xml", "<configuration>\n" + xml(server.hadoopSettingsWithoutSecrets()) + END);
    String example = Files.readString(distribution.resolve("conf-examples/hive-site.xml"));
    Map<String, String> cluster = new HashMap<>(hiveOfTheTests());
    cluster.putAll(LocalHive.places(home));
    cluster.put("hive.aux.jars.path", jar().toUri().toString());
    write("hive-site.xml", example.replace(END, xml(cluster) + END));
    write(
        "log4j2.properties",
        """
        appender.console.type = Console
        appender.console.name = console
        appender.console.target = SYSTEM_ERR
        appender.console.layout.type = PatternLayout
        appender.console.layout.pattern = %p %c{1}: %m%n
        rootLogger.level = error
        rootLogger.appenderRef.console.ref = console
        logger.zerorename.name = io.zerorename
        logger.zerorename.level = info
        """);
    Path hadoop = Files.createDirectories(home.resolve("bin")).resolve("hadoop");
    // What Hadoop's own does with a class.
    Files.writeString(
        hadoop,
        """
        #!/bin/sh
        exec "$TEST_JAVA" -Xmx256m -XX:TieredStopAtLevel=1 -cp "$TEST_CLASSPATH:$HADOOP_CLASSPATH" "$@"
        """);
    Files.setPosixFilePermissions(hadoop, PosixFilePermissions.fromString("rwx------"));
  }

  /** With its metastore in memory and Tez in the same process, as in all tests. */
  private static Map<String, String> hiveOfTheTests() throws IOException {
    Configuration settings = new Configuration(false);
    try (InputStream file = LocalHive.class.getResourceAsStream("/hive-site.xml")) {
      settings.addResource(file);
      settings.size();
    }
    Map<String, String> all = new HashMap<>();
    settings.forEach(setting -> all.put(setting.getKey(), setting.getValue()));
    return all;
  }

  private static String xml(Map<String, String> settings) {
    return settings.entrySet().stream()
        .map(
            setting ->
                "  <property><name>"
                    + setting.getKey()
                    + "</name><value>"
                    + setting.getValue()
                    + "</value></property>\n")
        .collect(Collectors.joining());
  }

  private void write(String file, String text) throws IOException {
    Files.writeString(conf.resolve(file), text);
  }

  /** The one jar that the cluster gets. */
  Path jar() {
    return distribution.resolve("lib").resolve(distribution.getFileName() + ".jar");
  }

  /** Where the process of {@link #startHive} logs. */
  Path log() {
    return home.resolve("hive.log");
  }

  /** Starts a {@link HiveSession} in a process that gets the jar by the aux path alone. */
  ChildJvm startHive() throws IOException {
    return startHive(log());
  }

  /** Starts one that gets another jar by the aux path. */
  ChildJvm startHiveWithoutJar() throws IOException {
    Path other = Files.createDirectories(home.resolve("aux")).resolve("other.jar");
    try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(other))) {
      jar.putNextEntry(new JarEntry("nothing"));
    }
    return startHive(home.resolve("hive-without-jar.log"), "-Dhive.aux.jars.path=" + other.toUri());
  }

  private ChildJvm startHive(Path log, String... options) throws IOException {
    Path main = home.resolve("main");
    String file = HiveSession.class.getName().replace('.', '/') + ".class";
    Files.createDirectories(main.resolve(file).getParent());
    try (InputStream bytes = HiveSession.class.getResourceAsStream("/" + file)) {
      Files.copy(bytes, main.resolve(file), StandardCopyOption.REPLACE_EXISTING);
    }
    return ChildJvm.start(
        ChildJvm.Command.of(HiveSession.class)
            .withOptions(Stream.concat(Stream.of("-Xmx1g"), Stream.of(options)).toList())
            .withModulesOpen()
            .withEnvironment(EmbeddedS3Server.environment())
            .withClassPath(main + File.pathSeparator + clusterClassPath()),
        log);
  }

  /** The cluster's configuration, then this JVM's class path without what this project builds. */
  private String clusterClassPath() {
    Path sources = Path.of(System.getProperty("basedir", "")).resolve("..").toAbsolutePath();
    String separator = File.pathSeparator;
    String all =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    return conf
        + separator
        + Arrays.stream(all.split(separator))
            .filter(entry -> !Path.of(entry).startsWith(sources.normalize()))
            .filter(entry -> !entry.replace('\\', '/').contains("/io/zerorename/"))
            // What the distribution brings besides.
            .filter(entry -> !entry.contains("picocli"))
            .collect(Collectors.joining(separator));
  }

  /** Runs the distribution's {@code bin/zerorename} as an operator does, anywhere. */
  Outcome zerorename(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(distribution.resolve("bin/zerorename").toString());
    command.addAll(List.of(arguments));
    Path output = Files.createTempFile(home, "command-", ".txt");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(home.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    Map<String, String> environment = builder.environment();
    environment.put("PATH", home.resolve("bin") + File.pathSeparator + System.getenv("PATH"));
    environment.put("TEST_JAVA", Path.of(System.getProperty("java.home"), "bin/java").toString());
    environment.put("TEST_CLASSPATH", clusterClassPath());
    environment.putAll(EmbeddedS3Server.environment());
    Process process = builder.start();
    try {
      assertThat(process.waitFor(COMMAND_SECONDS, TimeUnit.SECONDS))
          .as("%s has ended. It said: %s", command, Files.readString(output))
          .isTrue();
    } finally {
      process.destroyForcibly();
    }
    return new Outcome(process.exitValue(), Files.readString(output));
  }
}
