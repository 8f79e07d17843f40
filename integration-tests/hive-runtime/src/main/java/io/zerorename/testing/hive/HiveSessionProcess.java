package io.zerorename.testing.hive;

import io.zerorename.testing.install.Cluster;
import io.zerorename.testing.process.Await;
import io.zerorename.testing.process.ChildJvm;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;

/** A session of a cluster's Hive, in a process that has the committer by the aux path alone. */
public final class HiveSessionProcess implements Closeable {

  private final ChildJvm jvm;
  private final Path log;
  private int answered;

  private HiveSessionProcess(ChildJvm jvm, Path log) {
    this.jvm = jvm;
    this.log = log;
  }

  /** Of a Hive with its metastore in memory and Tez in the same process, as in all tests. */
  public static Map<String, String> settings(Cluster cluster) throws IOException {
    Configuration ofTests = new Configuration(false);
    try (InputStream file = LocalHive.class.getResourceAsStream("/hive-site.xml")) {
      ofTests.addResource(file);
      ofTests.size();
    }
    Map<String, String> all = new HashMap<>(Cluster.placesOfHive(cluster.home()));
    ofTests.forEach(setting -> all.put(setting.getKey(), setting.getValue()));
    return all;
  }

  /** What to start one with, but for the class path and options of the cluster's JVMs. */
  public static ChildJvm.Command command() {
    return ChildJvm.Command.of(HiveSession.class).withEnvironment(EmbeddedS3Server.environment());
  }

  /**
   * Starts one on a cluster, which gets the main class.
   *
   * @param name of its log
   */
  public static HiveSessionProcess start(Cluster cluster, String name, ChildJvm.Command command)
      throws IOException {
    cluster.add(HiveSession.class);
    Path log = cluster.home().resolve(name + ".log");
    return new HiveSessionProcess(ChildJvm.start(command, log), log);
  }

  /** Where it logs. */
  public Path log() {
    return log;
  }

  /** Runs a statement that must succeed; its rows and what the console says. */
  public List<String> execute(String sql) throws IOException, InterruptedException {
    jvm.send(sql);
    List<String> answer = jvm.await(answered, HiveSessionProcess::isLast, Await.LIMIT);
    answered += answer.size();
    if (!answer.get(answer.size() - 1).equals(HiveSession.DONE)) {
      throw new AssertionError("the statement failed: " + sql + "\n" + String.join("\n", answer));
    }
    return answer.subList(0, answer.size() - 1);
  }

  /** What of an answer is the committer's. */
  public static List<String> ours(List<String> answer) {
    return answer.stream().filter(line -> line.startsWith("zero-rename")).toList();
  }

  private static boolean isLast(String line) {
    return line.equals(HiveSession.DONE) || line.startsWith(HiveSession.FAILED);
  }

  @Override
  public void close() throws IOException {
    jvm.close();
  }
}
