package io.zerorename.testing.spark;

import static io.zerorename.testing.s3server.RequestType.LIST_MULTIPART_UPLOADS;
import static io.zerorename.testing.spark.Numbers.TASKS;
import static io.zerorename.testing.spark.Numbers.even;
import static io.zerorename.testing.spark.Numbers.ids;
import static io.zerorename.testing.spark.Numbers.join;
import static io.zerorename.testing.spark.Numbers.odd;
import static io.zerorename.testing.spark.Numbers.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.apache.spark.sql.DataFrameWriter;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Spark SQL's FileFormatWriter with SQLHadoopMapReduceCommitProtocol, its default. */
@Tag(SparkOnS3.MAPREDUCE_COMMITTERS)
final class SqlWritesTest {
  /** What a user sets besides the factory to write Parquet without renames. */
  private static final String PARQUET_COMMITTER = "spark.sql.parquet.output.committer.class";

  private static final String OURS = "io.zerorename.magic.job.MagicCommitter";
  private static final String BINDING =
      "org.apache.spark.internal.io.cloud.BindingParquetOutputCommitter";

  @RegisterExtension
  static final SparkOnS3 s3 = SparkOnS3.withCommitters(SparkOnS3.LOCAL, Map.of());

  private static DataFrameWriter<Row> writer(String format, String committer, Dataset<Row> rows) {
    return rows.write().format(format).option(PARQUET_COMMITTER, committer);
  }

  @ParameterizedTest
  @CsvSource({"csv, " + OURS, "parquet, " + OURS, "parquet, " + BINDING})
  void everyFormatAppearsAtTheJobsCommitAndNothingIsCopied(String format, String committer) {
    CommitWatch watch = new CommitWatch(s3.bucket(), "out/");
    s3.gateway().faults(watch);

    writer(format, committer, s3.numbers().rows(0, 300)).save(s3.s3a("out"));

    assertThat(watch.visible()).isEmpty();
    assertThat(watch.pending()).isEqualTo(TASKS);
    assertThat(s3.dataFiles("out/")).hasSize(TASKS);
    s3.assertCommittedByUs("out");
    assertThat(s3.requests().of(LIST_MULTIPART_UPLOADS)).as("of uploads of tasks").isOne();
    assertThat(s3.numbers().read(format, s3.s3a("out"))).isEqualTo(range(0, 300));
  }

  @Test
  void dynamicPartitionOverwriteReplacesItsPartitionsAndSparkRenamesEachFileOnce() {
    writer("csv", OURS, s3.numbers().rows(0, 300)).partitionBy("p").save(s3.s3a("table"));
    List<String> untouched = s3.dataFiles("table/p=1/");
    s3.countFromHere();
    CommitWatch watch = new CommitWatch(s3.bucket(), "table/p=0/");
    s3.gateway().faults(watch);

    writer("csv", OURS, s3.numbers().rows(1_000, 1_100).where("p = '0'"))
        .partitionBy("p")
        .mode(SaveMode.Overwrite)
        .option("partitionOverwriteMode", "dynamic")
        .save(s3.s3a("table"));

    assertThat(watch.visible()).hasSize(TASKS);
    assertThat(s3.dataFiles("table/p=1/")).isEqualTo(untouched);
    assertThat(s3.dataFiles("table/")).hasSize(2 * TASKS);
    assertThat(s3.bucket().files("table/.spark-staging")).isEmpty();
    assertThat(s3.requests().copies()).isEqualTo(TASKS);
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
    assertThat(s3.numbers().read("csv", s3.s3a("table")))
        .isEqualTo(join(odd(range(0, 300)), even(range(1_000, 1_100))));
  }

  @Tag("thorough")
  @Test
  void ourCommitterSetForParquetRefusesOtherFileSystemsAndSparksBindingDoesNot() {
    String local = s3.directory().resolve("local-parquet").toUri().toString();
    assertThatThrownBy(() -> writer("parquet", OURS, s3.numbers().rows(0, 300)).save(local))
        .hasStackTraceContaining("it is not on S3A")
        .hasStackTraceContaining(BINDING);
    assertThat(s3.directory().resolve("local-parquet")).doesNotExist();

    writer("parquet", BINDING, s3.numbers().rows(0, 300)).save(local);

    assertThat(ids(s3.spark().read().parquet(local))).isEqualTo(range(0, 300));
  }
}
