package io.zerorename.hiveserver2;

import io.zerorename.testing.install.Cluster;
import io.zerorename.testing.process.Await;
import io.zerorename.testing.process.ChildJvm;
import io.zerorename.testing.process.Kill;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.FaultRule;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A daemon of LLAP in a process of its own, as YARN starts it. Queries bring it their way to S3, so
 * that its requests go through the gateway of their HiveServer2.
 */
final class LlapDaemonProcess implements Closeable {
  /** How many tasks it runs at once. */
  private static final int EXECUTORS = 2;

  private static final Path LLAP = Path.of(System.getProperty("llap"));

  /** What both ends of LLAP need besides what a Hive has. */
  static final List<String> CLASS_PATH =
      List.of(LLAP.resolve("lib/*").toString(), LLAP.resolve("classes").toString());

  private static final String READY = "Registered node. Created a znode on ZooKeeper";

  private final ChildJvm process;

  private LlapDaemonProcess(ChildJvm process) {
    this.process = process;
  }

  /**
   * Starts one, and returns when it has told ZooKeeper.
   *
   * @param home a directory for all of it, which is made
   * @param hosts the name under which HiveServer2 looks for it, beginning with {@code @}
   */
  static LlapDaemonProcess start(Path home, ZooKeeperOfTests zooKeeper, String hosts)
      throws IOException, InterruptedException {
    Cluster cluster = Cluster.in(Files.createDirectory(home));
    cluster.add(HiveMain.class);
    cluster.configureHadoop(Map.of("hadoop.tmp.dir", home.resolve("hadoop").toString()));
    Map<String, String> settings = new HashMap<>(settings(home, hosts));
    settings.putAll(zooKeeper.settings());
    cluster.configure("llap-daemon-site.xml", Cluster.xml(settings));
    cluster.configure(
        "llap-daemon-log4j2.properties",
        Logging.properties("org.apache.hadoop.hive.llap.registry.impl.LlapZookeeperRegistryImpl"));
    ChildJvm process =
        ChildJvm.start(
            ChildJvm.Command.of(HiveMain.class)
                .withArguments(List.of("org.apache.hadoop.hive.llap.daemon.impl.LlapDaemon"))
                .withOptions(List.of("-Xmx640m"))
                .withModulesOpen()
                .withEnvironment(EmbeddedS3Server.environment())
                .withClassPath(classPath(cluster)),
            home.resolve("llap.log"));
    process.await(0, line -> line.startsWith(READY), Await.LIMIT);
    return new LlapDaemonProcess(process);
  }

  private static String classPath(Cluster cluster) {
    List<String> entries = new ArrayList<>(List.of(cluster.classPath().split(File.pathSeparator)));
    entries.removeIf(LlapDaemonProcess::isLogging);
    entries.add(LLAP.resolve("logging/*").toString());
    entries.addAll(CLASS_PATH);
    // As LLAP's packager does with the jars of hive.aux.jars.path.
    entries.add(cluster.jar().toString());
    return String.join(File.pathSeparator, entries);
  }

  /** Whether it is Reload4j or a later Log4j 2, with which a daemon cannot log by query. */
  private static boolean isLogging(String entry) {
    return Path.of(entry).getFileName().toString().matches("(log4j|reload4j)-.*");
  }

  private static Map<String, String> settings(Path home, String hosts) {
    Map<String, String> settings = new HashMap<>();
    settings.put("hive.llap.daemon.service.hosts", hosts);
    settings.put("hive.llap.daemon.num.executors", String.valueOf(EXECUTORS));
    settings.put("hive.llap.daemon.memory.per.instance.mb", "256");
    settings.put("hive.llap.daemon.xmx.headroom", "0");
    settings.put("hive.llap.io.memory.size", "128Mb");
    settings.put("hive.llap.io.allocator.alloc.max", "1Mb");
    settings.put("hive.llap.io.allocator.direct", "false");
    settings.put("hive.llap.io.threadpool.size", String.valueOf(EXECUTORS));
    settings.put("hive.llap.daemon.work.dirs", home.resolve("work").toString());
    for (String port :
        List.of(
            "hive.llap.daemon.rpc.port",
            "hive.llap.management.rpc.port",
            "hive.llap.daemon.yarn.shuffle.port",
            "hive.llap.daemon.web.port",
            "hive.llap.daemon.output.service.port")) {
      settings.put(port, "0");
    }
    return settings;
  }

  /** Makes it die, as of {@code kill -9}, at a request that one of its tasks sends. */
  FaultRule killAt(Kill kill) {
    return kill.of(process);
  }

  /** Returns when it is gone. */
  void awaitDeath() throws IOException, InterruptedException {
    process.awaitEnd(Await.LIMIT);
  }

  /** Kills it if it is still there. */
  @Override
  public void close() throws IOException {
    process.close();
  }
}
