package io.zerorename.testing.mapreduce;

import io.zerorename.testing.process.Await;
import io.zerorename.testing.process.ChildJvm;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.secure.SecureCluster;
import java.io.Closeable;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.TypeConverter;
import org.apache.hadoop.mapreduce.v2.MiniMRYarnCluster;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
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

  private static final int CONTAINER_MEGABYTES = 512;

  private static final Set<YarnApplicationState> ENDED =
      EnumSet.of(
          YarnApplicationState.FINISHED, YarnApplicationState.FAILED, YarnApplicationState.KILLED);

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
    SecureCluster.yarnSettings().forEach(conf::set);
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

  /** How many AMs a job has had. */
  int appMasters(JobID job) {
    return application(job).getAppAttempts().size();
  }

  /** Kills a job's AM as {@code kill -9} does, and returns when it is gone. */
  void killAppMaster(JobID job) throws Exception {
    Processes.killMaster(application(job).getApplicationId());
  }

  /** Returns when nothing is left of a job that could still write. */
  void awaitEnd(JobID job) throws Exception {
    RMApp application = application(job);
    Await.until(
        job + " has ended",
        () ->
            ENDED.contains(application.createApplicationState())
                && !Processes.hasTasks(application.getApplicationId()));
  }

  private RMApp application(JobID job) {
    return yarn.getResourceManager()
        .getRMContext()
        .getRMApps()
        .get(TypeConverter.toYarn(job).getAppId());
  }

  /** Returns when a container of a job has logged a text; for states that no interface tells. */
  void awaitLogged(JobID job, String text) throws Exception {
    String application = application(job).getApplicationId().toString();
    String[] logs = yarn.getNodeManager(0).getConfig().getStrings(YarnConfiguration.NM_LOG_DIRS);
    Await.until(
        "\"" + text + "\" is logged",
        () -> {
          for (String directory : logs) {
            java.nio.file.Path own = java.nio.file.Path.of(directory, application);
            if (Files.isDirectory(own)) {
              try (Stream<java.nio.file.Path> files = Files.walk(own)) {
                for (java.nio.file.Path file : files.filter(it -> it.endsWith("syslog")).toList()) {
                  if (Files.readString(file).contains(text)) {
                    return true;
                  }
                }
              }
            }
          }
          return false;
        });
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
