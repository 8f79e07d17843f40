package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

/**
 * A partition has a format of its own, and rows are written in that of the table. Hive gives the
 * partition that of the table, so that it can read them.
 */
class ChangedFormatTest {
  private final HiveOnS3 s3 = HiveOnS3.shared();

  @ParameterizedTest
  @TieredCases(
      quick = 2,
      value = {
        "dynamic | p     | select 2, 'x' | false",
        "fixed   | p='x' | select 2      | true",
        "bare    | p='x' | select 2      | false",
      })
  void anOverwrittenPartitionIsReadInTheTablesFormat(
      String name, String partition, String rows, String statistics) throws Exception {
    TwinTables twins = textThatIsOrcNow(name);
    s3.hive().set("hive.stats.autogather", statistics);
    twins.insert("insert overwrite table %s partition (" + partition + ") " + rows);
    assertThat(twins.query("select * from %s")).containsExactly("2\tx");
  }

  /** There Hive 4.1.0 itself leaves the partition in the old format, and reads nonsense. */
  @Test
  void soIsOneThatTheRowsChooseWhereStatisticsAreWritten() throws Exception {
    TwinTables twins = textThatIsOrcNow("chosen");
    s3.withCommitter();
    s3.hive().execute("insert overwrite table " + twins.ours() + " partition (p) select 2, 'x'");
    assertThat(s3.hive().execute("select * from " + twins.ours())).containsExactly("2\tx");
    assertThat(s3.hive().execute("select count(*) from " + twins.ours())).containsExactly("1");
  }

  /** Old files stay, and their rows are not in the buckets of their values. */
  @Tag("thorough")
  @Test
  void aPartitionThatRowsChooseStaysAsItIsWhereItsOldFilesStay() throws Exception {
    TwinTables twins =
        TwinTables.create(s3, "format_buckets", "(a int) partitioned by (p string) stored as orc");
    twins
        .insert(
            "insert into %s partition (p='x') select pos from (select 1) x lateral view"
                + " posexplode(split(space(7), ' ')) y as pos, val")
        .prepare("alter table %s clustered by (a) into 4 buckets")
        .insert("insert into %s partition (p) select 100, 'x'");
    s3.hive().set("hive.tez.bucket.pruning", "true");
    s3.hive().set("hive.fetch.task.conversion", "none");
    assertThat(twins.query("select a from %s where a = 3")).containsExactly("3");
    assertThat(twins.query("select a from %s where a = 4")).containsExactly("4");
  }

  private TwinTables textThatIsOrcNow(String name) throws Exception {
    TwinTables twins =
        TwinTables.create(
            s3, "format_" + name, "(a int) partitioned by (p string) stored as textfile");
    return twins
        .insert("insert into %s partition (p='x') select 1")
        .prepare("alter table %s set fileformat orc");
  }
}
