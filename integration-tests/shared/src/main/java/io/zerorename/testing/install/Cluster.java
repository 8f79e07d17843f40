package io.zerorename.testing.install;

import io.zerorename.testing.docs.SourceTree;
import io.zerorename.testing.localfs.LocalDiskOfHive;
import io.zerorename.testing.localfs.UnforkedLocalFs;
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
import java.util.stream.Collectors;

/**
 * The distribution, unpacked as the README says, beside the configuration and the class path of a
 * cluster that has nothing of ours. All of it is in one directory outside of the sources.
 */
public final class Cluster {
  private static final long COMMAND_SECONDS = 300;
  private static final String END = "</configuration>";

  private final Path home;
  private final Path distribution;

  private Cluster(Path home, Path distribution) {
    this.home = home;
    this.distribution = distribution;
  }

  /** What a command printed, on both streams, and how it ended. */
  public record Outcome(int exitCode, String text) {}

  /**
   * Unpacks the distribution that the system property {@code zerorename.distribution} names.
   *
   * @param home an existing directory
   */
  public static Cluster in(Path home) throws IOException, InterruptedException {
    Path archive = Path.of(System.getProperty("zerorename.distribution"));
    if (!Files.isRegularFile(archive)) {
      throw new AssertionError(
          archive + " is not there; mvn package -pl distribution -am makes the distribution");
    }
    Process tar =
        new ProcessBuilder("tar", "-xzf", archive.toString())
            .directory(home.toFile())
            .inheritIO()
            .start();
    if (tar.waitFor() != 0) {
      throw new AssertionError("tar cannot unpack " + archive);
    }
    Cluster cluster =
        new Cluster(home, home.resolve(archive.getFileName().toString().replace(".tar.gz", "")));
    Files.createDirectories(cluster.conf());
    cluster.writeHadoop();
    for (Class<?> type : UnforkedLocalFs.CLASSES) {
      cluster.add(type);
    }
    return cluster;
  }

  /** What Hadoop's own command does with a class. */
  private void writeHadoop() throws IOException {
    Path hadoop = Files.createDirectories(home.resolve("bin")).resolve("hadoop");
    Files.writeString(
        hadoop,
        """
#!/bin/sh
exec "$TEST_JAVA" -Xmx256m -XX:TieredStopAtLevel=1 -cp "$TEST_CLASSPATH:$HADOOP_CLASSPATH" "$@"
""");
    Files.setPosixFilePermissions(hadoop, PosixFilePermissions.fromString("rwx------"));
  }

  /** Where all of it is. */
  public Path home() {
    return home;
  }

  /** The one jar that the cluster gets. */
  public Path jar() {
    return distribution.resolve("lib").resolve(distribution.getFileName() + ".jar");
  }

  /** An example of the distribution's that a user copies. */
  public String example(String file) throws IOException {
    return Files.readString(distribution.resolve("conf-examples").resolve(file));
  }

  /** Writes a file of the cluster's configuration. */
  public void configure(String file, String text) throws IOException {
    Files.writeString(conf().resolve(file), text);
  }

  /**
   * Writes {@code core-site.xml}: settings, and a local disk as Hadoop's native library makes it,
   * for a Hive whose tasks run in its process.
   */
  public void configureHadoop(Map<String, String> settings) throws IOException {
    Map<String, String> all = new HashMap<>(settings);
    all.put("fs.file.impl", LocalDiskOfHive.class.getName());
    all.put("fs.AbstractFileSystem.file.impl", UnforkedLocalFs.class.getName());
    configure("core-site.xml", xml(all));
  }

  /** The settings that keep all that Hive writes to local disks below one directory. */
  public static Map<String, String> placesOfHive(Path directory) {
    return Map.of(
        "hive.metastore.warehouse.dir", directory.resolve("warehouse").toUri().toString(),
        "hive.metastore.warehouse.external.dir", directory.resolve("external").toUri().toString(),
        "hive.exec.scratchdir", directory.resolve("scratch").toUri().toString(),
        "hive.exec.local.scratchdir", directory.resolve("local-scratch").toString(),
        "hive.downloaded.resources.dir", directory.resolve("resources").toString(),
        "hive.user.install.directory", directory.resolve("install").toUri().toString(),
        "hadoop.tmp.dir", directory.resolve("hadoop").toString(),
        "tez.staging-dir", directory.resolve("tez-staging").toUri().toString());
  }

  /** The text of a configuration file. */
  public static String xml(Map<String, String> settings) {
    return merged("<configuration>\n" + END + "\n", settings);
  }

  /** The text of a configuration file with settings besides. */
  public static String merged(String file, Map<String, String> settings) {
    return file.replace(
        END,
        settings.entrySet().stream()
                .map(
                    setting ->
                        "  <property><name>"
                            + setting.getKey()
                            + "</name><value>"
                            + setting.getValue()
                            + "</value></property>\n")
                .collect(Collectors.joining())
            + END);
  }

  /** Adds one class of ours to those that the cluster has, such as the main class of a test. */
  public void add(Class<?> type) throws IOException {
    String file = type.getName().replace('.', '/') + ".class";
    Path copy = classes().resolve(file);
    Files.createDirectories(copy.getParent());
    try (InputStream bytes = type.getResourceAsStream("/" + file)) {
      Files.copy(bytes, copy, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  /** The configuration, added classes, then this JVM's class path without what is ours. */
  public String classPath() {
    return classPath(
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
  }

  /** The configuration, added classes, then a class path without what is ours. */
  public String classPath(String all) {
    return String.join(
        File.pathSeparator, conf().toString(), classes().toString(), withoutOurs(all));
  }

  /** The same without the configuration, for containers, which get it with their job. */
  public String containerClassPath(String all) {
    return String.join(File.pathSeparator, classes().toString(), withoutOurs(all));
  }

  /** A class path without what this project builds. */
  private static String withoutOurs(String all) {
    return Arrays.stream(all.split(File.pathSeparator))
        .filter(entry -> !isBuiltHere(Path.of(entry)))
        .filter(entry -> !entry.replace('\\', '/').contains("/io/zerorename/"))
        // What the distribution brings besides, and a program that is no part of the cluster.
        .filter(entry -> !entry.contains("picocli") && !entry.contains("beeline"))
        .collect(Collectors.joining(File.pathSeparator));
  }

  /** In a directory {@code target} of ours; a local repository may lie below the root as well. */
  private static boolean isBuiltHere(Path entry) {
    Path root = SourceTree.root();
    return entry.startsWith(root) && root.relativize(entry).toString().contains("target");
  }

  /** Runs the distribution's {@code bin/zerorename} as an operator does, anywhere. */
  public Outcome zerorename(String... arguments) throws IOException, InterruptedException {
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
    environment.put("TEST_CLASSPATH", classPath());
    environment.putAll(EmbeddedS3Server.environment());
    Process process = builder.start();
    try {
      if (!process.waitFor(COMMAND_SECONDS, TimeUnit.SECONDS)) {
        throw new AssertionError(
            command + " does not end. It has said: " + Files.readString(output));
      }
    } finally {
      process.destroyForcibly();
    }
    return new Outcome(process.exitValue(), Files.readString(output));
  }

  private Path conf() {
    return home.resolve("conf");
  }

  private Path classes() {
    return home.resolve("main");
  }
}
