package io.zerorename.sparkjvm;

import java.util.List;
import java.util.Map;

/**
 * What a user of Spark can set to have what it writes committed to S3.
 *
 * @param settings of a session
 * @param overwritesDynamically whether it replaces partitions in a dynamic overwrite; the others
 *     refuse, or append
 * @param requestsPerFile roughly, for the estimate
 */
public record SparkSubject(
    String title,
    Map<String, String> settings,
    boolean overwritesDynamically,
    double requestsPerFile) {
  private static final String PROTOCOL = "spark.sql.sources.commitProtocolClass";

  public static final SparkSubject STOCK_1 = fileOutput("1", 29);
  public static final SparkSubject STOCK_2 = fileOutput("2", 23);
  public static final SparkSubject ZERO_RENAME =
      new SparkSubject(
          "zero-rename", Map.of(PROTOCOL, "io.zerorename.spark.ZeroRenameCommitProtocol"), true, 3);

  public static final List<SparkSubject> ALL =
      List.of(
          STOCK_1,
          STOCK_2,
          ofCloud("directory", "directory"),
          ofCloud("magic-memory", "magic"),
          ZERO_RENAME);

  private static SparkSubject fileOutput(String algorithm, double requests) {
    return new SparkSubject(
        "stock-v" + algorithm,
        Map.of("mapreduce.fileoutputcommitter.algorithm.version", algorithm),
        true,
        requests);
  }

  private static SparkSubject ofCloud(String title, String committer) {
    return new SparkSubject(
        title,
        Map.of(
            PROTOCOL,
            "org.apache.spark.internal.io.cloud.PathOutputCommitProtocol",
            "spark.sql.parquet.output.committer.class",
            "org.apache.spark.internal.io.cloud.BindingParquetOutputCommitter",
            "fs.s3a.committer.name",
            committer,
            "fs.s3a.committer.staging.conflict-mode",
            "append"),
        false,
        3);
  }

  /** Whether a write has the result that the mode asks for. */
  public boolean isRightIn(String mode) {
    return overwritesDynamically || !mode.equals("dynamic");
  }
}
