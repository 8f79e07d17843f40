package io.zerorename.testing.secure;

import io.zerorename.testing.docs.SourceTree;
import io.zerorename.testing.process.ChildJvm;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;

/**
 * A cluster with Kerberos in a process of its own, and what its clients need: the files {@code
 * krb5.conf} and one keytab per user, and settings. No group mapping of the machine is asked.
 */
public final class SecureCluster implements Closeable {
  /** Names the second file system in {@link #settings}. */
  public static final String OTHER = "secure.cluster.other";

  public static final String REALM = "EXAMPLE.COM";

  /** The principal of HiveServer2, who may impersonate the other two. */
  public static final String HIVE = "hive/localhost";

  /** The principal of HDFS and of YARN, which may do everything. */
  public static final String SUPERUSER = "hadoop/localhost";

  private static final List<String> USERS = List.of("alice", "bob", HIVE);
  private static final Duration LIMIT = Duration.ofMinutes(3);
  private static final Path MODULE = Path.of("integration-tests", "secure-cluster", "target");

  /** Its standard output is for the answers to commands. */
  private static final String LOGGING =
      """
      log4j.rootLogger=INFO, log
      log4j.appender.log=org.apache.log4j.ConsoleAppender
      log4j.appender.log.target=System.err
      log4j.appender.log.layout=org.apache.log4j.PatternLayout
      log4j.appender.log.layout.ConversionPattern=%d{ABSOLUTE} %p %c{1} [%t]: %m%n
      """;

  private final Path home;
  private final ChildJvm process;
  private final Map<String, String> settings;
  private int read;

  private SecureCluster(Path home, ChildJvm process, Map<String, String> settings, int read) {
    this.home = home;
    this.process = process;
    this.settings = Map.copyOf(settings);
    this.read = read;
  }

  /**
   * Starts a KDC and two file systems, which takes some ten seconds.
   *
   * @param home an existing directory
   * @param withYarn whether there is a YARN, whose containers run as the user of this JVM, with the
   *     job's tokens
   */
  public static SecureCluster start(Path home, boolean withYarn)
      throws IOException, InterruptedException {
    Path logging = home.resolve("log4j.properties");
    Files.writeString(logging, LOGGING);
    List<String> arguments = new ArrayList<>(List.of(home.toString(), "" + withYarn));
    arguments.addAll(USERS);
    ChildJvm process =
        ChildJvm.start(
            ChildJvm.Command.of(SecureClusterMain.class)
                .withOptions(
                    List.of(
                        "-Xmx1g",
                        "-Dlog4j.configuration=" + logging.toUri(),
                        "-Dtest.build.data=" + home.resolve("data"),
                        "-Dtest.build.dir=" + home.resolve("data"),
                        "--add-opens=java.base/java.lang=ALL-UNNAMED",
                        "--add-opens=java.base/java.io=ALL-UNNAMED"))
                .withClassPath(home + File.pathSeparator + classPath())
                .withArguments(arguments),
            home.resolve("cluster.log"));
    try {
      int lines = process.await(0, SecureClusterMain.READY::equals, LIMIT).size();
      return new SecureCluster(home, process, settingsIn(home), lines);
    } catch (AssertionError | IOException | InterruptedException e) {
      try (process) {
        throw e;
      }
    }
  }

  private static String classPath() throws IOException {
    Path target = SourceTree.root().resolve(MODULE);
    return target.resolve("classes")
        + File.pathSeparator
        + Files.readString(target.resolve("run").resolve("classpath")).strip();
  }

  private static Map<String, String> settingsIn(Path home) {
    Configuration conf = new Configuration(false);
    conf.addResource(new org.apache.hadoop.fs.Path(home.resolve(SecureClusterMain.SITE).toUri()));
    Map<String, String> settings = new HashMap<>();
    conf.forEach(setting -> settings.put(setting.getKey(), setting.getValue()));
    return settings;
  }

  /** What the site files of a client have. */
  public Map<String, String> settings() {
    return settings;
  }

  /** The URI of the default file system. */
  public String hdfs() {
    return settings.get("fs.defaultFS");
  }

  /** The URI of another file system. */
  public String otherHdfs() {
    return settings.get(OTHER);
  }

  /** An option of a client's JVM. */
  public String javaOption() {
    return "-Djava.security.krb5.conf=" + krb5();
  }

  /** The configuration of Kerberos. */
  public Path krb5() {
    return home.resolve(SecureClusterMain.KRB5);
  }

  /** The full name of one of the users. */
  public static String principal(String user) {
    return user + "@" + REALM;
  }

  /** The keytab of one of the users. */
  public Path keytab(String user) {
    return home.resolve(shortName(user) + ".keytab");
  }

  /** As Hadoop names the user of a principal. */
  static String shortName(String principal) {
    int slash = principal.indexOf('/');
    return slash < 0 ? principal : principal.substring(0, slash);
  }

  /** Runs a command of {@code hadoop fs} as a user. The last line is {@code exit} and its code. */
  private synchronized List<String> fs(String user, String... command)
      throws IOException, InterruptedException {
    process.send(user + SecureClusterMain.TAB + String.join(SecureClusterMain.TAB, command));
    List<String> lines =
        process.await(read, line -> line.startsWith(SecureClusterMain.EXIT), LIMIT);
    read += lines.size();
    return lines;
  }

  /**
   * Runs a command of {@code hadoop fs} that must succeed, as a user, and returns what it printed.
   * No word may have a tab.
   */
  public String run(String user, String... command) throws IOException, InterruptedException {
    List<String> lines = fs(user, command);
    int last = lines.size() - 1;
    if (!lines.get(last).equals(SecureClusterMain.EXIT + 0)) {
      throw new AssertionError(String.join(" ", command) + ": " + lines);
    }
    return String.join("\n", lines.subList(0, last));
  }

  /** Makes a directory in which each user may make their own. */
  public void makeShared(String directory) throws IOException, InterruptedException {
    run(SUPERUSER, "-mkdir", "-p", directory);
    run(SUPERUSER, "-chmod", "1777", directory);
  }

  /** Reads, changes, moves and deletes a directory, as a user to whom all of that is refused. */
  public void assertRefused(String user, String directory)
      throws IOException, InterruptedException {
    for (String[] command :
        List.of(
            new String[] {"-ls", directory},
            new String[] {"-touchz", directory + "/planted"},
            new String[] {"-chmod", "777", directory},
            new String[] {"-mv", directory, directory + "-moved"},
            new String[] {"-rm", "-r", "-skipTrash", directory})) {
      String printed = String.join("\n", fs(user, command));
      if (!printed.contains("Permission denied")
          || !printed.contains("user=" + user)
          || printed.endsWith(SecureClusterMain.EXIT + 0)) {
        throw new AssertionError(String.join(" ", command) + " as " + user + ": " + printed);
      }
    }
  }

  /** What makes a YARN of one node quick, and independent of how full the disk is. */
  public static Map<String, String> yarnSettings() {
    return Map.ofEntries(
        // First come, first served, and no share that AMs must not exceed.
        Map.entry(
            "yarn.resourcemanager.scheduler.class",
            "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fifo.FifoScheduler"),
        // For the AM of one job, the lingering one of the job before, and two tasks.
        Map.entry("yarn.minicluster.yarn.nodemanager.resource.memory-mb", "2048"),
        Map.entry("yarn.scheduler.minimum-allocation-mb", "512"),
        Map.entry("yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", "100"),
        Map.entry(
            "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage", "100"),
        Map.entry("yarn.nodemanager.sleep-delay-before-sigkill.ms", "50"),
        Map.entry("yarn.nodemanager.process-kill-wait.ms", "500"),
        Map.entry("yarn.app.mapreduce.am.staging-dir", "/user"),
        Map.entry("mapreduce.jobhistory.intermediate-done-dir", "/history/intermediate"),
        Map.entry("mapreduce.jobhistory.done-dir", "/history/done"));
  }

  @Override
  public void close() throws IOException {
    process.close();
  }
}
