package io.zerorename.tez;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.docs.SourceTree;
import io.zerorename.testing.mapreduce.MapReduceCluster;
import io.zerorename.testing.mapreduce.Processes;
import io.zerorename.testing.process.Await;
import java.io.Closeable;
import java.io.IOException;
import java.util.EnumSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.tez.client.TezClient;
import org.apache.tez.dag.api.DAG;
import org.apache.tez.dag.api.DataSinkDescriptor;
import org.apache.tez.dag.api.TezConfiguration;
import org.apache.tez.dag.api.TezException;
import org.apache.tez.dag.api.client.DAGClient;
import org.apache.tez.dag.api.client.DAGStatus;
import org.apache.tez.dag.app.RecoveryParser;
import org.apache.tez.dag.history.HistoryEventType;
import org.apache.tez.mapreduce.output.MROutput;

/**
 * A client of Tez with an AM of its own for all of its DAGs, and with the settings of
 * conf-examples/tez-site.xml.
 */
final class TezSession implements Closeable {
  private static final String EXAMPLE = "conf-examples/tez-site.xml";
  private static final String JVM = MapReduceCluster.quickStart() + " ";
  private static final String OPENED = "--add-opens java.base/java.lang=ALL-UNNAMED";
  private static final int POLL_MILLIS = 100;

  private final TezConfiguration conf;
  private final TezClient client;

  private TezSession(Configuration base) throws Exception {
    conf = new TezConfiguration(base);
    conf.addResource(new Path(SourceTree.root().resolve(EXAMPLE).toUri()));
    // What a cluster has in its archive of tez.lib.uris.
    conf.setBoolean(TezConfiguration.TEZ_IGNORE_LIB_URIS, true);
    conf.setInt(TezConfiguration.TEZ_TASK_AM_HEARTBEAT_INTERVAL_MS, POLL_MILLIS);
    conf.setInt(TezConfiguration.TEZ_TASK_GET_TASK_SLEEP_INTERVAL_MS_MAX, POLL_MILLIS);
    client = TezClient.create("tez-tests", conf, true);
    client.start();
    client.waitTillReady();
  }

  /**
   * With real containers, whose AM logs each event for the next, and completes one file at once.
   */
  static TezSession onYarn(MapReduceCluster cluster) throws Exception {
    Configuration conf = cluster.newConfiguration();
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
    conf.setInt(TezConfiguration.DAG_RECOVERY_MAX_UNFLUSHED_EVENTS, 1);
    conf.setInt("zerorename.commit.threads", 1);
    return new TezSession(conf);
  }

  /** With the AM and all tasks in this JVM, and the local file system as the default one. */
  static TezSession local(java.nio.file.Path directory) throws Exception {
    Configuration conf = new Configuration();
    conf.set(FileSystem.FS_DEFAULT_NAME_KEY, directory.toUri().resolve("/").toString());
    conf.setBoolean(TezConfiguration.TEZ_LOCAL_MODE, true);
    conf.set("yarn.app.mapreduce.am.staging-dir", directory.resolve("staging").toString());
    conf.set(TezConfiguration.TEZ_AM_STAGING_DIR, directory.resolve("tez").toString());
    return new TezSession(conf);
  }

  /** What DAGs of this session are to be configured with. */
  Configuration configuration() {
    return new Configuration(conf);
  }

  ApplicationId application() {
    return client.getAppMasterApplicationId();
  }

  /** A sink of lines of text by the newer API. */
  DataSinkDescriptor sink(S3Output output) {
    return sink(TextOutputFormat.class, output);
  }

  DataSinkDescriptor sink(Class<?> format, S3Output output) {
    return MROutput.createConfigBuilder(new JobConf(conf), format, output.path().toString())
        .build();
  }

  /** A DAG of one vertex with one sink. */
  DAG dag(String name, int tasks, S3Output output) {
    return DAG.create(name)
        .addVertex(LinesProcessor.vertex("lines", tasks).addDataSink("sink", sink(output)));
  }

  DAGClient submit(DAG dag) throws TezException, IOException {
    return client.submitDAG(dag);
  }

  /** Runs a DAG to its end, which must be a success. */
  void succeeds(DAG dag) throws Exception {
    try (DAGClient running = submit(dag)) {
      succeeds(running);
    }
  }

  static void succeeds(DAGClient dag) throws Exception {
    DAGStatus end = end(dag);
    assertThat(end.getState()).as("%s", end.getDiagnostics()).isEqualTo(DAGStatus.State.SUCCEEDED);
  }

  /** Waits for the end of a DAG. */
  static DAGStatus end(DAGClient dag) throws Exception {
    dag.waitForCompletion();
    return dag.getDAGStatus(EnumSet.noneOf(org.apache.tez.dag.api.client.StatusGetOpts.class));
  }

  /** Waits until the AM's log for recovery tells that so many tasks of its first DAG are done. */
  void awaitTasksRecorded(int tasks) throws Exception {
    Await.until(
        tasks + " tasks are recorded",
        () ->
            RecoveryParser.readRecoveryEvents(conf, application(), 1).stream()
                    .filter(event -> event.getEventType() == HistoryEventType.TASK_FINISHED)
                    .count()
                == tasks);
  }

  /** Kills the AM by SIGKILL. YARN starts another. */
  void killMaster() throws Exception {
    Processes.killMaster(application());
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
