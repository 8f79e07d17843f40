package io.zerorename.testing.spark;

import java.io.Closeable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkExecutorInfo;
import org.apache.spark.deploy.master.Master$;
import org.apache.spark.deploy.worker.Worker$;
import org.apache.spark.rpc.RpcEnv;
import org.apache.spark.sql.SparkSession;
import scala.Option;

/**
 * A standalone cluster of two addresses of this machine, with an executor of one thread on each:
 * for Spark two hosts, as it starts no second attempt of a task on the host of the first.
 */
final class TwoHosts implements Closeable {
  private static final List<String> HOSTS = List.of("127.0.0.1", "127.0.0.2");
  private static final int MEGABYTES = 512;

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
    SparkConf conf =
        new SparkConf(false)
            .set("spark.master.rest.enabled", "false")
            .set("spark.shuffle.service.enabled", "false");
    List<RpcEnv> processes = new ArrayList<>();
    processes.add(Master$.MODULE$.startRpcEnvAndEndpoint(HOSTS.get(0), 0, 0, conf)._1());
    String master = "spark://" + processes.get(0).address().hostPort();
    for (String host : HOSTS) {
      processes.add(
          Worker$.MODULE$.startRpcEnvAndEndpoint(
              host,
              0,
              0,
              1,
              MEGABYTES,
              new String[] {master},
              work.resolve(host).toString(),
              Option.apply((Object) HOSTS.indexOf(host)),
              conf,
              Option.empty()));
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
