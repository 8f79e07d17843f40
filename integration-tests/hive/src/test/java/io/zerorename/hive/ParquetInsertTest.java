package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.testing.s3server.RequestCounts;
import io.zerorename.testing.s3server.RequestType;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What is particular to Parquet: Hive counts its rows by reading the footer of the file that it has
 * just closed, and which the committer has not made visible yet. {@link InsertTest} has the rest.
 */
class ParquetInsertTest {
  private static final int MANY = 100;

  private final HiveOnS3 s3 = HiveOnS3.shared();

  @BeforeEach
  void rowsToInsert() throws Exception {
    s3.reset();
    s3.withoutCommitter();
    s3.hive().set("hive.execution.engine", "tez");
    if (s3.hive().execute("show tables like 'parquet_source'").isEmpty()) {
      s3.hive()
          .execute(
              "create table parquet_source (a int, b string) tblproperties"
                  + " ('transactional'='false')");
      s3.hive()
          .execute(
              "insert into parquet_source values "
                  + IntStream.range(0, MANY)
                      .mapToObj(row -> "(" + row + ", 'the same text in each row')")
                      .collect(Collectors.joining(", ")));
    }
  }

  @Tag("thorough")
  @Test
  void compressedFilesAreThoseOfHivesOwnPath() throws Exception {
    String properties = " tblproperties ('parquet.compression'='ZSTD')";
    String insert = " select a, repeat(b, 100) from parquet_source";
    String stock = "parquet_stock_zstd";
    String ours = "parquet_ours_zstd";
    s3.hive().execute(create(stock, "a int, b string", "") + properties);
    s3.hive().execute(create(ours, "a int, b string", "") + properties);
    s3.hive().execute("insert overwrite table " + stock + insert);
    s3.withCommitter();

    RequestCounts counts = counted("insert overwrite table " + ours + insert);

    assertThat(s3.hive().console()).contains("zero-rename: committed INSERT OVERWRITE");
    assertThat(counts.copies()).isZero();
    TableState state = TableState.of(s3.hive(), ours);
    assertThat(state).isEqualTo(TableState.of(s3.hive(), stock));
    assertThat(state.places().get("")).containsEntry("numRows", Integer.toString(MANY));
  }

  @Tag("thorough")
  @Test
  void overwriteByNoRowsEndsAsOnHivesOwnPath() throws Exception {
    insertOfNoRowsEndsAsOnHivesOwnPath(true);
  }

  @Tag("thorough")
  @Test
  void appendOfNoRowsEndsAsOnHivesOwnPath() throws Exception {
    insertOfNoRowsEndsAsOnHivesOwnPath(false);
  }

  private void insertOfNoRowsEndsAsOnHivesOwnPath(boolean overwrite) throws Exception {
    String insert = overwrite ? "insert overwrite table " : "insert into ";
    // S3Proxy gives directories no ETag, without which S3A does not rename them.
    s3.hive().set("hive.use.scratchdir.for.staging", "true");
    List<TableState> stock = insertNoRows("stock_" + overwrite, insert);
    s3.hive().set("hive.use.scratchdir.for.staging", "false");
    s3.withCommitter();
    List<TableState> ours = insertNoRows("ours_" + overwrite, insert);

    assertThat(ours).isEqualTo(stock);
  }

  /** Into a table, a partition with rows, a new partition, and no partition at all. */
  private List<TableState> insertNoRows(String subject, String insert) throws Exception {
    String plain = "parquet_none_plain_" + subject;
    String parts = "parquet_none_parts_" + subject;
    s3.hive().execute(create(plain, "a int, b string", ""));
    s3.hive().execute(create(parts, "a int, b string", "partitioned by (p int)"));
    s3.hive().execute("insert into " + plain + " values (1, 'old')");
    s3.hive().execute("insert into " + parts + " partition (p=1) values (1, 'old')");
    String none = " select a, b from parquet_source where a < 0";
    for (String statement :
        List.of(
            insert + plain + none,
            insert + parts + " partition (p=1)" + none,
            insert + parts + " partition (p=2)" + none,
            insert + parts + " partition (p)" + none.replace("a, b", "a, b, a"))) {
      s3.hive().execute(statement);
      assertThat(s3.hive().console().contains("zero-rename: committed INSERT"))
          .as(statement)
          .isEqualTo(subject.startsWith("ours"));
    }
    return List.of(TableState.of(s3.hive(), plain), TableState.of(s3.hive(), parts));
  }

  /** Where they are uploaded, they are closed together. */
  @Tag("thorough")
  @Test
  void manyWritersAreOpenAtOnce() throws Exception {
    s3.hive().set("hive.optimize.sort.dynamic.partition.threshold", "-1");
    s3.hive().set("hive.exec.max.dynamic.partitions.pernode", Integer.toString(MANY));
    s3.hive().set("hive.exec.max.dynamic.partitions", Integer.toString(MANY));
    String insert = " partition (p) select a, b, a from parquet_source";
    s3.hive().execute(create("parquet_many_stock", "a int, b string", "partitioned by (p int)"));
    s3.hive().execute(create("parquet_many_ours", "a int, b string", "partitioned by (p int)"));
    // Its result is the same, with half as many requests.
    s3.hive().set("hive.use.scratchdir.for.staging", "true");
    s3.hive().execute("insert overwrite table parquet_many_stock" + insert);
    s3.hive().set("hive.use.scratchdir.for.staging", "false");
    s3.withCommitter();

    for (String inlined : List.of("0", "512K")) {
      s3.hive().set(CoreKeys.INLINE_MAX_BYTES.name(), inlined);
      RequestCounts counts = counted("insert overwrite table parquet_many_ours" + insert);

      assertThat(s3.hive().console()).contains("zero-rename: committed INSERT OVERWRITE");
      assertThat(counts.copies()).isZero();
      assertThat(counts.of(RequestType.UPLOAD_PART)).isEqualTo(inlined.equals("0") ? MANY : 0);
      assertThat(TableState.of(s3.hive(), "parquet_many_ours"))
          .isEqualTo(TableState.of(s3.hive(), "parquet_many_stock"));
      assertThat(s3.bucket().pendingUploads("")).isEmpty();
    }
  }

  /** {@code count(*)} is answered from the statistics. */
  @Test
  void rowsOfFilesWhoseFooterIsLargerThanTheKeptTailAreCountedAllTheSame() throws Exception {
    s3.hive().execute(create("parquet_footer", "a int, b string", ""));
    s3.hive().execute("insert into parquet_footer values (1, 'old')");
    s3.withCommitter();
    s3.hive().set("zerorename.upload.tail.size", "100");

    s3.hive().execute("insert overwrite table parquet_footer select a, b from parquet_source");

    assertThat(s3.hive().console()).contains("zero-rename: committed INSERT OVERWRITE");
    assertThat(TableState.of(s3.hive(), "parquet_footer").places().get(""))
        .containsEntry("numRows", Integer.toString(MANY));
    assertThat(s3.hive().execute("select count(*) from parquet_footer"))
        .containsExactly(Integer.toString(MANY));
  }

  private RequestCounts counted(String statement) throws Exception {
    RequestCounts before = s3.counts();
    s3.hive().execute(statement);
    return s3.counts().minus(before);
  }

  private static String create(String table, String columns, String partitionedBy) {
    return "create external table "
        + table
        + " ("
        + columns
        + ") "
        + partitionedBy
        + " stored as parquet location 's3a://"
        + HiveOnS3.BUCKET
        + "/"
        + table
        + "'";
  }
}
