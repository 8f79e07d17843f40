package io.zerorename.testing.spark;

import static io.zerorename.testing.s3server.RequestType.ABORT_MULTIPART_UPLOAD;
import static io.zerorename.testing.s3server.RequestType.LIST_MULTIPART_UPLOADS;
import static io.zerorename.testing.s3server.RequestType.UPLOAD_PART;
import static org.apache.spark.sql.functions.callUDF;
import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Executors in processes of their own, of which one may be killed. */
final class ExecutorsTest {
  private static final int TASKS = 4;
  private static final int ROWS = 400;

  /** Of the task whose executor is killed. */
  private static final int KILLED_FILES = 4;

  /** For their requests. After it the executor is killed all the same, and the test fails. */
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /** Names of files by which the processes know how far the others are. */
  private static final String UPLOADING = "uploading";

  private static final String KILLED = "killed";

  @RegisterExtension
  static final SparkOnS3 s3 =
      SparkOnS3.withCommitProtocol(SparkOnS3.CLUSTER, SparkOnS3.executors());

  @BeforeAll
  static void prepare() throws IOException {
    String directory = s3.directory().toString();
    UDF1<Long, Long> killed = value -> killed(value, Path.of(directory));
    s3.spark().udf().register("killed", killed, DataTypes.LongType);
  }

  @BeforeEach
  void reset() throws IOException {
    for (String mark : List.of(KILLED, UPLOADING)) {
      Files.deleteIfExists(s3.directory().resolve(mark));
    }
  }

  /**
   * Kills the executor in which the second task is tried first, after four of its files, which are
   * sent beside the task.
   */
  private static long killed(long value, Path directory) throws Exception {
    if (value == 150 && TaskContext.get().attemptNumber() == 0) {
      long start = System.nanoTime();
      while (!Files.exists(directory.resolve(UPLOADING))
          && System.nanoTime() - start < PATIENCE.toNanos()) {
        TimeUnit.MILLISECONDS.sleep(10);
      }
      Files.createFile(directory.resolve(KILLED));
      Runtime.getRuntime().halt(137);
    }
    return value;
  }

  /** Lets the executor be killed once uploads to four files of the second task have begun. */
  private static void awaitUploads() {
    AtomicInteger sent = new AtomicInteger();
    s3.gateway()
        .faults(
            request -> {
              if (request.type() == UPLOAD_PART
                  && request.key().contains("/part-00001-")
                  && sent.incrementAndGet() == KILLED_FILES) {
                mark(UPLOADING);
              }
              return Optional.empty();
            });
  }

  private static void mark(String name) {
    try {
      Files.createFile(s3.directory().resolve(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** It lists the uploads below the destination: names of files carry the job's id. */
  @Test
  void theCommitProtocolAbortsTheUploadsOfAKilledExecutor() {
    awaitUploads();

    // Several files a task, so that some are written when it is stopped.
    s3.spark()
        .range(0, ROWS, 1, TASKS)
        .select(callUDF("killed", col("id")).as("id"))
        .write()
        .option("maxRecordsPerFile", 10)
        .parquet(s3.s3a("halted"));

    assertThat(s3.directory().resolve(UPLOADING)).exists();
    assertThat(s3.directory().resolve(KILLED)).exists();
    s3.assertCommittedByUs("halted");
    assertThat(s3.dataFiles("halted/")).hasSize(ROWS / 10);
    assertThat(Numbers.ids(s3.spark().read().parquet(s3.s3a("halted"))))
        .isEqualTo(Numbers.range(0, ROWS));
    assertThat(s3.requests().of(LIST_MULTIPART_UPLOADS)).isPositive();
    assertThat(s3.requests().of(ABORT_MULTIPART_UPLOAD)).isGreaterThanOrEqualTo(KILLED_FILES);
  }
}
