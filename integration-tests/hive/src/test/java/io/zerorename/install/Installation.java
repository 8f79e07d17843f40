package io.zerorename.install;

import io.zerorename.testing.hive.HiveSessionProcess;
import io.zerorename.testing.install.Cluster;
import io.zerorename.testing.process.ChildJvm;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;

/**
 * The distribution, unpacked and configured as the README says, beside a cluster that has Hadoop,
 * Tez and Hive and nothing of ours.
 */
final class Installation {
  private final Cluster cluster;

  private Installation(Cluster cluster) {
    this.cluster = cluster;
  }

  /** Unpacks the distribution and merges its example into the cluster's hive-site.xml. */
  static Installation in(Path home, EmbeddedS3Server server) throws Exception {
    Installation installation = new Installation(Cluster.in(home));
    installation.configure(server);
    return installation;
  }

  private void configure(EmbeddedS3Server server) throws IOException {
    Files.createDirectories(cluster.home().resolve("scratch"));
    cluster.configureHadoop(server.hadoopSettingsWithoutSecrets());
    Map<String, String> settings = new HashMap<>(HiveSessionProcess.settings(cluster));
    settings.put("hive.aux.jars.path", jar().toUri().toString());
    cluster.configure("hive-site.xml", Cluster.merged(cluster.example("hive-site.xml"), settings));
    cluster.configure(
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
  }

  /** The one jar that the cluster gets. */
  Path jar() {
    return cluster.jar();
  }

  /** Starts a session of Hive that gets the jar by the aux path alone. */
  HiveSessionProcess startHive() throws IOException {
    return start("hive", command());
  }

  /** Starts one that gets another jar by the aux path. */
  HiveSessionProcess startHiveWithoutJar() throws IOException {
    Path other = Files.createDirectories(cluster.home().resolve("aux")).resolve("other.jar");
    try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(other))) {
      jar.putNextEntry(new JarEntry("nothing"));
    }
    return start(
        "hive-without-jar",
        command().withOptions(List.of("-Dhive.aux.jars.path=" + other.toUri())));
  }

  private static ChildJvm.Command command() {
    return HiveSessionProcess.command().withOptions(List.of("-Xmx1g")).withModulesOpen();
  }

  private HiveSessionProcess start(String name, ChildJvm.Command command) throws IOException {
    return HiveSessionProcess.start(cluster, name, command.withClassPath(cluster.classPath()));
  }

  /** Runs the distribution's {@code bin/zerorename} as an operator does, anywhere. */
  Cluster.Outcome zerorename(String... arguments) throws IOException, InterruptedException {
    return cluster.zerorename(arguments);
  }
}
