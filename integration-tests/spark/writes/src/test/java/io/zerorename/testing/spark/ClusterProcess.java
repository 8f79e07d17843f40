package io.zerorename.testing.spark;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import org.apache.spark.SparkConf;
import org.apache.spark.deploy.master.Master$;
import org.apache.spark.deploy.worker.Worker$;
import org.apache.spark.rpc.RpcEnv;
import scala.Option;

/**
 * The master of a standalone cluster, or a worker with an executor of one thread: in this JVM, or
 * in one of its own, on a host of its own.
 */
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

  /**
   * Prints the master's name, and ends where its input ends.
   *
   * @param arguments its address; for a worker also the master's name, and its working directory
   */
  public static void main(String[] arguments) throws IOException {
    String master;
    if (arguments.length == 1) {
      master = nameOf(startMaster(arguments[0]));
    } else {
      master = arguments[1];
      startWorker(arguments[0], 0, master, Path.of(arguments[2]));
    }
    System.out.println(master);
    System.in.transferTo(OutputStream.nullOutputStream());
    Runtime.getRuntime().halt(0);
  }
}
