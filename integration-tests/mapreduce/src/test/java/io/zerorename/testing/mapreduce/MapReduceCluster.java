package io.zerorename.testing.mapreduce;

import io.zerorename.testing.process.ChildJvm;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.FaultRule;
import java.io.Closeable;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.v2.MiniMRYarnCluster;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMApp;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMAppState;

/**
 * A YARN with real containers and an HDFS, which is the default file system, beside a real S3
 * server.
 *
 * <p>Containers have the class path of this JVM. All files are below the build's directory.
 */
public final class MapReduceCluster implements Closeable {
  public static final String BUCKET = "data";

  /** For the AM of one job, the lingering one of the job before, and two tasks. */
  private static final int NODE_MEGABYTES = 2_048;

  private static final int CONTAINER_MEGABYTES = 512;

  private final EmbeddedS3Server s3;
  private final BucketContents bucket;
  private final MiniDFSCluster hdfs;
  private final MiniMRYarnCluster yarn;

  private MapReduceCluster(
      EmbeddedS3Server s3, BucketContents bucket, MiniDFSCluster hdfs, MiniMRYarnCluster yarn) {
    this.s3 = s3;
    this.bucket = bucket;
    this.hdfs = hdfs;
    this.yarn = yarn;
  }

  /**
   * Starts everything, which takes some ten seconds.
   *
   * @param name no other cluster has it that runs at the same time
   */
  static MapReduceCluster start(File directory, String name) throws IOException {
    EmbeddedS3Server s3 = EmbeddedS3Server.start();
    BucketContents bucket = s3.createBucket(BUCKET);
    setForEveryConfiguration(s3.hadoopSettings(), "embedded-s3-" + name + ".xml");
    Configuration conf = new Configuration();
    MiniDFSCluster hdfs =
        new MiniDFSCluster.Builder(new Configuration(conf), new File(directory, "hdfs")).build();
    conf.set(FileSystem.FS_DEFAULT_NAME_KEY, hdfs.getURI().toString());
    yarnSettings().forEach(conf::set);
    MiniMRYarnCluster yarn = new MiniMRYarnCluster("mapreduce-" + name);
    yarn.init(conf);
    yarn.start();
    return new MapReduceCluster(s3, bucket, hdfs, yarn);
  }

  /** As a core-site.xml does: YARN's download of a job's files from S3 reads no job's settings. */
  private static void setForEveryConfiguration(Map<String, String> settings, String resource)
      throws IOException {
    Configuration conf = new Configuration(false);
    settings.forEach(conf::set);
    File classes =
        new File(
            MapReduceCluster.class.getProtectionDomain().getCodeSource().getLocation().getPath());
    try (OutputStream out = new FileOutputStream(new File(classes, resource))) {
      conf.writeXml(out);
    }
    Configuration.addDefaultResource(resource);
  }

  private static Map<String, String> yarnSettings() {
    return Map.ofEntries(
        // First come, first served, and no share that AMs must not exceed.
        Map.entry(
            "yarn.resourcemanager.scheduler.class",
            "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fifo.FifoScheduler"),
        Map.entry("yarn.minicluster.yarn.nodemanager.resource.memory-mb", "" + NODE_MEGABYTES),
        Map.entry("yarn.scheduler.minimum-allocation-mb", "" + CONTAINER_MEGABYTES),
        Map.entry("yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", "100"),
        // The build's disk may be as full as it likes.
        Map.entry(
            "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage", "100"),
        Map.entry("yarn.nodemanager.sleep-delay-before-sigkill.ms", "50"),
        Map.entry("yarn.nodemanager.process-kill-wait.ms", "500"),
        Map.entry("yarn.app.mapreduce.am.staging-dir", "/user"),
        Map.entry("mapreduce.jobhistory.intermediate-done-dir", "/history/intermediate"),
        Map.entry("mapreduce.jobhistory.done-dir", "/history/done"));
  }

  /** What a client sets for jobs on a small cluster. */
  public static Map<String, String> clientSettings() {
    return Map.ofEntries(
        // The cluster opens all permissions of HDFS. A user does not.
        Map.entry("fs.permissions.umask-mode", "022"),
        Map.entry("yarn.app.mapreduce.am.resource.mb", "" + CONTAINER_MEGABYTES),
        Map.entry("yarn.app.mapreduce.am.command-opts", "-Xmx384m " + quickStart()),
        Map.entry("mapreduce.map.memory.mb", "" + CONTAINER_MEGABYTES),
        Map.entry("mapreduce.map.java.opts", "-Xmx256m " + quickStart()),
        Map.entry("mapreduce.reduce.memory.mb", "" + CONTAINER_MEGABYTES),
        Map.entry("mapreduce.reduce.java.opts", "-Xmx256m " + quickStart()),
        Map.entry("mapreduce.task.io.sort.mb", "16"),
        // Readable by tests that wait for what a second AM would know.
        Map.entry("mapreduce.jobhistory.jhist.format", "json"),
        // On a busy machine any attempt may look slow. Tests say themselves how often a task runs.
        Map.entry("mapreduce.map.speculative", "false"),
        Map.entry("mapreduce.reduce.speculative", "false"),
        Map.entry("mapreduce.job.reduce.slowstart.completedmaps", "1.0"),
        Map.entry("yarn.app.mapreduce.am.scheduler.heartbeat.interval-ms", "100"),
        Map.entry("mapreduce.client.progressmonitor.pollinterval", "100"),
        Map.entry("mapreduce.client.completion.pollinterval", "100"),
        // A waiting task tells of itself that often, not each ten seconds.
        Map.entry("mapreduce.task.progress-report.interval", "500"),
        // A client that has lost its AM tries the old one ten times before it asks for the next.
        Map.entry("ipc.client.connect.retry.interval", "200"));
  }

  /** Options of a container's JVM, which runs for seconds. */
  public static String quickStart() {
    return "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 " + String.join(" ", ChildJvm.UNVERIFIED);
  }

  /** The configuration of a client of this cluster, with S3A but without any committer. */
  public Configuration newConfiguration() {
    Configuration conf = new Configuration(yarn.getConfig());
    clientSettings().forEach(conf::set);
    return conf;
  }

  public EmbeddedS3Server s3() {
    return s3;
  }

  public BucketContents bucket() {
    return bucket;
  }

  /** A path in the bucket. */
  public Path s3a(String key) {
    return new Path("s3a://" + BUCKET + "/" + key);
  }

  /** The default file system of all jobs. */
  public FileSystem hdfs() throws IOException {
    return hdfs.getFileSystem();
  }

  /** Applications that run. */
  public List<ApplicationId> running() {
    return yarn.getResourceManager().getRMContext().getRMApps().values().stream()
        .filter(application -> application.getState() == RMAppState.RUNNING)
        .map(RMApp::getApplicationId)
        .toList();
  }

  /** The processes of a job. */
  Containers containers(JobID job) {
    return new Containers(
        yarn.getResourceManager(),
        yarn.getNodeManager(0).getConfig().getStrings(YarnConfiguration.NM_LOG_DIRS),
        job);
  }

  /** Lets the server answer as it should. */
  void reset() {
    s3.gateway().faults(FaultRule.NONE);
  }

  @Override
  public void close() throws IOException {
    yarn.stop();
    hdfs.shutdown();
    s3.close();
  }
}
