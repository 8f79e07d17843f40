package io.zerorename.testing.hosts;

import static io.zerorename.testing.s3server.RequestType.COMPLETE_MULTIPART_UPLOAD;
import static io.zerorename.testing.s3server.RequestType.UPLOAD_PART;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.docs.SourceTree;
import io.zerorename.testing.network.Network;
import io.zerorename.testing.process.Await;
import io.zerorename.testing.process.ChildJvm;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.S3Request;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * A YARN with two node managers on hosts of their own, and streaming jobs of two tasks. One of the
 * two hosts is cut off. What a cluster has on HDFS is in a directory that all hosts see, also one
 * that is cut off, so that it is the worse case.
 */
@Tag("thorough")
@ExtendWith(NetworkCondition.class)
final class MapReduceAcrossHostsTest {
  private static final String PACKAGE = "org.apache.hadoop.yarn.server.";
  private static final long ROWS = 200;

  @TempDir private static Path directory;

  private static S3OnNetwork s3;
  private static BucketContents bucket;
  private static String classPath;
  private static Network.Host resourceManager;
  private static final Map<String, Network.Host> NODES = new TreeMap<>();

  @BeforeAll
  static void start() throws Exception {
    s3 = S3OnNetwork.start();
    bucket = s3.createBucket("data");
    resourceManager = s3.addHost();
    Path module = SourceTree.root().resolve("integration-tests/mapreduce/target");
    Path configuration = Files.createDirectory(directory.resolve("conf"));
    classPath = configuration + ":" + Files.readString(module.resolve("run/classpath")).strip();
    Files.writeString(
        configuration.resolve("log4j.properties"),
        """
        log4j.rootLogger=INFO, log
        log4j.appender.log=org.apache.log4j.ConsoleAppender
        log4j.appender.log.target=System.err
        log4j.appender.log.layout=org.apache.log4j.PatternLayout
        log4j.appender.log.layout.ConversionPattern=%d{ABSOLUTE} %p %c{1} [%t]: %m%n
        """);
    StringBuilder site = new StringBuilder("<configuration>");
    settings()
        .forEach(
            (key, value) ->
                site.append("<property><name>" + key + "</name><value>" + value)
                    .append("</value></property>\n"));
    // What a file says is lost to the defaults of the next one.
    for (String file : List.of("core-site.xml", "yarn-site.xml", "mapred-site.xml")) {
      Files.writeString(configuration.resolve(file), site + "</configuration>");
    }

    run(resourceManager, PACKAGE + "resourcemanager.ResourceManager", List.of());
    for (int number = 0; number < 2; number++) {
      Network.Host host = s3.addHost();
      NODES.put(host.address(), host);
      Path own = directory.resolve("node-" + host.address());
      run(
          host,
          PACKAGE + "nodemanager.NodeManager",
          List.of(
              "-Dyarn.nodemanager.hostname=" + host.address(),
              "-Dyarn.nodemanager.local-dirs=" + own.resolve("local"),
              "-Dyarn.nodemanager.log-dirs=" + own.resolve("logs")));
    }
    Await.until("two nodes are there", () -> cluster("metrics").contains("\"activeNodes\":2"));
    for (int task = 0; task < 2; task++) {
      StringBuilder lines = new StringBuilder();
      LongStream.range(0, ROWS / 2)
          .map(it -> 2 * it)
          .map(task == 0 ? it -> it : it -> it + 1)
          .forEach(row -> lines.append(row).append('\n'));
      Path input = Files.createDirectories(directory.resolve("input"));
      Files.writeString(input.resolve("" + task), lines);
    }
  }

  private static Map<String, String> settings() {
    Map<String, String> all = new TreeMap<>(s3.access().settings());
    all.put(
        "fs.s3a.aws.credentials.provider", "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider");
    all.put("fs.s3a.access.key", EmbeddedS3Server.ACCESS_KEY);
    all.put("fs.s3a.secret.key", EmbeddedS3Server.SECRET_KEY);
    all.put("fs.s3a.connection.timeout", "15s");
    all.put("fs.s3a.connection.establish.timeout", "15s");
    all.put("mapred.output.committer.class", "io.zerorename.magic.mapred.MagicOutputCommitter");
    all.put("zerorename.work.dir", "s3a://data/records");
    all.put("hadoop.tmp.dir", directory.resolve("tmp").toString());
    all.put("yarn.app.mapreduce.am.staging-dir", directory.resolve("staging").toString());
    all.put("mapreduce.framework.name", "yarn");
    all.put("mapreduce.jobhistory.jhist.format", "json");
    all.put("mapreduce.application.classpath", classPath.replace(':', ','));
    all.put("yarn.application.classpath", directory.resolve("conf").toString());
    all.put("yarn.resourcemanager.hostname", resourceManager.address());
    all.put(
        "yarn.resourcemanager.scheduler.class",
        PACKAGE + "resourcemanager.scheduler.fifo.FifoScheduler");
    all.put("yarn.scheduler.minimum-allocation-mb", "512");
    // Beside the application master there is room for one task, so that the other host has one,
    // too.
    all.put("yarn.nodemanager.resource.memory-mb", "1536");
    all.put("yarn.app.mapreduce.am.resource.mb", "1024");
    all.put("mapreduce.map.memory.mb", "512");
    String quick = " -XX:+UseSerialGC -XX:TieredStopAtLevel=1";
    all.put("yarn.app.mapreduce.am.command-opts", "-Xmx384m" + quick);
    all.put("mapreduce.map.java.opts", "-Xmx256m" + quick);
    all.put("mapreduce.task.io.sort.mb", "16");
    all.put("mapreduce.map.speculative", "false");
    all.put("mapreduce.job.reduces", "0");
    // Each container asks for it, also where nothing is shuffled.
    all.put("yarn.nodemanager.aux-services", "mapreduce_shuffle");
    all.put("yarn.nodemanager.vmem-check-enabled", "false");
    all.put("yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage", "100");
    // Who is cut off is taken for lost after that time, and so is a master that takes longer to
    // start.
    all.put("yarn.nm.liveness-monitor.expiry-interval-ms", "30000");
    all.put("yarn.am.liveness-monitor.expiry-interval-ms", "30000");
    all.put("yarn.resourcemanager.nodemanagers.heartbeat-interval-ms", "500");
    all.put("yarn.client.nodemanager-connect.max-wait-ms", "5000");
    all.put("yarn.client.nodemanager-connect.retry-interval-ms", "1000");
    all.put("yarn.resourcemanager.connect.retry-interval.ms", "1000");
    all.put("ipc.client.connect.timeout", "3000");
    all.put("ipc.client.connect.max.retries.on.timeouts", "1");
    all.put("ipc.client.rpc-timeout.ms", "5000");
    all.put("mapreduce.task.timeout", "20000");
    return all;
  }

  private static ChildJvm run(Network.Host host, String main, List<String> arguments)
      throws IOException {
    List<String> options =
        new ArrayList<>(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    for (String opened : List.of("lang", "util", "io", "net")) {
      options.add("--add-opens=java.base/java." + opened + "=ALL-UNNAMED");
    }
    return ChildJvm.start(
        host.on(new ChildJvm.Command(List.of(), main, classPath, options, arguments, Map.of())),
        directory.resolve(main.replaceAll(".*\\.", "") + "-" + host.address() + ".log"));
  }

  @AfterAll
  static void stop() throws IOException {
    if (s3 != null) {
      s3.close();
    }
  }

  @AfterEach
  void heal() throws Exception {
    s3.faults(FaultRule.NONE);
    for (Network.Host host : NODES.values()) {
      host.heal();
    }
    Await.until("both nodes are back", () -> cluster("metrics").contains("\"activeNodes\":2"));
  }

  /** What the resource manager says. */
  private static String cluster(String about) {
    URI place = URI.create("http://" + resourceManager.address() + ":8088/ws/v1/cluster/" + about);
    try (var in = place.toURL().openStream()) {
      return new String(in.readAllBytes(), UTF_8);
    } catch (IOException e) {
      return "not yet: " + e;
    }
  }

  /** A job that runs. */
  private record Job(String id, String table) {
    static Job submit(String table) throws Exception {
      ChildJvm client =
          run(
              resourceManager,
              "org.apache.hadoop.streaming.HadoopStreaming",
              List.of(
                  "-background",
                  "-input",
                  directory.resolve("input").toUri().toString(),
                  "-output",
                  "s3a://data/" + table,
                  "-mapper",
                  "cat"));
      client.awaitEnd(Await.LIMIT);
      assertThat(client.exitCode()).as(client.lastOutput()).isZero();
      // Of one log: the last is that of this job.
      List<String> ids =
          Pattern.compile("application_\\d+_\\d+")
              .matcher(client.lastOutput())
              .results()
              .map(MatchResult::group)
              .toList();
      assertThat(ids).as(client.lastOutput()).isNotEmpty();
      return new Job(ids.get(ids.size() - 1), table);
    }

    String says(String name) {
      Matcher value =
          Pattern.compile("\"" + name + "\":\"([^\"]*)\"").matcher(cluster("apps/" + id));
      return value.find() ? value.group(1) : "";
    }

    String master() {
      return says("amHostHttpAddress").replaceAll(":.*", "");
    }

    void succeeds() throws Exception {
      Await.until("the job has ended", () -> !says("finalStatus").equals("UNDEFINED"));
      assertThat(says("finalStatus")).as(cluster("apps/" + id)).isEqualTo("SUCCEEDED");
      assertWhole();
    }

    int masters() {
      return cluster("apps/" + id + "/appattempts").split("\"startTime\"", -1).length - 1;
    }

    void assertWhole() {
      assertThat(S3OnNetwork.rows(bucket, table))
          .isEqualTo(LongStream.range(0, ROWS).boxed().toList());
    }
  }

  /** Cuts off a host at one of its requests. */
  private record CutOff(AtomicReference<Network.Host> host, Rule rule) implements FaultRule {
    interface Rule {
      boolean isDue(S3Request request);
    }

    static CutOff at(Rule rule) {
      return new CutOff(new AtomicReference<>(), rule);
    }

    @Override
    public Optional<Fault> on(S3Request request) {
      Network.Host from = NODES.get(request.client());
      if (from != null && rule.isDue(request) && host.compareAndSet(null, from)) {
        try {
          from.cut();
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
      return Optional.empty();
    }
  }

  @Test
  void anAttemptThatIsCutOffWhileItWritesRunsAgainOnTheOtherHost() throws Exception {
    AtomicReference<String> master = new AtomicReference<>("");
    CutOff cut =
        CutOff.at(
            request -> request.type() == UPLOAD_PART && !request.client().equals(master.get()));
    Job job = Job.submit("written");
    Await.until("a master is there", () -> !job.master().isEmpty());
    master.set(job.master());
    s3.faults(cut);
    job.succeeds();
    assertThat(cut.host).doesNotHaveNullValue();
    assertThat(job.masters()).isOne();

    heal();
    assertNothingLeft(job);
  }

  @Test
  void aCommitThatIsCutOffIsCompletedByTheNextMasterOnTheOtherHost() throws Exception {
    AtomicInteger completes = new AtomicInteger();
    CutOff cut =
        CutOff.at(
            request ->
                request.type() == COMPLETE_MULTIPART_UPLOAD && completes.incrementAndGet() == 2);
    s3.faults(cut);
    Job job = Job.submit("committed");
    job.succeeds();
    assertThat(cut.host).doesNotHaveNullValue();
    assertThat(job.masters()).isEqualTo(2);
    assertThat(job.master()).isNotEqualTo(cut.host.get().address());

    heal();
    assertNothingLeft(job);
  }

  private static void assertNothingLeft(Job job) throws Exception {
    Await.until(
        "what ran on the host that was cut off has ended",
        () ->
            ProcessHandle.allProcesses()
                .flatMap(it -> it.info().commandLine().stream())
                .noneMatch(it -> it.contains(job.id())));
    job.assertWhole();
    Await.until("no upload is left", () -> bucket.pendingUploads("").isEmpty());
    assertThat(bucket.files(job.table() + "/")).contains(job.table() + "/_SUCCESS");
  }
}
