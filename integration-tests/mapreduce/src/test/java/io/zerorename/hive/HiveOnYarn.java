package io.zerorename.hive;

import io.zerorename.testing.hive.HiveSessionProcess;
import io.zerorename.testing.install.Cluster;
import io.zerorename.testing.mapreduce.MapReduceCluster;
import io.zerorename.testing.process.ChildJvm;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.ApplicationId;

/**
 * A Hive in a process of its own, whose tasks run in containers of a YARN and whose scratch
 * directory is on HDFS. It has of ours what an installation has: the one jar in its aux path.
 */
final class HiveOnYarn implements Closeable {
  private static final Path RUN = Path.of("..", "hive-runtime", "target", "run");
  private static final String JVM = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1";

  /** What this JVM's Hadoop has set, and the cluster's processes do not have. */
  private static final Set<String> OF_TESTS = Set.of("fs.s3a.access.key", "fs.s3a.secret.key");

  private final MapReduceCluster yarn;
  private final HiveSessionProcess session;

  private HiveOnYarn(MapReduceCluster yarn, HiveSessionProcess session) {
    this.yarn = yarn;
    this.session = session;
  }

  /**
   * Starts one.
   *
   * @param home an empty directory
   */
  static HiveOnYarn start(MapReduceCluster yarn, Path home) throws Exception {
    String credentials =
        EmbeddedS3Server.environment().entrySet().stream()
            .map(variable -> variable.getKey() + "=" + variable.getValue())
            .collect(Collectors.joining(","));
    Map<String, String> hive = new HashMap<>();
    for (String key : List.of("tez.am.launch.env", "mapreduce.map.env", "mapreduce.reduce.env")) {
      hive.put(key, credentials);
    }
    return new HiveOnYarn(yarn, session(home, ofCluster(yarn), hive, "", Map.of()));
  }

  /**
   * Starts a session of a Hive.
   *
   * @param home an empty directory
   * @param hadoop what the site files of the cluster have
   * @param more what hive-site.xml has besides
   * @param option of all JVMs, or none
   * @param environment of the session's process besides
   */
  static HiveSessionProcess session(
      Path home,
      Map<String, String> hadoop,
      Map<String, String> more,
      String option,
      Map<String, String> environment)
      throws Exception {
    Cluster cluster = Cluster.in(home);
    Path arguments = RUN.resolve("opens.args").toAbsolutePath().normalize();
    String classPath = classPath();
    // Each is read after the defaults of its part of Hadoop.
    for (String part : List.of("core", "hdfs", "mapred", "yarn")) {
      cluster.configure(part + "-site.xml", Cluster.xml(hadoop));
    }
    Map<String, String> settings =
        new HashMap<>(ofHive(home, cluster.containerClassPath(classPath)));
    settings.put("hive.aux.jars.path", cluster.jar().toUri().toString());
    String jvm = "@" + arguments + " " + option + " " + JVM;
    settings.put("hive.tez.java.opts", jvm + " -Xmx320m");
    settings.put("tez.am.launch.cmd-opts", jvm + " -Xmx384m");
    settings.putAll(more);
    cluster.configure("hive-site.xml", Cluster.merged(cluster.example("hive-site.xml"), settings));
    List<String> options = new ArrayList<>(List.of("@" + arguments, "-Xmx1g"));
    if (!option.isEmpty()) {
      options.add(option);
    }
    ChildJvm.Command command = HiveSessionProcess.command();
    Map<String, String> variables = new HashMap<>(command.environment());
    variables.putAll(environment);
    return HiveSessionProcess.start(
        cluster,
        "hive",
        command
            .withOptions(options)
            .withEnvironment(variables)
            .withClassPath(cluster.classPath(classPath)));
  }

  /** Hive's, and then, as on a cluster, that of Hadoop, which here is this JVM's. */
  private static String classPath() throws IOException {
    return Stream.of(
            Files.readString(RUN.resolve("classpath")).strip(),
            System.getProperty("java.class.path"))
        .flatMap(path -> Stream.of(path.split(File.pathSeparator)))
        .distinct()
        .collect(Collectors.joining(File.pathSeparator));
  }

  /** As the site files of a cluster have them: all that is not a default. */
  private static Map<String, String> ofCluster(MapReduceCluster yarn) {
    Configuration conf = yarn.newConfiguration();
    Map<String, String> settings = new HashMap<>();
    for (Map.Entry<String, String> setting : conf) {
      String[] sources = conf.getPropertySources(setting.getKey());
      if (!OF_TESTS.contains(setting.getKey())
          && !sources[sources.length - 1].endsWith("-default.xml")) {
        settings.put(setting.getKey(), conf.get(setting.getKey()));
      }
    }
    settings.putAll(yarn.s3().hadoopSettingsWithoutSecrets());
    return settings;
  }

  private static Map<String, String> ofHive(Path home, String classPath) {
    return Map.ofEntries(
        Map.entry("javax.jdo.option.ConnectionURL", "jdbc:derby:memory:metastore;create=true"),
        Map.entry("datanucleus.schema.autoCreateAll", "true"),
        // Otherwise the metastore does not create all of its tables in Derby.
        Map.entry("hive.in.test", "true"),
        Map.entry("hive.metastore.schema.verification", "false"),
        Map.entry("metastore.task.threads.always", ""),
        Map.entry("hive.support.concurrency", "false"),
        Map.entry("hive.exec.dynamic.partition.mode", "nonstrict"),
        Map.entry("hive.execution.engine", "tez"),
        Map.entry("hive.exec.local.scratchdir", home.resolve("local-scratch").toString()),
        Map.entry("hive.downloaded.resources.dir", home.resolve("resources").toString()),
        Map.entry("hive.exec.scratchdir", "/tmp/hive"),
        Map.entry("hive.user.install.directory", "/user"),
        Map.entry("hive.metastore.warehouse.dir", "/warehouse/managed"),
        Map.entry("hive.metastore.warehouse.external.dir", "/warehouse/external"),
        Map.entry("tez.staging-dir", "/tmp/tez"),
        Map.entry("tez.ignore.lib.uris", "true"),
        Map.entry("tez.cluster.additional.classpath.prefix", classPath),
        Map.entry("tez.am.resource.memory.mb", "512"),
        Map.entry("tez.am.am-rm.heartbeat.interval-ms.max", "100"),
        Map.entry("tez.am.sleep.time.before.exit.millis", "0"),
        Map.entry("tez.runtime.io.sort.mb", "16"),
        Map.entry("hive.tez.container.size", "512"));
  }

  /** Runs a statement that must succeed; its rows and what the console says. */
  List<String> execute(String sql) throws IOException, InterruptedException {
    return session.execute(sql);
  }

  /** The application of Tez in which the statements run. */
  ApplicationId application() {
    List<ApplicationId> running = yarn.running();
    if (running.size() != 1) {
      throw new AssertionError("one application runs, that of Hive's session: " + running);
    }
    return running.get(0);
  }

  @Override
  public void close() throws IOException {
    session.close();
  }
}
