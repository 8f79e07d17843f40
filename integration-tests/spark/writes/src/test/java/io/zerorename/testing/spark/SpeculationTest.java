package io.zerorename.testing.spark;

import static io.zerorename.testing.s3server.RequestType.ABORT_MULTIPART_UPLOAD;
import static org.apache.spark.sql.functions.callUDF;
import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.process.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two attempts of one task that run at a time, as with {@code spark.speculation}. */
@Tag("thorough")
final class SpeculationTest {
  private static final int TASKS = 4;
  private static final int ROWS = 400;

  /** In the second task, after some of its files. */
  private static final long SLOW_ROW = 150;

  /** Of each task. */
  private static final int FILES = 10;

  private static final String COMMITTED = "committed";

  @TempDir private static Path work;
  private static TwoHosts hosts;
  private static SparkOnS3 s3;

  @BeforeAll
  static void start() throws IOException {
    hosts = TwoHosts.start(work);
    Map<String, String> settings = new TreeMap<>(SparkOnS3.executors());
    settings.put("spark.speculation", "true");
    settings.put("spark.speculation.interval", "100ms");
    settings.put("spark.speculation.minTaskRuntime", "100ms");
    settings.put("spark.speculation.quantile", "0.25");
    s3 = SparkOnS3.withCommitProtocol(hosts.master(), settings);
    s3.start();
    String directory = s3.directory().toString();
    UDF1<Long, Long> meeting = value -> meeting(value, Path.of(directory));
    s3.spark().udf().register("meeting", meeting, DataTypes.LongType);
    UDF1<Long, Long> outlasting = value -> outlasting(value, Path.of(directory));
    s3.spark().udf().register("outlasting", outlasting, DataTypes.LongType);
  }

  @AfterAll
  static void stop() throws IOException {
    s3.close();
    hosts.close();
  }

  @AfterEach
  void reset() throws IOException {
    s3.reset();
    for (Path attempt : attempts(s3.directory())) {
      Files.delete(attempt);
    }
    Files.deleteIfExists(s3.directory().resolve(COMMITTED));
  }

  /** Each attempt of the slow task waits here for the other one. */
  private static long meeting(long value, Path directory) throws Exception {
    if (value == SLOW_ROW) {
      arrive(directory);
      Await.until("the other attempt is here", () -> attempts(directory).size() == 2);
    }
    return value;
  }

  /** The first attempt of the slow task goes on after the commit, however often it is killed. */
  private static long outlasting(long value, Path directory) throws Exception {
    if (value == SLOW_ROW) {
      arrive(directory);
      while (TaskContext.get().attemptNumber() == 0
          && !Files.exists(directory.resolve(COMMITTED))) {
        // Not interrupted by the kill.
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
      }
    }
    return value;
  }

  private static void arrive(Path directory) throws IOException {
    Files.createFile(directory.resolve("attempt-" + TaskContext.get().attemptNumber()));
  }

  private static List<Path> attempts(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(it -> it.getFileName().toString().startsWith("attempt-")).toList();
    }
  }

  private static void overwrite(String function) {
    s3.spark()
        .range(0, ROWS, 1, TASKS)
        .toDF("id")
        .withColumn("id", callUDF(function, col("id")))
        .write()
        .option("maxRecordsPerFile", ROWS / TASKS / FILES)
        .mode(SaveMode.Overwrite)
        .parquet(s3.s3a("table"));
  }

  private static void assertEachRowOnce() throws Exception {
    assertThat(attempts(s3.directory())).as("attempts of the slow task").hasSize(2);
    assertThat(s3.success("table")).contains("\"committer\" : \"zerorename\"");
    Await.until(
        "nothing of the other attempt is left", () -> s3.bucket().pendingUploads("").isEmpty());
    assertThat(s3.dataFiles("table/")).hasSize(TASKS * FILES);
    assertThat(
            s3.spark().read().parquet(s3.s3a("table")).collectAsList().stream()
                .map(row -> row.getLong(0))
                .sorted()
                .toList())
        .isEqualTo(LongStream.range(0, ROWS).boxed().toList());
    assertThat(s3.requests().of(ABORT_MULTIPART_UPLOAD)).isPositive();
    assertThat(s3.requests().copies()).isZero();
  }

  @Test
  void ofTwoAttemptsThatWriteOneIsCommitted() throws Exception {
    overwrite("meeting");

    assertEachRowOnce();
  }

  @Test
  void anAttemptThatOutlastsTheCommitLeavesNothing() throws Exception {
    overwrite("outlasting");
    Files.createFile(s3.directory().resolve(COMMITTED));
    Await.until("no task runs", () -> hosts.runningTasks(s3.spark()) == 0);

    assertEachRowOnce();
  }
}
