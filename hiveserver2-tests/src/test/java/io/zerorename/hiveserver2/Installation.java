package io.zerorename.hiveserver2;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.S3Gateway;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The files of one HiveServer2 with the committer, as an administrator lays them out: the unpacked
 * distribution, hive-site.xml from its example, and the class path of a Hive that has nothing of
 * ours.
 */
final class Installation {
  private static final String END = "</configuration>";

  private final Path home;
  private final Path distribution;

  private Installation(Path home, Path distribution) {
    this.home = home;
    this.distribution = distribution;
  }

  /**
   * Lays them out.
   *
   * @param home an existing directory for all of it, metastore and scratch directory included
   */
  static Installation in(Path home) throws IOException, InterruptedException {
    Path archive = Path.of(System.getProperty("zerorename.distribution"));
    assertThat(archive).as("the distribution, which mvn package makes").isRegularFile();
    Process tar =
        new ProcessBuilder("tar", "-xzf", archive.toString())
            .directory(home.toFile())
            .inheritIO()
            .start();
    assertThat(tar.waitFor()).as("exit code of tar").isZero();
    String name = archive.getFileName().toString().replace(".tar.gz", "");
    Installation installation = new Installation(home, home.resolve(name));
    installation.add(HiveServer2Main.class);
    installation.add(LifetimeProbe.class);
    installation.writeLogging();
    return installation;
  }

  /** To the classes that Hive has besides its own. */
  private void add(Class<?> type) throws IOException {
    String file = type.getName().replace('.', '/') + ".class";
    Path copy = home.resolve("main").resolve(file);
    Files.createDirectories(copy.getParent());
    try (InputStream bytes = type.getResourceAsStream("/" + file)) {
      Files.copy(bytes, copy);
    }
  }

  /** Hive's own levels, to which HiveServer2 owes what it tells the clients. */
  private void writeLogging() throws IOException {
    Files.createDirectories(conf());
    Files.writeString(
        conf().resolve("hive-log4j2.properties"),
        """
        appender.log.type = Console
        appender.log.name = log
        appender.log.target = SYSTEM_ERR
        appender.log.layout.type = PatternLayout
        appender.log.layout.pattern = %d{ABSOLUTE} %p %c{1} [%t]: %m%n
        appender.out.type = Console
        appender.out.name = out
        appender.out.target = SYSTEM_OUT
        appender.out.layout.type = PatternLayout
        appender.out.layout.pattern = %m%n
        rootLogger.level = info
        rootLogger.appenderRef.log.ref = log
        logger.thrift.name = org.apache.hive.service.cli.thrift.ThriftCLIService
        logger.thrift.level = info
        logger.thrift.appenderRef.out.ref = out
        """);
  }

  /**
   * Writes the configuration of a start of HiveServer2.
   *
   * @param more what a test sets besides
   */
  void configure(EmbeddedS3Server server, S3Gateway way, Map<String, String> more)
      throws IOException {
    Files.writeString(
        conf().resolve("core-site.xml"),
        "<configuration>\n" + xml(server.hadoopSettingsWithoutSecrets(way)) + END);
    Map<String, String> cluster = new HashMap<>(cluster());
    cluster.putAll(more);
    String example = Files.readString(distribution.resolve("conf-examples/hive-site.xml"));
    // Where a hook is set already, ours stands before it.
    String merged =
        example.replaceFirst(
            "(hive\\.query\\.lifetime\\.hooks</name>\\s*<value>[^<]*)",
            "$1," + LifetimeProbe.class.getName());
    Files.writeString(conf().resolve("hive-site.xml"), merged.replace(END, xml(cluster) + END));
  }

  /** A small cluster in one process: what each has of its own, and nothing that concerns us. */
  private Map<String, String> cluster() {
    Map<String, String> settings = new HashMap<>();
    settings.put("hive.aux.jars.path", jar().toUri().toString());
    settings.put("hive.server2.thrift.bind.host", "127.0.0.1");
    settings.put("hive.server2.webui.port", "0");
    settings.put("hive.server2.enable.doAs", "false");
    settings.put("hive.server2.tez.initialize.default.sessions", "false");
    settings.put(
        "javax.jdo.option.ConnectionURL",
        "jdbc:derby:;databaseName=" + home.resolve("metastore") + ";create=true");
    settings.put("datanucleus.schema.autoCreateAll", "true");
    settings.put("hive.metastore.schema.verification", "false");
    settings.put("hive.metastore.event.db.notification.api.auth", "false");
    settings.put("metastore.task.threads.always", "");
    settings.put("hive.support.concurrency", "false");
    settings.put("hive.exec.dynamic.partition.mode", "nonstrict");
    settings.put("hive.execution.engine", "tez");
    settings.put("tez.local.mode", "true");
    settings.put("tez.ignore.lib.uris", "true");
    settings.put("tez.runtime.optimize.local.fetch", "true");
    settings.put("mapreduce.framework.name", "local");
    settings.put("hive.metastore.warehouse.dir", uri("warehouse"));
    settings.put("hive.metastore.warehouse.external.dir", uri("external"));
    settings.put("hive.exec.scratchdir", uri("scratch"));
    settings.put("hive.exec.local.scratchdir", home.resolve("local-scratch").toString());
    settings.put("hive.downloaded.resources.dir", home.resolve("resources").toString());
    settings.put("hive.user.install.directory", uri("install"));
    settings.put(
        "hive.server2.logging.operation.log.location", home.resolve("operations").toString());
    settings.put("hadoop.tmp.dir", home.resolve("hadoop").toString());
    settings.put("tez.staging-dir", uri("tez-staging"));
    return settings;
  }

  private String uri(String directory) {
    return home.resolve(directory).toUri().toString();
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

  /** The one jar that Hive gets. */
  Path jar() {
    return distribution.resolve("lib").resolve(distribution.getFileName() + ".jar");
  }

  /** Where HiveServer2 logs; each start appends. */
  Path log() {
    return home.resolve("hive.log");
  }

  Path home() {
    return home;
  }

  private Path conf() {
    return home.resolve("conf");
  }

  /** Configuration and main class, then this JVM's class path without what this project builds. */
  String classPath() {
    Path sources = Path.of(System.getProperty("basedir", "")).resolve("..").toAbsolutePath();
    String all =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    String separator = File.pathSeparator;
    return String.join(separator, conf().toString(), home.resolve("main").toString())
        + separator
        + Arrays.stream(all.split(separator))
            .filter(entry -> !Path.of(entry).startsWith(sources.normalize()))
            .filter(entry -> !entry.replace('\\', '/').contains("/io/zerorename/"))
            // What the distribution brings besides.
            .filter(entry -> !entry.contains("picocli"))
            .collect(Collectors.joining(separator));
  }
}
