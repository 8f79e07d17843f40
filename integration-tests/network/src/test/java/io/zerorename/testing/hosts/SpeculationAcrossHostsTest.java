package io.zerorename.testing.hosts;

import static io.zerorename.testing.s3server.RequestType.UPLOAD_PART;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.network.Network;
import io.zerorename.testing.process.Await;
import io.zerorename.testing.process.ChildJvm;
import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.S3Request;
import io.zerorename.testing.sparkjvm.SparkJvm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * A standalone cluster whose driver, master and two workers are on hosts of their own. One worker
 * is cut off in the midst of a task, of which the other then runs a second attempt ({@code
 * spark.speculation}).
 */
@Tag("thorough")
@ExtendWith(NetworkCondition.class)
final class SpeculationAcrossHostsTest {
  private static final Pattern TASK = Pattern.compile("/(part-\\d+)-");

  @TempDir private static Path directory;

  private static BucketContents bucket;
  private static S3OnNetwork s3;
  private static Network.Host cutOff;
  private static Network.Host driverHost;
  private static String master;
  private Driver driver;

  @BeforeAll
  static void start() throws Exception {
    s3 = S3OnNetwork.start();
    bucket = s3.createBucket("data");
    master = startProcess(s3.addHost());
    startProcess(s3.addHost(), master, directory.resolve("work-1").toString());
    cutOff = s3.addHost();
    startProcess(cutOff, master, directory.resolve("work-2").toString());
    driverHost = s3.addHost();
  }

  /** Of its own for each test, with an executor on each worker. */
  @BeforeEach
  void startDriver() throws Exception {
    Map<String, String> settings = new TreeMap<>();
    settings.put("spark.master", master);
    settings.put("spark.cores.max", "2");
    settings.put("spark.scheduler.minRegisteredResourcesRatio", "1.0");
    settings.put(
        "spark.scheduler.maxRegisteredResourcesWaitingTime", Await.LIMIT.toMinutes() + "m");
    settings.put("spark.executor.memory", "512m");
    settings.put("spark.executor.extraClassPath", SparkJvm.command("").classPath());
    settings.put("spark.executor.extraJavaOptions", "-XX:+UseSerialGC -XX:TieredStopAtLevel=1");
    EmbeddedS3Server.environment()
        .forEach((name, value) -> settings.put("spark.executorEnv." + name, value));
    settings.put("spark.speculation", "true");
    settings.put("spark.speculation.interval", "100ms");
    settings.put("spark.speculation.quantile", "0.25");
    driver =
        Driver.start(
            driverHost, s3.access(), Files.createTempDirectory(directory, "driver"), settings);
    driver.begin("CREATE TABLE t (id BIGINT) USING csv LOCATION 's3a://data/t'").succeeds();
  }

  /** Starts a process of the cluster, and returns the name of its master. */
  private static String startProcess(Network.Host host, String... arguments) throws Exception {
    // Workers want to find it.
    Path home = directory.resolve("spark");
    Files.createDirectories(home.resolve("jars"));
    List<String> all = new ArrayList<>(List.of(host.address()));
    all.addAll(List.of(arguments));
    ChildJvm process =
        ChildJvm.start(
            host.on(
                SparkJvm.command("io.zerorename.testing.spark.ClusterProcess")
                    .withOptions(List.of("-Xmx256m", "-XX:+UseSerialGC"))
                    .withArguments(all)
                    .withEnvironment(
                        Map.of(
                            "SPARK_HOME", home.toString(),
                            "SPARK_SCALA_VERSION", "2.12",
                            "SPARK_LOCAL_IP", host.address()))),
            directory.resolve("process-" + host.address() + ".log"));
    return process.await(0, it -> it.startsWith("spark://"), Await.LIMIT).get(0);
  }

  @AfterAll
  static void stop() throws IOException {
    if (s3 != null) {
      s3.close();
    }
  }

  @AfterEach
  void stopDriver() throws IOException {
    cutOff.heal();
    s3.faults(FaultRule.NONE);
    driver.close();
  }

  /** Cuts off the host once it uploads. */
  private static final class CutOff implements FaultRule {
    private final AtomicReference<String> task = new AtomicReference<>();
    private final boolean untilSecondAttempt;

    CutOff(boolean untilSecondAttempt) {
      this.untilSecondAttempt = untilSecondAttempt;
    }

    @Override
    public Optional<Fault> on(S3Request request) {
      Matcher name = TASK.matcher("/" + request.key());
      if (request.type() != UPLOAD_PART || !name.find()) {
        return Optional.empty();
      }
      String of = name.group(1);
      try {
        if (request.client().equals(cutOff.address())) {
          if (task.compareAndSet(null, of)) {
            cutOff.cut();
          }
        } else if (of.equals(task.get()) && untilSecondAttempt) {
          cutOff.heal();
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return Optional.empty();
    }
  }

  @Test
  void theAttemptOnTheHostThatIsCutOffLeavesNothing() throws Exception {
    CutOff rule = new CutOff(false);
    s3.faults(rule);
    overwrite(0);
    assertThat(rule.task).doesNotHaveNullValue();
    assertRows(0);

    cutOff.heal();
    assertNothingPending();
    assertRows(0);
  }

  @Test
  void ofAttemptsThatGoOnTogetherOneIsCommitted() throws Exception {
    CutOff rule = new CutOff(true);
    s3.faults(rule);
    overwrite(1_000);
    assertThat(rule.task).doesNotHaveNullValue();
    assertNothingPending();
    assertRows(1_000);
  }

  private void overwrite(long from) throws Exception {
    driver
        .begin("INSERT OVERWRITE t SELECT id FROM range(%s, %s, 1, 4)".formatted(from, from + 400))
        .succeeds();
  }

  private static void assertRows(long from) {
    assertThat(S3OnNetwork.rows(bucket, "t"))
        .isEqualTo(LongStream.range(from, from + 400).boxed().toList());
  }

  private static void assertNothingPending() throws Exception {
    Await.until("no upload is left", () -> bucket.pendingUploads("").isEmpty());
  }
}
