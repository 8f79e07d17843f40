package io.zerorename.hive;

import static io.zerorename.testing.s3server.FaultRule.always;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.testing.hive.StatementFailedException;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.RequestCounts;
import io.zerorename.testing.s3server.RequestType;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Statements of Hive's own path at tables with commits that were interrupted behind their decision:
 * what removes rows removes theirs for good, and what adds or moves rows comes after them.
 */
class StatementOrderTest {
  private final HiveOnS3 s3 = HiveOnS3.shared();
  private final InterruptedInserts interrupted = new InterruptedInserts(s3);

  @BeforeEach
  void withCommitter() {
    s3.reset();
    s3.withCommitter();
  }

  @AfterEach
  void withoutFaults() {
    s3.server().gateway().faults(FaultRule.NONE);
    Hive.closeCurrent();
  }

  /** Hive's metastore makes them external unless told not to. */
  private void withManagedTables() {
    s3.hive().set("hive.metastore.metadata.transformer.class", " ");
    Hive.closeCurrent();
  }

  private void create(String table) throws Exception {
    create(table, "(a int) stored as orc");
  }

  /** Whose files Hive deletes with the table. */
  private void create(String table, String definition) throws Exception {
    s3.hive()
        .execute(
            "create external table "
                + table
                + " "
                + definition
                + " location 's3a://warehouse/"
                + table
                + "' tblproperties ('external.table.purge'='true')");
  }

  private void withHivesOwnPath() {
    s3.hive().set("hive.merge.tezfiles", "true");
  }

  /** Resumes whatever could be resumed. */
  private void insertLater(String table, String statement) throws Exception {
    s3.hive().execute(statement);
    s3.awaitBackgroundWork();
    interrupted.assertNothingIsOpen(table);
  }

  @Test
  void truncatedRowsOfAnInterruptedInsertDoNotComeBack() throws Exception {
    String table = "removed_by_truncate";
    create(table);
    s3.hive().execute("insert into " + table + " values (1)");
    interrupted.run("insert into " + table + " values (2)", table);

    s3.hive().execute("truncate table " + table);

    assertThat(s3.hive().console())
        .contains("zero-rename: TRUNCATE TABLE default." + table + " is entry 3 of")
        .contains("It has removed what entries [2] wrote");
    interrupted.assertNothingIsOpen(table);
    insertLater(table, "insert into " + table + " values (2)");
    interrupted.assertRows(table, "2");
  }

  @Test
  void truncateAlsoRemovesAPartitionThatAnInterruptedInsertHasNotRegistered() throws Exception {
    String table = "removed_unregistered";
    create(table, "(a int) partitioned by (p int) stored as orc");
    s3.hive().execute("insert into " + table + " values (1, 1)");
    interrupted.run("insert into " + table + " values (3, 3)", table);

    s3.hive().execute("truncate table " + table);

    interrupted.assertNothingIsOpen(table);
    insertLater(table, "insert into " + table + " values (4, 4)");
    interrupted.assertRows(table, "4");
  }

  @Test
  void rowsOfADroppedPartitionDoNotComeBackAndOthersDo() throws Exception {
    String table = "removed_by_drop_partition";
    create(table, "(a int) partitioned by (p int) stored as orc");
    s3.hive().execute("insert into " + table + " values (1, 1), (2, 2)");
    interrupted.run("insert into " + table + " values (10, 1), (20, 2)", table);

    s3.hive().execute("alter table " + table + " drop partition (p=1)");

    assertThat(s3.hive().execute("show partitions " + table)).containsExactly("p=2");
    insertLater(table, "insert into " + table + " values (30, 3)");
    interrupted.assertRows(table, "2", "20", "30");
    assertThat(s3.hive().execute("show partitions " + table))
        .as("those with rows")
        .contains("p=2", "p=3");
  }

  @Test
  void tableThatIsDroppedAndCreatedAgainIsEmptyAndKnowsOfNothing() throws Exception {
    String table = "removed_by_drop";
    create(table);
    interrupted.run("insert into " + table + " values (1)", table);

    s3.hive().execute("drop table " + table);

    interrupted.assertNothingIsOpen(table);
    create(table);
    interrupted.assertRows(table);
    insertLater(table, "insert into " + table + " values (2)");
    assertThat(s3.hive().console()).doesNotContain("interrupted");
    interrupted.assertRows(table, "2");
  }

  @Test
  void databaseThatIsDroppedTakesWhatIsOpenInItsTables() throws Exception {
    s3.hive().execute("create database dropped_with_tables");
    for (String table : List.of("dropped_one", "dropped_two")) {
      create("dropped_with_tables." + table, "(a int) stored as orc", table);
      interrupted.run("insert into dropped_with_tables." + table + " values (1)", table);
    }
    create("dropped_with_tables.dropped_three", "(a int) stored as orc", "dropped_three");

    s3.hive().execute("drop database dropped_with_tables cascade");

    for (String table : List.of("dropped_one", "dropped_two")) {
      interrupted.assertNothingIsOpen(table);
      assertThat(TableLog.of(s3.bucket(), table).entries()).hasSize(2);
    }
    assertThat(TableLog.of(s3.bucket(), "dropped_three").entries()).isEmpty();
  }

  private void create(String table, String definition, String directory) throws Exception {
    s3.hive()
        .execute(
            "create external table "
                + table
                + " "
                + definition
                + " location 's3a://warehouse/"
                + directory
                + "' tblproperties ('external.table.purge'='true')");
  }

  @Test
  void externalTableWhoseFilesStayKeepsWhatIsOpen() throws Exception {
    String table = "kept_by_drop";
    s3.hive()
        .execute(
            "create external table "
                + table
                + " (a int) stored as orc location 's3a://warehouse/"
                + table
                + "'");
    interrupted.run("insert into " + table + " values (1)", table);
    RequestCounts before = s3.counts();

    s3.hive().execute("drop table " + table);

    assertThat(s3.counts().minus(before).total()).isZero();
    assertThat(TableLog.of(s3.bucket(), table).notEnded()).hasSize(1);
    s3.bucket().clear("_zerorename/" + table);
    s3.bucket().clear(table + "/");
  }

  @Test
  void overwriteOnHivesOwnPathReplacesAnInterruptedInsert() throws Exception {
    String table = "removed_by_own_path";
    create(table);
    s3.hive().execute("insert into " + table + " values (1)");
    interrupted.run("insert into " + table + " values (2)", table);

    withHivesOwnPath();
    s3.hive().execute("insert overwrite table " + table + " values (10), (11)");

    assertThat(s3.hive().console()).contains("CONDITIONAL_TASK").contains("is entry 3 of");
    interrupted.assertRows(table, "10", "11");
    s3.hive().set("hive.merge.tezfiles", "false");
    insertLater(table, "insert into " + table + " values (12)");
    interrupted.assertRows(table, "10", "11", "12");
  }

  @ParameterizedTest
  @CsvSource({
    "rows,      insert overwrite table %s partition (p) values (10&1)",
    "statement, insert overwrite table %s partition (p=1) values (10)",
  })
  void overwriteOfSomePartitionsOnHivesOwnPathLeavesOthersToBeResumed(
      String chosenBy, String statement) throws Exception {
    String table = "removed_by_own_path_" + chosenBy;
    create(table, "(a int) partitioned by (p int) stored as orc");
    s3.hive().execute("insert into " + table + " values (1, 1), (2, 2)");
    interrupted.run("insert into " + table + " values (100, 1), (200, 2), (300, 3)", table);

    withHivesOwnPath();
    s3.hive().execute(statement.replace("%s", table).replace('&', ','));

    assertThat(s3.hive().console()).contains("CONDITIONAL_TASK").contains("is entry 3 of");
    s3.hive().set("hive.merge.tezfiles", "false");
    insertLater(table, "insert into " + table + " values (3, 3)");
    interrupted.assertRows(table, "10", "2", "200", "3", "300");
  }

  @Test
  void loadedFilesReplaceAnInterruptedInsert() throws Exception {
    String table = "removed_by_load";
    create(table, "(a int) stored as textfile");
    interrupted.run("insert into " + table + " values (1)", table);
    s3.bucket().write("removed_by_load_files/f", "10\n".getBytes(StandardCharsets.UTF_8));

    s3.hive()
        .execute(
            "load data inpath 's3a://warehouse/removed_by_load_files' overwrite into table "
                + table);

    interrupted.assertRows(table, "10");
    insertLater(table, "insert into " + table + " values (11)");
    interrupted.assertRows(table, "10", "11");
  }

  @Test
  void directoryThatIsOverwrittenOnHivesOwnPathHasNothingOfAnInterruptedStatement()
      throws Exception {
    create("removed_in_directory_source");
    s3.hive().execute("insert into removed_in_directory_source values (1)");
    String overwrite =
        "insert overwrite directory 's3a://warehouse/removed_in_directory' select a from"
            + " removed_in_directory_source";
    interrupted.run(overwrite, "removed_in_directory");

    withHivesOwnPath();
    s3.hive().execute(overwrite);

    assertThat(s3.hive().console()).contains("CONDITIONAL_TASK");
    interrupted.assertNothingIsOpen("removed_in_directory");
    assertThat(s3.bucket().files("removed_in_directory/")).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "load data inpath 's3a://warehouse/%s_files' into table %s",
        "insert into %s values (10)",
      })
  void whatIsAddedComesAfterAnInterruptedInsert(String statement) throws Exception {
    String table = "added_by_" + statement.substring(0, 4);
    create(table, "(a int) stored as textfile");
    interrupted.run("insert into " + table + " values (1)", table);
    s3.bucket().write(table + "_files/f", "10\n".getBytes(StandardCharsets.UTF_8));

    withHivesOwnPath();
    s3.hive().execute(statement.replace("%s", table));

    assertThat(s3.hive().console())
        .contains("earlier commits to default." + table + " have not ended")
        .contains("as entry 1 and interrupted; it is complete now");
    interrupted.assertNothingIsOpen(table);
    interrupted.assertRows(table, "1", "10");
  }

  @Test
  void renamedTableTakesTheRowsOfAnInterruptedInsertAlong() throws Exception {
    withManagedTables();
    String table = "moved_by_rename";
    create(table, "(a int) partitioned by (p int) stored as orc");
    s3.hive().execute("insert into " + table + " partition (p=1) values (1)");
    interrupted.run("insert into " + table + " partition (p=1) values (2)", table);

    s3.hive().execute("alter table " + table + " partition (p=1) rename to partition (p=7)");

    assertThat(s3.hive().console())
        .contains("earlier commits to default." + table + " have not ended")
        .contains("INSERT INTO default." + table + " was committed as entry 2");
    interrupted.assertNothingIsOpen(table);
    assertThat(s3.hive().execute("select a, p from " + table))
        .containsExactlyInAnyOrder("1\t7", "2\t7");
  }

  @Test
  void wholeTableThatIsRenamedTakesThemAlongToo() throws Exception {
    withManagedTables();
    s3.hive().execute("create database moved_database location 's3a://warehouse/moved_database'");
    s3.hive()
        .execute(
            "create table moved_database.one (a int) stored as orc"
                + " tblproperties ('transactional'='false')");
    s3.hive().execute("insert into moved_database.one values (1)");
    interrupted.run("insert into moved_database.one values (2)", "moved_database/one");

    s3.hive().execute("alter table moved_database.one rename to moved_database.other");

    assertThat(s3.hive().console()).contains("earlier commits to moved_database.one have not");
    interrupted.assertNothingIsOpen("moved_database/one");
    interrupted.assertRows("moved_database.other", "1", "2");
    insertLater("moved_database/other", "insert into moved_database.other values (3)");
    interrupted.assertRows("moved_database.other", "1", "2", "3");
  }

  @Test
  void exchangedPartitionHasThem() throws Exception {
    String table = "moved_by_exchange";
    String definition = "(a int) partitioned by (p int) stored as orc";
    create(table, definition);
    create(table + "_to", definition);
    s3.hive().execute("insert into " + table + " partition (p=1) values (1)");
    interrupted.run("insert into " + table + " partition (p=1) values (2)", table);

    s3.hive().execute("alter table " + table + "_to exchange partition (p=1) with table " + table);

    interrupted.assertNothingIsOpen(table);
    interrupted.assertRows(table + "_to", "1", "2");
    insertLater(table, "insert into " + table + " partition (p=1) values (3)");
    interrupted.assertRows(table, "3");
  }

  @Test
  void concatenatedFilesHaveThem() throws Exception {
    withManagedTables();
    String table = "moved_by_concatenate";
    create(table);
    s3.hive().execute("alter table " + table + " set tblproperties ('EXTERNAL'='FALSE')");
    s3.hive().execute("insert into " + table + " values (1)");
    interrupted.run("insert into " + table + " values (2)", table);

    s3.hive().execute("alter table " + table + " concatenate");

    assertThat(s3.hive().console()).contains("earlier commits to default." + table + " have not");
    interrupted.assertNothingIsOpen(table);
    interrupted.assertRows(table, "1", "2");
    assertThat(s3.bucket().files(table + "/")).hasSize(1);
  }

  @Test
  void directoryThatATableLeavesHasThem() throws Exception {
    String table = "moved_location";
    create(table);
    create(table + "_to");
    s3.hive().execute("insert into " + table + "_to values (9)");
    interrupted.run("insert into " + table + " values (1)", table);

    s3.hive().execute("alter table " + table + " set location 's3a://warehouse/" + table + "_to'");

    interrupted.assertNothingIsOpen(table);
    assertThat(s3.bucket().files(table + "/")).hasSize(1);
    assertThat(s3.hive().execute("select a from " + table)).containsExactly("9");
  }

  @Test
  void repairThatFindsPartitionsHasThoseOfAnInterruptedInsertRegisteredBehindIt() throws Exception {
    String table = "added_by_repair";
    create(table, "(a int) partitioned by (p int) stored as orc");
    interrupted.run("insert into " + table + " values (1, 1)", table);

    s3.hive().execute("msck repair table " + table);

    interrupted.assertNothingIsOpen(table);
    interrupted.assertRows(table, "1");
  }

  @Test
  void droppedTableTakesWhatIsOpenInAPartitionElsewhere() throws Exception {
    String table = "removed_elsewhere";
    create(table, "(a int) partitioned by (p int) stored as orc");
    s3.hive()
        .execute(
            "alter table "
                + table
                + " add partition (p=1) location 's3a://warehouse/removed_elsewhere_p1'");
    s3.hive().execute("insert into " + table + " partition (p=1) values (1)");
    interrupted.run("insert into " + table + " partition (p=1) values (2)", table + "_p1");

    s3.hive().execute("drop table " + table);

    interrupted.assertNothingIsOpen(table);
    assertThat(s3.bucket().pendingUploads(table + "_p1/")).isEmpty();
    assertThat(s3.bucket().files(table + "_p1/")).isEmpty();
  }

  @Test
  void truncateRemovesTheOnlyPartitionThatAnInterruptedInsertHasNotRegistered() throws Exception {
    String table = "removed_without_partitions";
    create(table, "(a int) partitioned by (p int) stored as orc");
    interrupted.run("insert into " + table + " values (3, 3)", table);

    s3.hive().execute("truncate table " + table);

    interrupted.assertNothingIsOpen(table);
    insertLater(table, "insert into " + table + " values (4, 4)");
    interrupted.assertRows(table, "4");
  }

  @ParameterizedTest
  @ValueSource(strings = {"truncate table %s", "drop table %s"})
  void tableThatNoCommitHasWrittenCostsOneListing(String statement) throws Exception {
    RequestCounts without = countOf(statement, "costs_without_" + statement.substring(0, 4), false);
    RequestCounts with = countOf(statement, "costs_with_" + statement.substring(0, 4), true);

    assertThat(with.of(RequestType.LIST_OBJECTS_V2))
        .isEqualTo(without.of(RequestType.LIST_OBJECTS_V2) + 1);
    assertThat(with.total()).isEqualTo(without.total() + 1);
  }

  private RequestCounts countOf(String statement, String table, boolean committer)
      throws Exception {
    s3.withoutCommitter();
    create(table);
    s3.hive().execute("insert into " + table + " values (1)");
    if (committer) {
      s3.withCommitter();
    }
    RequestCounts before = s3.counts();
    s3.hive().execute(statement.replace("%s", table));
    return s3.counts().minus(before);
  }

  @Test
  void whereAllIsQuietItCostsTwoListings() throws Exception {
    String table = "costs_two";
    create(table);
    s3.hive().execute("insert into " + table + " values (1)");
    RequestCounts stock = countOf("truncate table %s", "costs_two_stock", false);
    s3.withCommitter();
    RequestCounts before = s3.counts();

    s3.hive().execute("truncate table " + table);

    assertThat(s3.counts().minus(before).total()).isEqualTo(stock.total() + 2);
    assertThat(TableLog.of(s3.bucket(), table).entries()).hasSize(1);
  }

  private void failListingsOfTheLog(String table, Fault fault) {
    s3.server()
        .gateway()
        .faults(
            always(
                request ->
                    request.type() == RequestType.LIST_OBJECTS_V2
                        && request.prefix().orElse("").startsWith("_zerorename/" + table + "-"),
                fault));
  }

  @ParameterizedTest
  @ValueSource(strings = {"truncate table %s", "insert overwrite table %s values (10)"})
  void whereTheLogCannotBeReadNothingIsRemoved(String statement) throws Exception {
    String table = "unreadable_" + statement.substring(0, 4);
    create(table);
    s3.hive().execute("insert into " + table + " values (1)");
    withHivesOwnPath();
    failListingsOfTheLog(table, Fault.refuse(500, "InternalError"));

    assertThatThrownBy(() -> s3.hive().execute(statement.replace("%s", table)))
        .isInstanceOf(StatementFailedException.class)
        .hasMessageContaining("was not run, and nothing was changed: the commit log of default.")
        .hasMessageContaining("zerorename.hive.unreadable.log=ignore");

    s3.server().gateway().faults(FaultRule.NONE);
    interrupted.assertRows(table, "1");
    failListingsOfTheLog(table, Fault.refuse(500, "InternalError"));
    s3.hive().set(HiveKeys.UNREADABLE_LOG.name(), "ignore");
    s3.hive().execute(statement.replace("%s", table));
    assertThat(s3.hive().console()).contains("cannot be read").contains("may appear later");
  }

  @Test
  void whereTheLogMayNotBeReadOrATableIsDroppedHiveWarns() throws Exception {
    String table = "unreadable_denied";
    create(table);
    s3.hive().execute("insert into " + table + " values (1)");
    failListingsOfTheLog(table, Fault.accessDenied());
    s3.hive().execute("truncate table " + table);
    assertThat(s3.hive().console()).contains("cannot be read");

    failListingsOfTheLog(table, Fault.refuse(500, "InternalError"));
    s3.hive().execute("drop table " + table);
    assertThat(s3.hive().console()).contains("cannot be read");
  }

  @Test
  void errorWhileTheLogIsChosenMakesNoOverwritePastAnOpenEntry() throws Exception {
    String table = "unreadable_chosen";
    create(table);
    s3.hive().execute("insert into " + table + " values (1)");
    interrupted.run("insert into " + table + " values (2)", table);
    // The store is tried out once for each user's directory and day.
    s3.hive().set(CoreKeys.WORK_DIR.name(), s3.hive().directory().resolve("other-work").toString());
    s3.server()
        .gateway()
        .faults(
            always(
                request ->
                    request.type() == RequestType.PUT_OBJECT
                        && request.key().startsWith("_zerorename/")
                        && !request.key().contains(table),
                Fault.refuse(500, "InternalError")));

    s3.hive().execute("insert overwrite table " + table + " values (10)");

    assertThat(s3.hive().console()).contains("BAD_CONFIGURATION").contains("is entry 3 of");
    s3.server().gateway().faults(FaultRule.NONE);
    insertLater(table, "insert into " + table + " values (11)");
    interrupted.assertRows(table, "10", "11");
  }

  @Test
  void statementIsLeftAloneWhereTheCommitterIsSwitchedOff() throws Exception {
    String table = "switched_off";
    create(table);
    s3.hive().execute("insert into " + table + " values (1)");
    RequestCounts stock = countOf("truncate table %s", "switched_off_stock", false);
    s3.withCommitter();
    s3.hive().set(HiveKeys.ENABLED.name(), "false");
    RequestCounts before = s3.counts();

    s3.hive().execute("truncate table " + table);

    assertThat(s3.counts().minus(before)).isEqualTo(stock);
  }

  @Test
  void whatIsOpenWhileTheCommitterIsSwitchedOffIsLeftToAPersonWhereHiveHasWritten()
      throws Exception {
    String table = "switched_off_open";
    create(table);
    interrupted.run("insert into " + table + " values (1)", table);
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
  void explainedStatementChangesNothing() throws Exception {
    String table = "explained_overwrite";
    create(table);
    interrupted.run("insert into " + table + " values (1)", table);
    withHivesOwnPath();
    s3.hive().execute("explain analyze insert overwrite table " + table + " values (10)");
    s3.hive().execute("explain truncate table " + table);
    assertThat(TableLog.of(s3.bucket(), table).notEnded()).hasSize(1);
    s3.bucket().clear("_zerorename/" + table);
    s3.bucket().clear(table + "/");
  }
}
