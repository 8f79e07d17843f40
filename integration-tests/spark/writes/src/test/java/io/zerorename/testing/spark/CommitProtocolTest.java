package io.zerorename.testing.spark;

import static io.zerorename.testing.s3server.RequestType.ABORT_MULTIPART_UPLOAD;
import static io.zerorename.testing.s3server.RequestType.CREATE_MULTIPART_UPLOAD;
import static io.zerorename.testing.s3server.RequestType.LIST_MULTIPART_UPLOADS;
import static io.zerorename.testing.spark.Numbers.TASKS;
import static io.zerorename.testing.spark.Numbers.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.spark.ZeroRenameCommitProtocol;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.JobRequests;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.mapreduce.Job;
import org.apache.spark.internal.io.FileCommitProtocol;
import org.apache.spark.internal.io.FileCommitProtocol.TaskCommitMessage;
import org.apache.spark.sql.DataFrameWriter;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import scala.collection.JavaConverters;

/** Spark SQL with our commit protocol, without a directory of records on a cluster file system. */
// Scala 2.13 has other converters, which 2.12 has not.
@SuppressWarnings("deprecation")
final class CommitProtocolTest {
  /** By a task that fails and begins a new file after each ten rows. */
  private static final int UPLOADED_AT_FAILURE = 5;

  @RegisterExtension
  static final SparkOnS3 s3 =
      SparkOnS3.withCommitProtocol(
          SparkOnS3.LOCAL,
          Map.of(
              "spark.serializer",
              "org.apache.spark.serializer.KryoSerializer",
              "spark.driver.maxResultSize",
              "4m"));

  private static DataFrameWriter<Row> writer(String format, Dataset<Row> rows) {
    return rows.write().format(format);
  }

  @Test
  void filesAppearAtTheCommitOfTheJobUnderTheNamesThatSparkGivesThem() {
    CommitWatch watch =
        s3.watched("out/", () -> writer("csv", s3.numbers().rows(0, 300)).save(s3.s3a("out")));

    assertThat(watch.visible()).isEmpty();
    assertThat(watch.pending()).isEqualTo(TASKS);
    String id = s3.success("out").replaceAll("(?s).*\"jobId\" : \"([^\"]+)\".*", "$1");
    assertThat(s3.dataFiles("out/"))
        .containsExactly(
            "out/part-00000-" + id + "-c000.csv",
            "out/part-00001-" + id + "-c000.csv",
            "out/part-00002-" + id + "-c000.csv");
    s3.assertCommittedByUs("out");
    assertThat(s3.numbers().read("csv", s3.s3a("out"))).isEqualTo(range(0, 300));
  }

  @Test
  void globsFindNoFileOfTheLogHoweverDeepTheyGo() {
    writer("parquet", s3.numbers().rows(0, 30).select("id")).save(s3.s3a("dir/sub"));
    writer("parquet", s3.numbers().rows(30, 60)).partitionBy("p").save(s3.s3a("dir/parts"));
    assertThat(s3.bucket().files("dir/_zerorename/checks/")).isNotEmpty();
    assertThat(s3.bucket().files("dir/_zerorename/sub-")).isNotEmpty();

    assertThat(idsAt("dir/*/*")).isEqualTo(range(0, 60));
    assertThat(idsAt("dir/*/*/*")).isEqualTo(range(30, 60));
    assertThat(idsAt("dir/_zerorename/*/*")).isEmpty();
  }

  private static List<Long> idsAt(String glob) {
    return Numbers.ids(s3.spark().read().schema("id BIGINT").parquet(s3.s3a(glob)));
  }

  @Test
  void aFileTakesThreeRequestsAndATaskNone() {
    // The first write of all checks what the store can do.
    writer("parquet", s3.numbers().rows(0, 300)).save(s3.s3a("few"));
    for (int files : List.of(TASKS, 4 * TASKS)) {
      s3.countFromHere();
      writer("parquet", s3.numbers().rows(0, 300).repartition(files))
          .mode(SaveMode.Append)
          .save(s3.s3a("few"));
      assertThat(s3.requests().byType()).isEqualTo(JobRequests.SPARK.andFiles(files));
    }
  }

  /** As a killed executor does, the tasks that fail leave their uploads, which the commit lists. */
  @Test
  void theCommitAbortsTheUploadsOfTasksThatWereRunAgain() {
    AtomicBoolean decided = new AtomicBoolean();
    s3.gateway()
        .faults(
            request -> {
              decided.compareAndSet(false, SparkOnS3.DECISION.test(request));
              return request.type() == ABORT_MULTIPART_UPLOAD && !decided.get()
                  ? Optional.of(Fault.accessDenied())
                  : Optional.empty();
            });

    writer("parquet", s3.numbers().failingTwice())
        .option("maxRecordsPerFile", 10)
        .save(s3.s3a("retried"));

    s3.assertCommittedByUs("retried");
    assertThat(s3.dataFiles("retried/")).hasSize(30);
    assertThat(s3.requests().of(CREATE_MULTIPART_UPLOAD)).isEqualTo(30 + 2 * UPLOADED_AT_FAILURE);
    assertThat(s3.requests().of(LIST_MULTIPART_UPLOADS)).isPositive();
    assertThat(s3.numbers().read("parquet", s3.s3a("retried"))).isEqualTo(range(0, 300));
  }

  /** Spark aborts a job whose statistics fail after its commit. */
  @Test
  void anAbortAfterTheCommitChangesNothing() throws IOException {
    String id = UUID.randomUUID().toString();
    FileCommitProtocol protocol = new ZeroRenameCommitProtocol(id, s3.s3a("done"), false);
    Job job = Job.getInstance(s3.context().hadoopConfiguration());
    protocol.setupJob(job);
    protocol.commitJob(job, JavaConverters.asScalaBuffer(List.<TaskCommitMessage>of()).toSeq());
    List<String> files = s3.bucket().files("done");
    assertThat(files).contains("done/_SUCCESS");

    protocol.abortJob(job);

    assertThat(s3.bucket().files("done")).isEqualTo(files);
  }

  /** The number of a batch, as from a streaming query. */
  @Test
  void anIdThatIsNoUuidIsRefused() throws IOException {
    FileCommitProtocol protocol = new ZeroRenameCommitProtocol("0", s3.s3a("stream"), false);
    Job job = Job.getInstance(s3.context().hadoopConfiguration());
    assertThatThrownBy(() -> protocol.setupJob(job))
        .hasMessageContaining("spark.sql.streaming.commitProtocolClass");
  }
}
