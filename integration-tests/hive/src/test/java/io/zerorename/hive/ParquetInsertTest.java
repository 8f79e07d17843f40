package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
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

  /** {@code count(*)} is answered from the statistics. */
  @Test
  void rowsOfFilesWhoseFooterIsLargerThanTheKeptTailAreCountedAllTheSame() throws Exception {
    s3.create("parquet_footer", "(a int, b string) stored as parquet");
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
}
