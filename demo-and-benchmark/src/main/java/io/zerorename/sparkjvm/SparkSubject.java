package io.zerorename.sparkjvm;

import java.util.Map;

/** What a user of Spark can set to have what it writes committed to S3. */
public enum SparkSubject {
  STOCK_1("stock-v1", Map.of("mapreduce.fileoutputcommitter.algorithm.version", "1"), true),
  STOCK_2("stock-v2", Map.of("mapreduce.fileoutputcommitter.algorithm.version", "2"), true),
  DIRECTORY("directory", ofCloud("directory"), false),
  MAGIC("magic-memory", ofCloud("magic"), false),
  ZERO_RENAME(
      "zero-rename",
      Map.of(
          "spark.sql.sources.commitProtocolClass", "io.zerorename.spark.ZeroRenameCommitProtocol"),
      true);

  private final String title;

  @SuppressWarnings("ImmutableEnumChecker")
  // Made by Map.of.
  private final Map<String, String> settings;

  private final boolean overwritesDynamically;

  /**
   * @param overwritesDynamically whether it replaces partitions in a dynamic overwrite; the others
   *     refuse, or append
   */
  SparkSubject(String title, Map<String, String> settings, boolean overwritesDynamically) {
    this.title = title;
    this.settings = settings;
    this.overwritesDynamically = overwritesDynamically;
  }

  private static Map<String, String> ofCloud(String committer) {
    return Map.of(
        "spark.sql.sources.commitProtocolClass",
        "org.apache.spark.internal.io.cloud.PathOutputCommitProtocol",
        "spark.sql.parquet.output.committer.class",
        "org.apache.spark.internal.io.cloud.BindingParquetOutputCommitter",
        "fs.s3a.committer.name",
        committer,
        "fs.s3a.committer.staging.conflict-mode",
        "append");
  }

  public String title() {
    return title;
  }

  /** Of a session. */
  public Map<String, String> settings() {
    return settings;
  }

  /** Whether a write has the result that the mode asks for. */
  public boolean isRightIn(String mode) {
    return overwritesDynamically || !mode.equals("dynamic");
  }

  /** Requests one after the other per file, roughly, for the estimate. */
  public double requestsInARow() {
    return switch (this) {
      case STOCK_1 -> 28;
      case STOCK_2 -> 22;
      case DIRECTORY, MAGIC -> 2;
      case ZERO_RENAME -> 0;
    };
  }
}
