package io.zerorename.testing.spark;

import static io.zerorename.testing.s3server.RequestType.ABORT_MULTIPART_UPLOAD;
import static io.zerorename.testing.s3server.RequestType.LIST_MULTIPART_UPLOADS;
import static io.zerorename.testing.s3server.RequestType.UPLOAD_PART;
import static io.zerorename.testing.spark.SparkOnS3.COMMIT_PROTOCOL;
import static org.apache.spark.sql.functions.callUDF;
import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.PairFunction;
import org.apache.spark.sql.DataFrameWriter;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import scala.Tuple2;

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

  private static final String WORK_DIR = "zerorename.work.dir";

  private static SparkOnS3 s3;
  private static String workDir;

  @BeforeAll
  static void start() throws IOException {
    Map<String, String> settings = new TreeMap<>(SparkOnS3.executors());
    settings.put(
        "spark.sql.parquet.output.committer.class", "io.zerorename.magic.job.MagicCommitter");
    s3 = SparkOnS3.start(SparkOnS3.CLUSTER, settings);
    String directory = s3.directory().toString();
    UDF1<Long, Long> killed = value -> killed(value, Path.of(directory));
    s3.spark().udf().register("killed", killed, DataTypes.LongType);
    workDir = s3.context().hadoopConfiguration().get(WORK_DIR);
  }

  @AfterAll
  static void stop() throws IOException {
    s3.close();
  }

  @BeforeEach
  void reset() throws IOException {
    s3.reset();
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

  private static Dataset<Row> rows() {
    return s3.spark().range(0, ROWS, 1, TASKS).toDF("id");
  }

  /** Several files a task, so that some are written when it is stopped. */
  private static DataFrameWriter<Row> writer(Dataset<Row> rows) {
    return rows.write().option("maxRecordsPerFile", 10);
  }

  private static void assertCommitted(String key) {
    assertCommitted(key, 0);
  }

  /**
   * @param others files without rows that were there before
   */
  private static void assertCommitted(String key, int others) {
    assertThat(s3.success(key)).contains("\"committer\" : \"zerorename\"");
    assertThat(s3.dataFiles(key + "/")).hasSize(others + ROWS / 10);
    assertThat(
            s3.spark().read().parquet(s3.s3a(key)).collectAsList().stream()
                .map(row -> row.getLong(0))
                .sorted()
                .toList())
        .isEqualTo(LongStream.range(0, ROWS).boxed().toList());
    assertThat(s3.requests().copies()).isZero();
  }

  @Tag("thorough")
  @Tag(SparkOnS3.MAPREDUCE_COMMITTERS)
  @Test
  void tasksInOtherProcessesCommitToTheirDriversJob() {
    CommitWatch watch = new CommitWatch(s3.bucket(), "sql/");
    s3.gateway().faults(watch);
    writer(rows()).parquet(s3.s3a("sql"));
    assertThat(watch.visible()).isEmpty();
    assertThat(watch.pending()).isPositive();
    assertThat(s3.requests().of(LIST_MULTIPART_UPLOADS)).as("of uploads of tasks").isOne();
    assertCommitted("sql");

    PairFunction<Long, NullWritable, Text> text =
        id -> new Tuple2<>(NullWritable.get(), new Text("row " + id));
    s3.context()
        .parallelize(LongStream.range(0, ROWS).boxed().toList(), TASKS)
        .mapToPair(text)
        .saveAsNewAPIHadoopFile(
            s3.s3a("rdd"), NullWritable.class, Text.class, TextOutputFormat.class);
    assertThat(s3.lines("rdd/"))
        .isEqualTo(LongStream.range(0, ROWS).mapToObj(id -> "row " + id).sorted().toList());
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
  }

  /** Where the destination has a file, so that names of new ones carry the job's id. */
  @Tag("thorough")
  @Tag(SparkOnS3.MAPREDUCE_COMMITTERS)
  @Test
  void theUploadsOfAKilledExecutorAreAbortedAndItsTaskIsRunAgain() {
    s3.spark().range(0).toDF("id").write().parquet(s3.s3a("killed"));
    int others = s3.dataFiles("killed/").size();
    assertThat(others).isPositive();
    awaitUploads();
    writer(rows().withColumn("id", callUDF("killed", col("id"))))
        .mode(SaveMode.Append)
        .parquet(s3.s3a("killed"));

    assertThat(s3.directory().resolve(UPLOADING)).exists();
    assertThat(s3.directory().resolve(KILLED)).exists();
    assertCommitted("killed", others);
    assertThat(s3.requests().of(ABORT_MULTIPART_UPLOAD)).isGreaterThanOrEqualTo(KILLED_FILES);
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
  }

  /** It lists the uploads below the destination: names of files carry the job's id. */
  @Test
  void theCommitProtocolAbortsTheUploadsOfAKilledExecutor() {
    s3.spark().conf().set(COMMIT_PROTOCOL, "io.zerorename.spark.ZeroRenameCommitProtocol");
    s3.context().hadoopConfiguration().unset(WORK_DIR);
    awaitUploads();
    try {
      writer(rows().withColumn("id", callUDF("killed", col("id")))).parquet(s3.s3a("halted"));
    } finally {
      s3.spark().conf().unset(COMMIT_PROTOCOL);
      s3.context().hadoopConfiguration().set(WORK_DIR, workDir);
    }

    assertThat(s3.directory().resolve(UPLOADING)).exists();
    assertThat(s3.directory().resolve(KILLED)).exists();
    assertCommitted("halted");
    assertThat(s3.requests().of(LIST_MULTIPART_UPLOADS)).isPositive();
    assertThat(s3.requests().of(ABORT_MULTIPART_UPLOAD)).isGreaterThanOrEqualTo(KILLED_FILES);
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
  }

  @Tag("thorough")
  @Tag(SparkOnS3.MAPREDUCE_COMMITTERS)
  @Test
  void recordsThatExecutorsCannotSeeAreRefused() {
    System.setProperty("zerorename.test.process", "driver");
    String work = s3.directory().toUri() + "${zerorename.test.process}";

    assertThatThrownBy(
            () -> rows().write().option("zerorename.work.dir", work).csv(s3.s3a("unseen")))
        .hasStackTraceContaining("There is no record")
        .hasStackTraceContaining("zerorename.work.dir is not the same directory");

    assertThat(s3.bucket().files("unseen")).isEmpty();
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
  }
}
