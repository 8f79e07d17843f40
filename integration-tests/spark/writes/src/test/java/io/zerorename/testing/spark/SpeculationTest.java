package io.zerorename.testing.spark;

import static io.zerorename.testing.s3server.RequestType.ABORT_MULTIPART_UPLOAD;
import static org.apache.spark.sql.functions.callUDF;
import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.process.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.spark.TaskContext;
import org.apache.spark.rpc.RpcEnv;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two attempts of one task that run at a time, as with {@code spark.speculation}. An executor of
 * one thread is on each of two addresses of this machine, as Spark starts no second attempt of a
 * task on the host of the first. SpeculationAcrossHostsTest has one that outlasts the commit.
 */
@Tag("thorough")
final class SpeculationTest {
  private static final List<String> HOSTS = List.of("127.0.0.1", "127.0.0.2");
  private static final int TASKS = 4;
  private static final int ROWS = 400;

  /** In the second task, after some of its files. */
  private static final long SLOW_ROW = 150;

  /** Of each task. */
  private static final int FILES = 10;

  private static final List<RpcEnv> PROCESSES = new ArrayList<>();

  @TempDir private static Path work;
  private static SparkOnS3 s3;

  @BeforeAll
  static void start() throws IOException {
    PROCESSES.add(ClusterProcess.startMaster(HOSTS.get(0)));
    String master = ClusterProcess.nameOf(PROCESSES.get(0));
    for (int i = 0; i < HOSTS.size(); i++) {
      PROCESSES.add(
          ClusterProcess.startWorker(HOSTS.get(i), i, master, work.resolve(HOSTS.get(i))));
    }
    Map<String, String> settings = new TreeMap<>(SparkOnS3.executors());
    settings.put("spark.speculation", "true");
    settings.put("spark.speculation.interval", "100ms");
    settings.put("spark.speculation.minTaskRuntime", "100ms");
    settings.put("spark.speculation.quantile", "0.25");
    s3 = SparkOnS3.withCommitProtocol(master, settings);
    s3.start();
    String directory = s3.directory().toString();
    UDF1<Long, Long> meeting = value -> meeting(value, Path.of(directory));
    s3.spark().udf().register("meeting", meeting, DataTypes.LongType);
  }

  @AfterAll
  static void stop() throws IOException {
    s3.close();
    PROCESSES.forEach(RpcEnv::shutdown);
  }

  /** Each attempt of the slow task waits here for the other one. */
  private static long meeting(long value, Path directory) throws Exception {
    if (value == SLOW_ROW) {
      Files.createFile(directory.resolve("attempt-" + TaskContext.get().attemptNumber()));
      Await.until("the other attempt is here", () -> attempts(directory) == 2);
    }
    return value;
  }

  private static long attempts(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(it -> it.getFileName().toString().startsWith("attempt-")).count();
    }
  }

  @Test
  void ofTwoAttemptsThatWriteOneIsCommitted() throws Exception {
    s3.spark()
        .range(0, ROWS, 1, TASKS)
        .toDF("id")
        .withColumn("id", callUDF("meeting", col("id")))
        .write()
        .option("maxRecordsPerFile", ROWS / TASKS / FILES)
        .mode(SaveMode.Overwrite)
        .parquet(s3.s3a("table"));

    assertThat(attempts(s3.directory())).as("attempts of the slow task").isEqualTo(2);
    assertThat(s3.success("table")).contains("\"committer\" : \"zerorename\"");
    Await.until(
        "nothing of the other attempt is left", () -> s3.bucket().pendingUploads("").isEmpty());
    assertThat(s3.dataFiles("table/")).hasSize(TASKS * FILES);
    assertThat(Numbers.ids(s3.spark().read().parquet(s3.s3a("table"))))
        .isEqualTo(Numbers.range(0, ROWS));
    assertThat(s3.requests().of(ABORT_MULTIPART_UPLOAD)).isPositive();
    assertThat(s3.requests().copies()).isZero();
  }
}
