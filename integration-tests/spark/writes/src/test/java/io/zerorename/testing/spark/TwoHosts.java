package io.zerorename.testing.spark;

import java.io.Closeable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.SparkExecutorInfo;
import org.apache.spark.rpc.RpcEnv;
import org.apache.spark.sql.SparkSession;

/**
 * A standalone cluster of two addresses of this machine, with an executor of one thread on each:
 * for Spark two hosts, as it starts no second attempt of a task on the host of the first.
 */
final class TwoHosts implements Closeable {
  private static final List<String> HOSTS = List.of("127.0.0.1", "127.0.0.2");

  private final List<RpcEnv> processes;
  private final String master;

  private TwoHosts(List<RpcEnv> processes, String master) {
    this.processes = processes;
    this.master = master;
  }

  /**
   * Starts it in this JVM.
   *
   * @param work the working directory of executors, with their logs
   */
  static TwoHosts start(Path work) {
    List<RpcEnv> processes = new ArrayList<>();
    processes.add(ClusterProcess.startMaster(HOSTS.get(0)));
    String master = ClusterProcess.nameOf(processes.get(0));
    for (String host : HOSTS) {
      processes.add(
          ClusterProcess.startWorker(host, HOSTS.indexOf(host), master, work.resolve(host)));
    }
    return new TwoHosts(processes, master);
  }

  /** As Spark names it. */
  String master() {
    return master;
  }

  /** Of all executors, killed ones that have not ended included. */
  int runningTasks(SparkSession spark) {
    return Arrays.stream(spark.sparkContext().statusTracker().getExecutorInfos())
        .mapToInt(SparkExecutorInfo::numRunningTasks)
        .sum();
  }

  @Override
  public void close() {
    processes.forEach(RpcEnv::shutdown);
  }
}
