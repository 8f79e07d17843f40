package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.s3server.BucketContents;
import io.zerorename.testing.s3server.RequestCounts;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Two tables of one definition: one is written on Hive's own path, the other through the committer,
 * and a user must see no difference between them.
 */
final class TwinTables {
  private final HiveOnS3 s3;
  private final String stock;
  private final String ours;
  private String console = "";

  private TwinTables(HiveOnS3 s3, String name) {
    this.s3 = s3;
    this.stock = name + "_stock";
    // As long as the other: Avro writes the name into each file.
    this.ours = name + "_magic";
  }

  /**
   * @param definition of the table, without its name and its location
   */
  static TwinTables create(HiveOnS3 s3, String name, String definition) throws Exception {
    return create(s3, name, definition, "s3a://" + HiveOnS3.BUCKET + "/%s");
  }

  /**
   * @param location where {@code %s} stands for the table's name
   */
  static TwinTables create(HiveOnS3 s3, String name, String definition, String location)
      throws Exception {
    TwinTables twins = new TwinTables(s3, name);
    for (String table : List.of(twins.stock, twins.ours)) {
      s3.hive()
          .execute(
              "create external table %s %s location '%s'"
                  .formatted(table, definition, location.formatted(table)));
    }
    return twins;
  }

  /** The name of the table that the committer writes. */
  String ours() {
    return ours;
  }

  /** The name of the table that Hive's own path writes. */
  String stock() {
    return stock;
  }

  /**
   * Runs a statement, where {@code %s} stands for the table, without a look at what it has done.
   */
  TwinTables prepare(String statement) throws Exception {
    s3.withoutCommitter();
    s3.hive().execute(statement.replace("%s", stock));
    s3.hive().execute(statement.replace("%s", ours));
    return this;
  }

  /**
   * Runs an INSERT into both, which the committer must take over.
   *
   * @param statement with {@code %s} for the table
   */
  TwinTables insert(String statement) throws Exception {
    s3.withoutCommitter();
    // S3Proxy gives directories no ETag, without which S3A does not rename those of no rows.
    s3.hive().set("hive.use.scratchdir.for.staging", "true");
    s3.hive().execute(statement.replace("%s", stock));
    s3.hive().set("hive.use.scratchdir.for.staging", "false");
    s3.withCommitter();
    RequestCounts before = s3.counts();
    s3.hive().execute(statement.replace("%s", ours));
    RequestCounts counts = s3.counts().minus(before);

    console = s3.hive().console();
    assertThat(console).as(statement).contains("zero-rename: committed INSERT");
    assertThat(counts.copies()).as(statement).isZero();
    assertThat(TableState.of(s3.hive(), ours))
        .as(statement)
        .isEqualTo(TableState.of(s3.hive(), stock));
    for (BucketContents bucket : List.of(s3.bucket(), s3.otherBucket())) {
      assertThat(extensions(bucket, ours)).as(statement).isEqualTo(extensions(bucket, stock));
      assertThat(bucket.pendingUploads("")).isEmpty();
    }
    return this;
  }

  /** The console's lines of the last INSERT that the committer took over. */
  List<String> console() {
    return console.lines().toList();
  }

  /** Runs a query on both, which must have the same answer. */
  List<String> query(String statement) throws Exception {
    s3.withCommitter();
    List<String> expected =
        s3.hive().execute(statement.replace("%s", stock)).stream().sorted().toList();
    List<String> rows = s3.hive().execute(statement.replace("%s", ours)).stream().sorted().toList();
    assertThat(rows).as(statement).isEqualTo(expected);
    return rows;
  }

  /** How many files of each directory have which extension, the job's UUID left out. */
  private static Map<String, Long> extensions(BucketContents bucket, String table) {
    return bucket.files(table + "/").stream()
        .collect(
            Collectors.groupingBy(
                key ->
                    key.substring(table.length())
                        .replaceFirst("\\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "")
                        .replaceFirst("_copy_[0-9]+", ""),
                TreeMap::new,
                Collectors.counting()));
  }
}
