package io.zerorename.testing.tez;

import io.zerorename.testing.docs.SourceTree;
import io.zerorename.testing.mapreduce.MapReduceCluster;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.util.EnumSet;
import java.util.Map;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.tez.client.TezClient;
import org.apache.tez.dag.api.DAG;
import org.apache.tez.dag.api.TezConfiguration;
import org.apache.tez.dag.api.TezException;
import org.apache.tez.dag.api.client.DAGClient;
import org.apache.tez.dag.api.client.DAGStatus;
import org.apache.tez.dag.api.client.StatusGetOpts;
import org.apache.tez.dag.app.RecoveryParser;
import org.apache.tez.dag.history.HistoryEventType;

/**
 * A client of Tez with an AM of its own for all of its DAGs, and with the settings of
 * conf-examples/tez-site.xml.
 */
public final class TezSession implements Closeable {
  private static final String EXAMPLE = "conf-examples/tez-site.xml";
  private static final String JVM = MapReduceCluster.quickStart() + " ";
  private static final String OPENED = "--add-opens java.base/java.lang=ALL-UNNAMED";
  private static final int POLL_MILLIS = 100;

  private final TezConfiguration conf;
  private final TezClient client;
  private final Path directory;

  private TezSession(TezConfiguration conf, TezClient client, Path directory) {
    this.conf = conf;
    this.client = client;
    this.directory = directory;
  }

  /** With real containers. */
  public static TezSession onYarn(MapReduceCluster cluster, Map<String, String> settings)
      throws IOException, TezException, InterruptedException {
    Configuration conf = cluster.newConfiguration();
    // What a cluster has in its archive of tez.lib.uris.
    conf.setBoolean(TezConfiguration.TEZ_IGNORE_LIB_URIS, true);
    conf.set(
        TezConfiguration.TEZ_CLUSTER_ADDITIONAL_CLASSPATH_PREFIX,
        System.getProperty("java.class.path"));
    conf.setInt(TezConfiguration.TEZ_AM_RESOURCE_MEMORY_MB, 512);
    conf.setInt(TezConfiguration.TEZ_TASK_RESOURCE_MEMORY_MB, 512);
    conf.set(TezConfiguration.TEZ_AM_LAUNCH_CMD_OPTS, JVM + "-Xmx320m " + OPENED);
    conf.set(TezConfiguration.TEZ_TASK_LAUNCH_CMD_OPTS, JVM + "-Xmx256m " + OPENED);
    conf.setInt(TezConfiguration.TEZ_AM_RM_HEARTBEAT_INTERVAL_MS_MAX, 100);
    // An AM that was shut down keeps nobody's memory.
    conf.setInt(TezConfiguration.TEZ_AM_SLEEP_TIME_BEFORE_EXIT_MILLIS, 0);
    return start(conf, settings);
  }

  /** With the AM and all tasks in this JVM, and the local file system as the default one. */
  public static TezSession local(File directory, Map<String, String> settings)
      throws IOException, TezException, InterruptedException {
    Configuration conf = new Configuration();
    conf.set(FileSystem.FS_DEFAULT_NAME_KEY, directory.toURI().resolve("/").toString());
    conf.setBoolean(TezConfiguration.TEZ_LOCAL_MODE, true);
    conf.setBoolean(TezConfiguration.TEZ_IGNORE_LIB_URIS, true);
    conf.set("yarn.app.mapreduce.am.staging-dir", new File(directory, "staging").getPath());
    conf.set(TezConfiguration.TEZ_AM_STAGING_DIR, new File(directory, "tez").getPath());
    return start(conf, settings);
  }

  private static TezSession start(Configuration base, Map<String, String> settings)
      throws IOException, TezException, InterruptedException {
    TezConfiguration conf = new TezConfiguration(base);
    conf.addResource(new Path(SourceTree.root().resolve(EXAMPLE).toUri()));
    conf.setInt(TezConfiguration.TEZ_TASK_AM_HEARTBEAT_INTERVAL_MS, POLL_MILLIS);
    conf.setInt(TezConfiguration.TEZ_TASK_GET_TASK_SLEEP_INTERVAL_MS_MAX, POLL_MILLIS);
    settings.forEach(conf::set);
    TezClient client = TezClient.create("tez-tests", conf, true);
    client.start();
    client.waitTillReady();
    Path directory =
        new Path(conf.get("yarn.app.mapreduce.am.staging-dir"), "tez-tests-" + UUID.randomUUID());
    return new TezSession(conf, client, directory);
  }

  /** What DAGs of this session are to be configured with. */
  public Configuration configuration() {
    return new Configuration(conf);
  }

  /** One id for all DAGs. */
  public ApplicationId application() {
    return client.getAppMasterApplicationId();
  }

  /** A DAG to be filled with vertices. */
  public LinesDag dag(String name) throws IOException {
    return new LinesDag(this, name, new TaskRuns(new Path(directory, name), conf));
  }

  DAGClient submit(DAG dag) throws TezException, IOException {
    return client.submitDAG(dag);
  }

  /** Waits for the end of a DAG. */
  public static DAGStatus end(DAGClient dag) throws Exception {
    dag.waitForCompletion();
    return status(dag);
  }

  /** Waits until the AM's log for recovery tells that so many tasks of its first DAG are done. */
  public void awaitTasksRecorded(DAGClient dag, int tasks) throws Exception {
    awaitRecorded(dag, HistoryEventType.TASK_FINISHED, tasks);
  }

  /**
   * Waits until the AM's log for recovery tells that so many vertices of its first DAG are done.
   */
  public void awaitVerticesRecorded(DAGClient dag, int vertices) throws Exception {
    awaitRecorded(dag, HistoryEventType.VERTEX_FINISHED, vertices);
  }

  private void awaitRecorded(DAGClient dag, HistoryEventType what, int times) throws Exception {
    await(
        dag,
        status ->
            RecoveryParser.readRecoveryEvents(conf, application(), 1).stream()
                    .filter(event -> event.getEventType() == what)
                    .count()
                == times);
  }

  /**
   * Waits until so many attempts of a DAG have written their files. One that is killed while it
   * begins an upload may leave that, as nobody knows its id.
   */
  public void awaitRuns(DAGClient client, LinesDag dag, int runs) throws Exception {
    await(client, status -> dag.runs().size() == runs);
  }

  private interface Condition {
    boolean holds(DAGStatus status) throws IOException;
  }

  private static void await(DAGClient dag, Condition condition) throws Exception {
    DAGStatus status = status(dag);
    while (!condition.holds(status)) {
      if (status.isCompleted()) {
        throw new IllegalStateException(
            "the DAG has ended too early: " + status.getState() + status.getDiagnostics());
      }
      Thread.sleep(POLL_MILLIS);
      status = status(dag);
    }
  }

  private static DAGStatus status(DAGClient dag) throws Exception {
    return dag.getDAGStatus(EnumSet.noneOf(StatusGetOpts.class));
  }

  /** Kills the AM by SIGKILL. YARN starts another. */
  public void killMaster() throws Exception {
    Processes.killMaster(Processes.TEZ, application());
  }

  @Override
  public void close() throws IOException {
    try {
      client.stop();
    } catch (TezException e) {
      throw new IOException(e);
    }
  }
}
