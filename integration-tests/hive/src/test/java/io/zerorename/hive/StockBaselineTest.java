package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.s3server.RequestCounts;
import io.zerorename.testing.s3server.RequestType;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What Hive's own two paths cost without the committer. All comparisons rest on these numbers, so a
 * change of Hive, of S3A or of the way of counting must show here first.
 */
@Tag("thorough")
class StockBaselineTest {
  private static final int PARTITIONS = 10;
  private static final String SCRATCH_STAGING = "hive.use.scratchdir.for.staging";

  private HiveOnS3 s3;

  @BeforeEach
  void stockHiveOnTez() {
    s3 = HiveOnS3.shared();
    s3.withoutCommitter();
    s3.hive().set("hive.execution.engine", "tez");
    s3.hive().set(SCRATCH_STAGING, "false");
  }

  @Test
  void stockCopiesEachFileFourTimesInADynamicOverwrite() throws Exception {
    create("base_overwrite", "partitioned by (p int)");
    insert("overwrite table base_overwrite partition (p)");
    RequestCounts counts = insert("overwrite table base_overwrite partition (p)");

    print("stock, OVERWRITE, " + PARTITIONS + " dynamic partitions, second run", counts);
    assertThat(counts.copies()).isEqualTo(4L * PARTITIONS);
    assertThat(counts.bytesCopied()).isPositive();
    assertThat(counts.total() / PARTITIONS).isBetween(50L, 75L);
    assertRows("base_overwrite", 1);
  }

  @Test
  void stockCopiesEachFileFourTimesInADynamicInto() throws Exception {
    create("base_into", "partitioned by (p int)");
    insert("into table base_into partition (p)");
    RequestCounts counts = insert("into table base_into partition (p)");

    print("stock, INTO, " + PARTITIONS + " dynamic partitions", counts);
    assertThat(counts.copies()).isEqualTo(4L * PARTITIONS);
    assertThat(counts.total() / PARTITIONS).isBetween(40L, 65L);
    assertRows("base_into", 2);
  }

  @Test
  void stockNeedsDozensOfRequestsForOneFile() throws Exception {
    create("base_plain", "");
    s3.hive().execute("insert overwrite table base_plain values (1, 'a')");
    RequestCounts before = counts();
    s3.hive().execute("insert overwrite table base_plain values (2, 'b')");
    RequestCounts counts = counts().minus(before);

    print("stock, OVERWRITE, unpartitioned", counts);
    assertThat(counts.copies()).isEqualTo(4);
    assertThat(counts.total()).isBetween(60L, 95L);
    assertThat(s3.hive().execute("select * from base_plain")).containsExactly("2\tb");
  }

  @Test
  void stagingOnTheScratchDirectorySavesTheCopies() throws Exception {
    s3.hive().set(SCRATCH_STAGING, "true");
    create("base_scratch", "partitioned by (p int)");
    insert("overwrite table base_scratch partition (p)");
    RequestCounts counts = insert("overwrite table base_scratch partition (p)");

    print("stock-scratch, OVERWRITE, " + PARTITIONS + " dynamic partitions, second run", counts);
    assertThat(counts.copies()).isZero();
    assertThat(counts.of(RequestType.PUT_OBJECT)).isGreaterThanOrEqualTo(PARTITIONS);
    assertThat(counts.total() / PARTITIONS).isBetween(15L, 35L);
    assertRows("base_scratch", 1);
  }

  private void create(String table, String partitionedBy) throws Exception {
    s3.hive()
        .execute(
            "create external table "
                + table
                + " (a int, b string) "
                + partitionedBy
                + " stored as orc location 's3a://"
                + HiveOnS3.BUCKET
                + "/"
                + table
                + "'");
  }

  private RequestCounts insert(String what) throws Exception {
    String rows =
        IntStream.range(0, PARTITIONS)
            .mapToObj(number -> "(" + number + ", 'row', " + number + ")")
            .collect(Collectors.joining(", "));
    RequestCounts before = counts();
    s3.hive().execute("insert " + what + " values " + rows);
    return counts().minus(before);
  }

  private void assertRows(String table, int times) throws Exception {
    List<String> expected =
        IntStream.range(0, PARTITIONS)
            .boxed()
            .flatMap(number -> IntStream.range(0, times).mapToObj(copy -> number))
            .map(number -> number + "\trow\t" + number)
            .toList();
    assertThat(s3.hive().execute("select * from " + table))
        .containsExactlyInAnyOrderElementsOf(expected);
    assertThat(s3.bucket().pendingUploads(table + "/")).isEmpty();
  }

  private RequestCounts counts() {
    return s3.server().gateway().counts();
  }

  private static void print(String title, RequestCounts counts) {
    System.out.println(title + ": " + counts);
  }
}
