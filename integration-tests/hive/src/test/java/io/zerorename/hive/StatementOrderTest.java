package io.zerorename.hive;

import static io.zerorename.testing.s3server.FaultRule.always;
import static io.zerorename.testing.s3server.FaultRule.fromNth;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.hive.config.HiveKeys;
import io.zerorename.testing.hive.StatementFailedException;
import io.zerorename.testing.process.Await;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.RequestCounts;
import io.zerorename.testing.s3server.RequestType;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

/**
 * Statements of Hive's own path that remove rows, at tables with commits that were interrupted
 * behind their decision: they remove those rows for good.
 */
class StatementOrderTest {
  private final HiveOnS3 s3 = HiveOnS3.shared().withCommitter();
  private final InterruptedInserts interrupted = new InterruptedInserts(s3);

  @ParameterizedTest
  @TieredCases(
      quick = 2,
      value = {
        "whole  | values (1) | values (2) | truncate table %s | values (2) | 2",
        "whole  | values (1) | values (2) | insert overwrite table %s values (10) | values (11) | 10 11",
        "parted | values (1, 1) | values (3, 3) | truncate table %s | values (4, 4) | 4",
        "parted | values (1, 1), (2, 2) | values (10, 1), (20, 2)"
            + " | alter table %s drop partition (p=1) | values (30, 3) | 2 20 30",
        "parted | values (1, 1), (2, 2) | values (100, 1), (200, 2), (300, 3)"
            + " | insert overwrite table %s partition (p) values (10, 1) | values (3, 3)"
            + " | 10 2 200 3 300",
        "parted | values (1, 1), (2, 2) | values (100, 1), (200, 2), (300, 3)"
            + " | insert overwrite table %s partition (p=1) values (10) | values (3, 3)"
            + " | 10 2 200 3 300"
      })
  void rowsThatAStatementRemovesDoNotComeBackAndOthersDo(
      String kind, String before, String open, String statement, String later, String rows)
      throws Exception {
    String table = "removed_" + Integer.toHexString((kind + statement).hashCode());
    interrupted.create(
        table,
        kind.equals("whole")
            ? "(a int) stored as orc"
            : "(a int) partitioned by (p int) stored as orc");
    s3.hive().execute("insert into " + table + " " + before);
    interrupted.run("insert into " + table + " " + open, table);

    interrupted.withHivesOwnPath();
    s3.hive().execute(statement.replace("%s", table));

    assertThat(s3.hive().console())
        .contains("zero-rename: ZR-5407: ", table, " is entry 3 of")
        .contains("It has removed what entries [2] wrote");
    s3.hive().set("hive.merge.tezfiles", "false");
    interrupted.insertLater(table, "insert into " + table + " " + later);
    interrupted.assertRows(table, rows.split(" "));
  }

  @Tag("thorough")
  @Test
  void soDoRowsInAPartitionElsewhereThatAnOverwriteOnHivesOwnPathChooses() throws Exception {
    String table = "removed_by_choice";
    interrupted.create(table, "(a int) partitioned by (p int) stored as orc");
    s3.addPartition(table, "p=1", "s3a://warehouse/" + table + "_1");
    interrupted.run("insert into " + table + " partition (p=1) values (1)", table + "_1");

    s3.hive().execute("insert overwrite table " + table + " partition (p) values (10, 1), (20, 2)");

    assertThat(s3.hive().console()).contains("CUSTOM_PARTITION_LOCATION", "ZR-5407: ");
    interrupted.insertLater(table, "insert into " + table + " partition (p=2) values (30)");
    assertThat(s3.bucket().pendingUploads(table + "_1/")).isEmpty();
    interrupted.assertRows(table, "10", "20", "30");
  }

  @Tag("thorough")
  @Test
  void databaseThatIsDroppedTakesWhatIsOpenInItsTables() throws Exception {
    s3.hive().execute("create database dropped_with_tables");
    for (String table : List.of("dropped_one", "dropped_two")) {
      interrupted.create("dropped_with_tables." + table, "(a int) stored as orc", table);
      interrupted.run("insert into dropped_with_tables." + table + " values (1)", table);
    }
    interrupted.create(
        "dropped_with_tables.dropped_three", "(a int) stored as orc", "dropped_three");

    s3.hive().execute("drop database dropped_with_tables cascade");

    for (String table : List.of("dropped_one", "dropped_two")) {
      interrupted.assertNothingIsOpen(table);
      assertThat(TableLog.of(s3.bucket(), table).entries()).hasSize(2);
    }
    assertThat(TableLog.of(s3.bucket(), "dropped_three").entries()).isEmpty();
  }

  @Tag("thorough")
  @Test
  void tableThatTakesThePlaceOfAnExternalOneGetsNoPartitionOfIt() throws Exception {
    String table = "kept_by_drop_with_partitions";
    String definition = "(a int) partitioned by (p int) stored as orc";
    s3.create(table, definition);
    interrupted.run("insert into " + table + " values (1, 1)", table);
    RequestCounts before = s3.counts();
    s3.hive().execute("drop table " + table);
    assertThat(s3.counts().minus(before).total()).isZero();
    createdAgain(table, definition);

    interrupted.insertLater(table, "insert into " + table + " values (2, 2)");

    assertThat(s3.hive().execute("show partitions " + table)).containsExactly("p=2");
    s3.hive().execute("msck repair table " + table);
    interrupted.assertRows(table, "1", "2");
  }

  @Tag("thorough")
  @Test
  void partitionThatIsDroppedWithoutItsFilesDoesNotComeBack() throws Exception {
    String table = "kept_by_drop_partition";
    s3.createPartitioned(table);
    s3.hive().execute("insert into " + table + " values (1, 1)");
    interrupted.run("insert into " + table + " values (10, 1), (20, 2)", table);

    s3.hive().execute("alter table " + table + " drop partition (p=1)");

    interrupted.assertNothingIsOpen(table);
    interrupted.insertLater(table, "insert into " + table + " values (30, 3)");
    assertThat(s3.hive().execute("show partitions " + table)).containsExactly("p=2", "p=3");
    interrupted.assertRows(table, "20", "30");
  }

  /** Makes the table again, in a later second: tables are known by the one of their creation. */
  private void createdAgain(String table, String definition) throws Exception {
    long dropped = Instant.now().getEpochSecond();
    Await.until("a later second", () -> Instant.now().getEpochSecond() > dropped);
    s3.create(table, definition);
  }

  @Tag("thorough")
  @Test
  void directoryThatIsOverwrittenOnHivesOwnPathHasNothingOfAnInterruptedStatement()
      throws Exception {
    interrupted.create("removed_in_directory_source");
    s3.hive().execute("insert into removed_in_directory_source values (1)");
    String overwrite =
        "insert overwrite directory 's3a://warehouse/removed_in_directory' select a from"
            + " removed_in_directory_source";
    interrupted.run(overwrite, "removed_in_directory");

    interrupted.withHivesOwnPath();
    s3.hive().execute(overwrite);

    assertThat(s3.hive().console()).contains("CONDITIONAL_TASK");
    interrupted.assertNothingIsOpen("removed_in_directory");
    assertThat(s3.bucket().files("removed_in_directory/")).hasSize(1);
  }

  @Tag("thorough")
  @Test
  void droppedTableTakesWhatIsOpenInAPartitionElsewhere() throws Exception {
    String table = "removed_elsewhere";
    interrupted.create(table, "(a int) partitioned by (p int) stored as orc");
    s3.addPartition(table, "p=1", "s3a://warehouse/" + table + "_p1");
    s3.hive().execute("insert into " + table + " partition (p=1) values (1)");
    interrupted.run("insert into " + table + " partition (p=1) values (2)", table + "_p1");

    s3.hive().execute("drop table " + table);

    interrupted.assertNothingIsOpen(table);
    assertThat(s3.bucket().pendingUploads(table + "_p1/")).isEmpty();
    assertThat(s3.bucket().files(table + "_p1/")).isEmpty();
  }

  @ParameterizedTest
  @TieredCases(
      quick = 2,
      value = {
        "truncate table %s | false | true  | 2",
        "truncate table %s | true  | true  | 2",
        "drop table %s     | false | true  | 2",
        "truncate table %s | true  | false | 0"
      })
  void tableWithoutAnOpenCommitCostsTwoListingsUnlessTheCommitterIsOff(
      String statement, boolean committed, String enabled, int listings) throws Exception {
    String table = "costs_" + statement.substring(0, 4) + "_" + committed + "_" + enabled;
    s3.withoutCommitter();
    interrupted.createWithRow(table + "_stock");
    RequestCounts stock = countOf(statement.replace("%s", table + "_stock"));
    if (committed) {
      s3.withCommitter();
    }
    interrupted.createWithRow(table);
    s3.withCommitter();
    s3.hive().set(HiveKeys.ENABLED.name(), enabled);
    RequestCounts ours = countOf(statement.replace("%s", table));
    assertThat(ours.of(RequestType.LIST_OBJECTS_V2))
        .isEqualTo(stock.of(RequestType.LIST_OBJECTS_V2) + listings);
    assertThat(ours.total()).isEqualTo(stock.total() + listings);
    assertThat(TableLog.of(s3.bucket(), table).entries()).hasSize(committed ? 1 : 0);
  }

  private RequestCounts countOf(String statement) throws Exception {
    RequestCounts before = s3.counts();
    s3.hive().execute(statement);
    return s3.counts().minus(before);
  }

  private void failListingsOfTheLog(String table, int from, Fault fault) {
    s3.faults(fromNth(from, it -> CommitStep.READ.sends(it, table), fault));
  }

  @ParameterizedTest
  @TieredCases(
      quick = 1,
      value = {"truncate table %s", "insert overwrite table %s values (10)"})
  void whereTheLogCannotBeReadNothingIsRemoved(String statement) throws Exception {
    String table = "unreadable_" + statement.substring(0, 4);
    interrupted.createWithRow(table);
    interrupted.withHivesOwnPath();
    failListingsOfTheLog(table, 1, Fault.refuse(500, "InternalError"));

    assertThatThrownBy(() -> s3.hive().execute(statement.replace("%s", table)))
        .isInstanceOf(StatementFailedException.class)
        .hasMessageContaining("was not run, and nothing was changed: the commit log of default.")
        .hasMessageContaining("zerorename.hive.enabled=false");

    s3.faults(FaultRule.NONE);
    interrupted.assertRows(table, "1");
    failListingsOfTheLog(table, 1, Fault.refuse(500, "InternalError"));
    s3.hive().set(HiveKeys.ENABLED.name(), "false");
    s3.hive().execute(statement.replace("%s", table));
    assertThat(s3.hive().console().lines().filter(it -> it.contains("zero-rename")))
        .as("the reason of an INSERT, and no word about the log")
        .allMatch(it -> it.contains("ZR-5001"));
  }

  @Tag("thorough")
  @Test
  void whereTheLogMayNotBeReadOrATableIsDroppedHiveWarns() throws Exception {
    String table = "unreadable_denied";
    interrupted.createWithRow(table);
    failListingsOfTheLog(table, 1, Fault.accessDenied());
    s3.hive().execute("truncate table " + table);
    assertThat(s3.hive().console()).contains("cannot be read");

    failListingsOfTheLog(table, 1, Fault.refuse(500, "InternalError"));
    s3.hive().execute("drop table " + table);
    assertThat(s3.hive().console()).contains("cannot be read");
  }

  /** No commit has written to the table, so that the advice is for a case that is not there. */
  @Test
  void whereTheLogCannotBeReadAfterwardsTheErrorSaysThatHiveHasRunTheStatement() throws Exception {
    String table = "unreadable_afterwards";
    s3.withoutCommitter();
    interrupted.createWithRow(table);
    s3.withCommitter();
    failListingsOfTheLog(table, 2, Fault.refuse(500, "InternalError"));
    String said =
        "ZR-5409: Hive has run %s TABLE default.%s, but the commit log s3a://warehouse/_zerorename/";

    assertThatThrownBy(() -> s3.hive().execute("truncate table " + table))
        .isInstanceOf(StatementFailedException.class)
        .hasMessageContaining(said.formatted("TRUNCATE", table))
        .hasMessageContaining("could not be read or written after that: ")
        .hasMessageContaining("If an INSERT was interrupted before, or ran at the same time")
        .hasMessageContaining("In that case run the statement again.");

    assertThat(s3.bucket().files(table + "/")).isEmpty();
    failListingsOfTheLog(table, 2, Fault.refuse(500, "InternalError"));
    s3.hive().execute("drop table " + table);
    assertThat(s3.hive().console()).contains(said.formatted("DROP", table));
  }

  @Tag("thorough")
  @Test
  void errorWhileTheLogIsChosenFailsTheStatementBeforeItsFirstTask() throws Exception {
    String table = "unreadable_chosen";
    interrupted.createWithRow(table);
    interrupted.run("insert into " + table + " values (2)", table);
    // The store is tried out once for each user's directory and day.
    s3.hive().set(CoreKeys.WORK_DIR.name(), s3.hive().directory().resolve("other-work").toString());
    for (Fault fault :
        List.of(
            Fault.refuse(500, "InternalError"),
            Fault.accessDenied(),
            Fault.refuse(501, "NotImplemented"))) {
      s3.faults(
          always(
              request ->
                  request.type() == RequestType.PUT_OBJECT
                      && request.key().startsWith("_zerorename/")
                      && !request.key().contains(table),
              fault));

      String refused = fault.equals(Fault.refuse(500, "InternalError")) ? "" : "ZR-3103";
      assertThatThrownBy(
              () -> s3.hive().execute("insert overwrite table " + table + " values (10)"))
          .hasStackTraceContaining(
              "zero-rename: ZR-5130: INSERT OVERWRITE of default."
                  + table
                  + " was not run, and no data was changed")
          .hasStackTraceContaining("set zerorename.hive.enabled=false")
          .hasStackTraceContaining(refused);
      assertThat(s3.hive().console()).doesNotContain("DAG").contains("ZR-5130");
    }
    s3.faults(FaultRule.NONE);
    interrupted.insertLater(table, "insert into " + table + " values (11)");
    interrupted.assertRows(table, "1", "2", "11");
  }

  @Test
  void explainedStatementChangesNothing() throws Exception {
    String table = "explained_overwrite";
    interrupted.create(table);
    interrupted.run("insert into " + table + " values (1)", table);
    interrupted.withHivesOwnPath();
    s3.hive().execute("explain analyze insert overwrite table " + table + " values (10)");
    s3.hive().execute("explain truncate table " + table);
    assertThat(TableLog.of(s3.bucket(), table).notEnded()).hasSize(1);
    s3.bucket().clear("_zerorename/" + table);
    s3.bucket().clear(table + "/");
  }
}
