package io.zerorename.testing.mapreduce;

import static io.zerorename.testing.process.Kill.Side.BEFORE;
import static io.zerorename.testing.s3server.RequestType.COMPLETE_MULTIPART_UPLOAD;
import static io.zerorename.testing.s3server.RequestType.PUT_OBJECT;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.docs.SourceTree;
import io.zerorename.testing.process.ChildJvm;
import io.zerorename.testing.process.Kill;
import io.zerorename.testing.sparkjvm.SparkJvm;
import io.zerorename.testing.sparkjvm.SparkSubmit;
import io.zerorename.testing.tez.Processes;
import io.zerorename.testing.tez.S3Output;
import java.io.IOException;
import java.io.OutputStream;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.FutureTask;
import java.util.stream.IntStream;
import org.apache.hadoop.mapreduce.TypeConverter;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Drivers of Spark that YARN starts, and starts again: {@code spark.yarn.maxAppAttempts}. */
@Tag("thorough")
@ExtendWith(ClusterExtension.class)
final class SparkOnYarnTest {
  private static final String DRIVER = "org.apache.spark.deploy.yarn.ApplicationMaster";

  /** Of the program. */
  private static final int ORDERS = 100;

  @TempDir private Path directory;

  private final MapReduceCluster cluster;

  SparkOnYarnTest(MapReduceCluster cluster) {
    this.cluster = cluster;
  }

  @Test
  void theNextDriverCompletesWhatTheFirstHasDecided() throws Exception {
    assertOnce("orders-decided", new Kill(BEFORE, COMPLETE_MULTIPART_UPLOAD, 2));
  }

  @Test
  void theNextDriverWritesWhatTheFirstHasNotDecided() throws Exception {
    assertOnce("orders-undecided", new Kill(BEFORE, PUT_OBJECT, "/log/", 1));
  }

  private void assertOnce(String name, Kill kill) throws Exception {
    S3Output output = S3Output.of(cluster, name);
    SparkSubmit submit = submit(output);
    FutureTask<ApplicationId> death =
        new FutureTask<>(
            () -> {
              List<ApplicationId> running = cluster.running();
              assertThat(running).hasSize(1);
              Processes.killMaster(DRIVER, running.get(0));
              return running.get(0);
            });
    cluster.s3().gateway().faults(kill.by(death));

    try {
      submit.succeed();
    } finally {
      cluster.endRunning();
    }

    assertThat(death).isDone();
    assertThat(cluster.containers(TypeConverter.fromYarn(death.get())).appMasters()).isEqualTo(2);
    assertThat(output.lines())
        .isEqualTo(IntStream.range(0, ORDERS).mapToObj(String::valueOf).sorted().toList());
  }

  private SparkSubmit submit(S3Output output) throws IOException {
    Path conf = Files.createDirectory(directory.resolve("conf"));
    for (String file : List.of("core-site.xml", "yarn-site.xml")) {
      try (OutputStream out = Files.newOutputStream(conf.resolve(file))) {
        cluster.newConfiguration().writeXml(out);
      }
    }
    ChildJvm.Command jvm = SparkJvm.command(DRIVER);
    Map<String, String> settings = new TreeMap<>();
    Properties examples = new Properties();
    try (Reader reader =
        Files.newBufferedReader(SourceTree.root().resolve("conf-examples/spark-defaults.conf"))) {
      examples.load(reader);
    }
    examples.forEach((key, value) -> settings.put((String) key, ((String) value).strip()));
    settings.put("spark.master", "yarn");
    settings.put("spark.submit.deployMode", "cluster");
    settings.put("spark.yarn.maxAppAttempts", "2");
    settings.put("spark.yarn.report.interval", "200ms");
    settings.put("spark.ui.enabled", "false");
    settings.put("spark.executor.instances", "1");
    // What a cluster has in its installation of Spark.
    settings.put("spark.yarn.jars", "local:" + SparkJvm.classes());
    settings.put("spark.yarn.populateHadoopClasspath", "false");
    for (String process : List.of("spark.driver.", "spark.executor.")) {
      settings.put(process + "extraClassPath", jvm.classPath());
      settings.put(process + "memory", "512m");
      settings.put(process + "extraJavaOptions", MapReduceCluster.quickStart());
    }
    settings.put("spark.orders.table", output.path().toString());
    settings.put("spark.sql.sources.default", "csv");
    settings.put("spark.hadoop.zerorename.commit.threads", "1");
    return SparkSubmit.in(directory, jvm, SparkJvm.classes(), settings);
  }
}
