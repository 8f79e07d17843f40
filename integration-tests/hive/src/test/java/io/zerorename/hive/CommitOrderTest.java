package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.hive.config.HiveKeys;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A commit that was interrupted, and what others have made of its table before it is resumed: its
 * rows never stand beside rows that have come after them in its place.
 */
class CommitOrderTest {
  /** Times of objects are told to the second. */
  private static final Duration TICK = Duration.ofMillis(1_100);

  private final HiveOnS3 s3 = HiveOnS3.shared();
  private final InterruptedInserts interrupted = new InterruptedInserts(s3);

  @BeforeEach
  void withCommitter() {
    s3.reset();
    s3.withCommitter();
  }

  /**
   * Waits for the five minutes that a Complete can take. The quick tier has it in a time of its
   * own: EightFailuresTest in core.
   */
  @Test
  @Tag("thorough")
  void rowsOfACompleteCommitWhoseMarkerIsLostDoNotComeBackAfterATruncate() throws Exception {
    String table = "order_truncated";
    create(table);
    s3.hive().execute("insert into " + table + " values (1), (2)");
    TableLog log = TableLog.of(s3.bucket(), table);
    log.loseLastMarker();
    assertThat(log.notEnded()).hasSize(1);
    deleteFiles(table);

    s3.hive().execute("insert into " + table + " values (3)");
    s3.awaitBackgroundWork();

    interrupted.assertRows(table, "3");
    assertThat(log.notEnded()).isEmpty();
  }

  @Tag("thorough")
  @Test
  void whatIsOpenWhileTheCommitterIsSwitchedOffIsLeftToAPersonWhereHiveHasWritten()
      throws Exception {
    String table = "switched_off_open";
    interrupted.create(table);
    interrupted.run("insert into " + table + " values (1)", table);
    Thread.sleep(TICK.toMillis());
    s3.hive().set(HiveKeys.ENABLED.name(), "false");
    s3.hive().execute("insert into " + table + " values (2)");
    interrupted.assertRows(table, "2");

    s3.hive().set(HiveKeys.ENABLED.name(), "true");
    s3.hive().execute("insert into " + table + " values (3)");
    s3.awaitBackgroundWork();

    assertThat(s3.hive().console())
        .contains("as entry 1 and interrupted. It is not completed automatically")
        .contains("zerorename recover s3a://warehouse/" + table);
    interrupted.assertRows(table, "2", "3");
    s3.hive().execute("insert overwrite table " + table + " values (4)");
    interrupted.assertNothingIsOpen(table);
    interrupted.assertRows(table, "4");
  }

  @Test
  void rowsOfAnInterruptedCommitDoNotStandBesideThoseOfHivesOwnOverwrite() throws Exception {
    String table = "order_own_path";
    create(table);
    s3.hive().execute("insert into " + table + " values (1)");
    interrupted.run("insert into " + table + " values (2)", table);
    Thread.sleep(TICK.toMillis());
    s3.withoutCommitter();
    s3.hive().execute("insert overwrite table " + table + " values (10)");
    s3.withCommitter();

    s3.hive().execute("insert into " + table + " values (11)");
    s3.awaitBackgroundWork();

    assertThat(s3.hive().console())
        .contains("It is not completed automatically")
        .contains("zerorename recover s3a://warehouse/" + table);
    interrupted.assertRows(table, "10", "11");
    // What an operator would give up.
    s3.bucket().clear(table + "/");
  }

  @Tag("thorough")
  @Test
  void rowsOfAnInterruptedOverwriteAreThereOnceWhereItIsRunAgainAfterATruncate() throws Exception {
    String table = "order_run_again";
    create(table);
    s3.hive().execute("insert into " + table + " values (1)");
    interrupted.run("insert overwrite table " + table + " values (10)", table);
    deleteFiles(table);

    s3.hive().execute("insert overwrite table " + table + " values (10)");
    s3.awaitBackgroundWork();

    interrupted.assertRows(table, "10");
    assertThat(s3.bucket().pendingUploads(table + "/")).isEmpty();
    assertThat(TableLog.of(s3.bucket(), table).notEnded()).isEmpty();
  }

  @Tag("thorough")
  @Test
  void soTheyAreWhereItsRowsAreInsertedAgain() throws Exception {
    String table = "order_inserted_again";
    create(table);
    s3.hive().execute("insert into " + table + " values (1)");
    interrupted.run("insert overwrite table " + table + " values (10)", table);
    deleteFiles(table);

    s3.hive().execute("insert into " + table + " values (10)");
    s3.awaitBackgroundWork();

    assertThat(s3.hive().console()).contains("of the files that it replaces are gone");
    interrupted.assertRows(table, "10");
    s3.bucket().clear(table + "/");
  }

  @Tag("thorough")
  @Test
  void tableThatWasDroppedAndCreatedAgainCanBeOverwritten() throws Exception {
    String table = "order_created_again";
    create(table);
    interrupted.run("insert into " + table + " values (1)", table);
    s3.hive().execute("drop table " + table);
    Thread.sleep(TICK.toMillis());
    create(table);

    s3.hive().execute("insert overwrite table " + table + " values (10)");
    s3.awaitBackgroundWork();
    assertThat(s3.hive().console()).contains("zero-rename: committed INSERT OVERWRITE");
    s3.hive().execute("insert into " + table + " values (11)");
    s3.awaitBackgroundWork();

    assertThat(s3.hive().console()).doesNotContain("interrupted");
    interrupted.assertRows(table, "10", "11");
    assertThat(s3.bucket().pendingUploads(table + "/")).isEmpty();
  }

  private void create(String table) throws Exception {
    s3.hive()
        .execute(
            "create external table "
                + table
                + " (a int) stored as orc location 's3a://warehouse/"
                + table
                + "'");
  }

  /** As another program empties a table. Pending uploads stay. */
  private void deleteFiles(String table) {
    for (String key : s3.bucket().files(table + "/")) {
      s3.server().backendClient().deleteObject(delete -> delete.bucket(HiveOnS3.BUCKET).key(key));
    }
  }
}
