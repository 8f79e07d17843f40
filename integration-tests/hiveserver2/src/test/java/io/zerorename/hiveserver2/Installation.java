package io.zerorename.hiveserver2;

import io.zerorename.testing.install.Cluster;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.S3Gateway;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The files of one HiveServer2 with the committer, as an administrator lays them out: the unpacked
 * distribution, hive-site.xml from its example, and the class path of a Hive that has nothing of
 * ours.
 */
final class Installation {
  private final Cluster cluster;
  private final List<String> besides = new ArrayList<>();
  private final Map<String, String> hadoop = new HashMap<>();

  private Installation(Cluster cluster) {
    this.cluster = cluster;
  }

  /** Lays them out in an existing directory, metastore and scratch directory included. */
  static Installation in(Path home) throws IOException, InterruptedException {
    Cluster cluster = Cluster.in(home);
    cluster.add(HiveMain.class);
    // Hive's own levels, to which HiveServer2 owes what it tells the clients.
    cluster.configure(
        "hive-log4j2.properties",
        Logging.properties("org.apache.hive.service.cli.thrift.ThriftCLIService"));
    return new Installation(cluster);
  }

  /** Writes the configuration of a start of HiveServer2, with what a test sets besides. */
  void configure(EmbeddedS3Server server, S3Gateway way, Map<String, String> more)
      throws IOException {
    Map<String, String> ofHadoop = new HashMap<>(hadoop);
    ofHadoop.putAll(server.hadoopSettingsWithoutSecrets(way));
    cluster.configureHadoop(ofHadoop);
    Map<String, String> settings = new HashMap<>(settings());
    settings.putAll(more);
    cluster.configure("hive-site.xml", Cluster.merged(cluster.example("hive-site.xml"), settings));
  }

  /** A small cluster in one process: what each has of its own, and nothing that concerns us. */
  private Map<String, String> settings() {
    Map<String, String> settings = new HashMap<>(Cluster.placesOfHive(home()));
    settings.put("hive.aux.jars.path", jar().toUri().toString());
    settings.put("hive.server2.thrift.bind.host", "127.0.0.1");
    settings.put("hive.server2.webui.port", "0");
    settings.put("hive.server2.enable.doAs", "false");
    settings.put("hive.server2.tez.initialize.default.sessions", "false");
    settings.put(
        "javax.jdo.option.ConnectionURL",
        "jdbc:derby:;databaseName=" + home().resolve("metastore") + ";create=true");
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
    settings.put(
        "hive.server2.logging.operation.log.location", home().resolve("operations").toString());
    return settings;
  }

  /** The one jar that Hive gets. */
  Path jar() {
    return cluster.jar();
  }

  /** Where HiveServer2 logs; each start appends. */
  Path log() {
    return home().resolve("hive.log");
  }

  Path home() {
    return cluster.home();
  }

  /**
   * Configuration and main class, then what a Hive has, then what was added. The jar stands here
   * and in a property, as if it were in auxlib: bin/hive does both.
   */
  String classPath() {
    List<String> entries = new ArrayList<>(List.of(cluster.classPath(), jar().toString()));
    entries.addAll(besides);
    return String.join(File.pathSeparator, entries);
  }

  /** Adds to the class path. */
  void addToClassPath(List<String> entries) {
    besides.addAll(entries);
  }

  /** Adds to core-site.xml. */
  void addToHadoop(Map<String, String> settings) {
    hadoop.putAll(settings);
  }
}
