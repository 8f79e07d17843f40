package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.testing.hive.StatementFailedException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

/** An INSERT OVERWRITE of what holds the records of commits fails: Hive would delete them too. */
class OverwrittenRecordsTest {
  private static final String TABLE = "records_among_files";
  private static final String PARTITION = "s3a://warehouse/of_" + TABLE + "/one";
  private static final String OUR_STEP = "Zero-Rename Commit";
  private static final String RECORDS = PARTITION + "/records";

  private final HiveOnS3 s3 = HiveOnS3.shared().withCommitter();

  @BeforeEach
  void createTable() throws Exception {
    s3.hive().set("hive.merge.mapfiles", "false");
    s3.hive().execute("drop table if exists " + TABLE);
    s3.create(TABLE, "(a int) partitioned by (p int, q int) stored as orc");
    s3.addPartition(TABLE, "p=1, q=1", PARTITION);
  }

  @Test
  void recordsInAPartitionOutliveItsOverwrite() throws Exception {
    s3.hive().set("zerorename.commit.dir", RECORDS);
    Path record = new Path(RECORDS, "some_table-1/log/_999999999998");
    FileSystem files = record.getFileSystem(s3.hive().conf());
    files.create(record).close();

    assertThatThrownBy(
            () ->
                s3.hive()
                    .execute(
                        "insert overwrite table " + TABLE + " partition (p=1, q=1) values (1)"))
        .isInstanceOf(StatementFailedException.class)
        .hasStackTraceContaining(
            "default."
                + TABLE
                + " was not written: COMMIT_RECORDS, zerorename.commit.dir lies among")
        .hasStackTraceContaining(
            "zerorename.commit.dir is " + RECORDS + ", and files in " + PARTITION + " are replaced")
        .hasStackTraceContaining("Set it to a directory where no job writes.");

    assertThat(files.exists(record)).isTrue();
    assertThat(s3.hive().console()).contains(TABLE + " is not written: COMMIT_RECORDS, ");
  }

  @ParameterizedTest
  @TieredCases(
      quick = 2,
      value = {
        "table %t partition (p, q) values (1, 1, 1)",
        "directory 's3a://warehouse/of_%t' select 1",
        "table %t partition (p=1, q) values (1, 1)",
        "directory 's3a://warehouse/of_%t/one' select 1",
        "directory 's3a://warehouse/of_%t/one/records' select 1"
      })
  void soDoThoseInWhatRowsMayChooseOrADirectoryHolds(String target) {
    s3.hive().set("zerorename.commit.dir", RECORDS);
    assertRefused("insert overwrite " + target);
  }

  @Test
  void whatElseKeepsHivesOwnPathDoesNotHideIt() {
    s3.hive().set("hive.execution.mode", "llap");
    s3.hive().set("zerorename.commit.threads", "abc");
    s3.hive().set("fs.trash.interval", "60");
    s3.hive().set("zerorename.bucket.some-bucket.commit.dir", RECORDS);
    assertRefused("insert overwrite table %t partition (p=1, q=1) values (1)");
    assertRefused("insert overwrite table %t partition (p, q) values (1, 1, 1)");
    s3.hive()
        .set(
            "zerorename.bucket.some-bucket.commit.dir",
            "s3a://warehouse/" + TABLE + "/p=1/q=2/records");
    assertRefused("insert overwrite table %t partition (p=1, q=2) values (1)");
    assertRefused("insert overwrite table %t partition (p, q) values (1, 1, 1)");
  }

  private void assertRefused(String statement) {
    assertThatThrownBy(() -> s3.hive().compile(statement.replace("%t", TABLE)))
        .as(statement)
        .hasStackTraceContaining(" was not written: COMMIT_RECORDS, ");
  }

  @ParameterizedTest
  @TieredCases(
      quick = 2,
      value = {
        "insert into %t partition (p=1, q=1) values (1)",
        "insert overwrite directory 's3a://warehouse/of_%t/on' select 1",
        "insert overwrite table %t partition (p=2, q=1) values (1)",
        "insert overwrite table %t partition (p=2, q) values (1, 1)"
      })
  void whatDeletesNoRecordsIsCommitted(String statement) throws Exception {
    s3.hive().set("zerorename.commit.dir", RECORDS);
    assertThat(s3.hive().compile(statement.replace("%t", TABLE))).contains(OUR_STEP);
    assertThat(s3.hive().console()).doesNotContain("zero-rename");
  }

  /** It writes nothing, and tells what the statement would be told. */
  @Test
  void explainIsNotRefused() throws Exception {
    s3.hive().set("zerorename.commit.dir", RECORDS);
    String statement =
        "explain insert overwrite table " + TABLE + " partition (p=1, q=1) values (1)";
    assertThat(s3.hive().compile(statement)).doesNotContain(OUR_STEP);
    assertThat(s3.hive().console())
        .containsPattern(
            "zero-rename: ZR-50\\d\\d: default." + TABLE + " is not written: COMMIT_RECORDS, ");
  }
}
