package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/**
 * What is particular to Parquet: Hive counts its rows by reading the footer of the file that it has
 * just closed, and which the committer has not made visible yet. {@link InsertTest} has the rest.
 */
class ParquetInsertTest {
  private final HiveOnS3 s3 = HiveOnS3.shared();

  /** {@code count(*)} is answered from the statistics. */
  @Test
  void rowsOfFilesWhoseFooterIsLargerThanTheKeptTailAreCountedAllTheSame() throws Exception {
    s3.create("parquet_footer", "(a int, b string) stored as parquet");
    s3.hive().execute("insert into parquet_footer values (1, 'old')");
    s3.withCommitter();
    s3.hive().set("zerorename.upload.tail.size", "100");

    s3.hive()
        .execute(
            "insert overwrite table parquet_footer select pos, 'the same text in each row' from"
                + " (select posexplode(split(space(99), ' ')) as (pos, word)) numbers");

    assertThat(s3.hive().console()).contains("zero-rename: committed INSERT OVERWRITE");
    assertThat(TableState.of(s3.hive(), "parquet_footer").places().get(""))
        .containsEntry("numRows", "100");
    assertThat(s3.hive().execute("select count(*) from parquet_footer")).containsExactly("100");
  }
}
