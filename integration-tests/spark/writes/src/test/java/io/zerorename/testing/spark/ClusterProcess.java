package io.zerorename.testing.spark;

import java.nio.file.Path;
import org.apache.spark.SparkConf;
import org.apache.spark.deploy.master.Master$;
import org.apache.spark.deploy.worker.Worker$;
import org.apache.spark.rpc.RpcEnv;
import scala.Option;

/** The master of a standalone cluster, or a worker with an executor of one thread, in this JVM. */
final class ClusterProcess {
  private static final int MEGABYTES = 512;
  private static final SparkConf CONF =
      new SparkConf(false)
          .set("spark.master.rest.enabled", "false")
          .set("spark.shuffle.service.enabled", "false");

  private ClusterProcess() {}

  static RpcEnv startMaster(String host) {
    return Master$.MODULE$.startRpcEnvAndEndpoint(host, 0, 0, CONF)._1();
  }

  /** As Spark names it. */
  static String nameOf(RpcEnv master) {
    return "spark://" + master.address().hostPort();
  }

  /**
   * Starts a worker.
   *
   * @param number another for each of them in one JVM
   * @param work the working directory of its executors, with their logs
   */
  static RpcEnv startWorker(String host, int number, String master, Path work) {
    return Worker$.MODULE$.startRpcEnvAndEndpoint(
        host,
        0,
        0,
        1,
        MEGABYTES,
        new String[] {master},
        work.toString(),
        Option.apply((Object) number),
        CONF,
        Option.empty());
  }
}
