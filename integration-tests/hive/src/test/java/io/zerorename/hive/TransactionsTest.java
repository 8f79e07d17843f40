package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.testing.hive.StatementFailedException;
import io.zerorename.testing.process.Await;
import io.zerorename.testing.s3server.HeldRequests;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.ql.txn.compactor.Worker;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** With locks and transactions, as Hive 4 runs in production: DbTxnManager and concurrency. */
class TransactionsTest {
  private static final String COMMITTED = "zero-rename: committed INSERT";

  private static final Map<String, String> SETTINGS =
      Map.of(
          "hive.support.concurrency", "true",
          "hive.txn.manager", "org.apache.hadoop.hive.ql.lockmgr.DbTxnManager",
          "hive.compactor.initiator.on", "false",
          // Managed tables must be below it.
          "hive.metastore.warehouse.dir", "s3a://warehouse/",
          "tez.am.task.max.failed.attempts", "1");

  @TempDir(cleanup = CleanupMode.NEVER)
  private static Path directory;

  private static HiveOnS3 s3;
  private static FurtherSession ours;

  /** Of those cases alone that need a second one. */
  private static FurtherSession other;

  @BeforeAll
  static void start() throws Exception {
    s3 = HiveOnS3.shared();
    s3.hive().execute("show databases");
    s3.withTransactions();
    ours = FurtherSession.start(s3, directory.resolve("ours"), SETTINGS);
    ours.execute(
        "create table locked_numbers (a int, p int) tblproperties ('transactional'='false')");
    ours.execute("insert into locked_numbers values (1, 1), (2, 2), (3, 3)");
    createAcid("locked_acid_source", "(a int)", "");
    assertThat(ours.hive().console()).doesNotContain("zero-rename");
    ours.execute("insert into locked_acid_source values (1), (2)");
    assertThat(ours.hive().console()).contains("Hive's own rename path: ACID");
  }

  @AfterAll
  static void stop() throws Exception {
    s3.withoutTransactions();
    ours.close();
    if (other != null) {
      other.close();
    }
  }

  @BeforeEach
  void reset() {
    s3.reset();
    ours.hive().resetSettings();
  }

  private static FurtherSession other() throws Exception {
    if (other == null) {
      other = FurtherSession.start(s3, directory.resolve("other"), SETTINGS);
    }
    other.hive().resetSettings();
    return other;
  }

  /**
   * Hive looks for changes to transactional tables that it overwrites, so one of the targets is of
   * that kind. It begins another transaction, with other locks.
   */
  @Tag("thorough")
  @Test
  void statementThatIsCompiledAgainAfterLockingIsCommittedOnce() throws Exception {
    assertCompiledAgain("locked_again", false);

    assertThat(ours.execute("select * from locked_again_ours"))
        .containsExactlyInAnyOrder("100\t1", "1\t1", "20\t2");
    assertThat(ours.execute("select * from locked_again_ours_acid"))
        .containsExactlyInAnyOrder("2\t1", "21\t2");
  }

  /** Hive keeps its transaction, which cannot be committed, though it compiles anew. */
  @Test
  @Tag("thorough")
  void rowsStayAsOnHivesOwnPathWhereTheTransactionIsAbortedAtItsEnd() throws Exception {
    String console = assertCompiledAgain("locked_aborted", true);

    assertThat(console).contains("due to a write conflict");
    assertThat(ours.execute("select * from locked_aborted_ours"))
        .containsExactlyInAnyOrder("100\t1", "1\t1", "20\t2");
    assertThat(ours.execute("select * from locked_aborted_ours_acid"))
        .containsExactlyInAnyOrder("1\t1", "20\t2");
  }

  /**
   * @param othersFirst whether the transaction that commits meanwhile has begun before ours
   * @return what the console says
   */
  private static String assertCompiledAgain(String name, boolean othersFirst) throws Exception {
    String table = name + "_ours";
    FurtherSession further = other();
    for (String it : List.of(name + "_stock", table)) {
      create(it, true);
      createAcid(it + "_acid", "(a int, p int)", "");
      ours.execute("insert into " + it + " partition (p) values (100, 1)");
      ours.execute("insert into " + it + "_acid values (1, 1), (2, 2)");
      ours.hive().set("zerorename.hive.enabled", Boolean.toString(it.equals(table)));
      ours.hive().set(CoreKeys.INLINE_MAX_BYTES.name(), "0");
      Throwable failure =
          catchThrowable(
              () ->
                  BeforeLocks.run(
                      ours,
                      further,
                      othersFirst,
                      "update " + it + "_acid set a = a * 10 where p = 2",
                      "from "
                          + it
                          + "_acid insert into "
                          + it
                          + " partition (p) select a, p insert overwrite table "
                          + it
                          + "_acid select a + 1, p"));
      assertThat(failure != null).as("it fails: %s", failure).isEqualTo(othersFirst);
    }

    List<String> compiled = BeforeLocks.compiledJobs();
    assertThat(compiled).as("compiled twice").hasSize(2).doesNotHaveDuplicates();
    String first = compiled.get(0);
    String second = compiled.get(1);
    String console = ours.hive().console();
    assertThat(console).containsOnlyOnce(COMMITTED);
    assertThat(state(table)).isEqualTo(state(name + "_stock"));
    assertThat(state(table + "_acid")).isEqualTo(state(name + "_stock_acid"));
    assertNothingLeft(table);
    assertThat(s3.bucket().objects("_zerorename/").keySet())
        .noneMatch(key -> key.contains(first))
        .anyMatch(key -> key.contains(".ended.complete.") && key.endsWith("." + second));
    try (Stream<Path> scratch = Files.walk(ours.hive().directory())) {
      assertThat(scratch.map(path -> path.getFileName().toString()))
          .as("manifests, and records of what was not executed")
          .doesNotContain(first, "zerorename-" + first, "zerorename-" + second);
    }
    return console;
  }

  @Test
  void failingStatementLeavesNothingAndKeepsNoLock() throws Exception {
    create("locked_failing", true);
    ours.hive().set(CoreKeys.INLINE_MAX_BYTES.name(), "0");
    assertThatThrownBy(
            () ->
                ours.execute(
                    "insert overwrite table locked_failing partition (p) select"
                        + " if(assert_true(a < 3) is null, a, 0), p from locked_numbers"))
        .isInstanceOf(StatementFailedException.class);
    assertThat(ours.hive().console()).contains("was not committed; nothing of it is visible");
    assertThat(s3.bucket().files("locked_failing/")).isEmpty();
    assertNothingLeft("locked_failing");
  }

  @Tag("thorough")
  @Test
  void transactionalTablesAreWrittenAsWithoutTheCommitter() throws Exception {
    for (String subject : List.of("stock", "ours")) {
      boolean isOurs = subject.equals("ours");
      ours.hive().set("zerorename.hive.enabled", Boolean.toString(isOurs));
      String table = "locked_acid_" + subject;
      createAcid(table, "(a int, b string)", "");
      run(isOurs, "insert into " + table + " values (1, 'a'), (2, 'b'), (3, 'c')");
      run(isOurs, "insert overwrite table " + table + " select a + 1, b from " + table);
      run(isOurs, "update " + table + " set b = 'u' where a = 2");
      run(isOurs, "delete from " + table + " where a = 3");
      run(
          isOurs,
          "merge into "
              + table
              + " t using locked_numbers n on t.a = n.a when matched then update set b = 'm' when"
              + " not matched then insert values (n.a, 'n')");
      run(isOurs, "insert into " + table + " values (9, 'z')");
    }
    assertThat(state("locked_acid_ours")).isEqualTo(state("locked_acid_stock"));
    assertThat(paths("locked_acid_ours")).isEqualTo(paths("locked_acid_stock"));
    assertNothingLeft("locked_acid_ours");
  }

  private static void run(boolean isOurs, String statement) throws Exception {
    ours.execute(statement);
    if (isOurs) {
      assertThat(ours.hive().console())
          .as(statement)
          .containsPattern("Hive's own rename path: (ACID|STATEMENT)")
          .doesNotContain(COMMITTED);
    }
  }

  /** It runs INSERTs of its own into tables that live as long as it. */
  @Tag("thorough")
  @Test
  void compactionOfAnInsertOnlyTableIsHivesOwn() throws Exception {
    for (String subject : List.of("stock", "ours")) {
      ours.hive().set("zerorename.hive.enabled", Boolean.toString(subject.equals("ours")));
      compact("locked_merged_" + subject, ", 'transactional_properties'='insert_only'");
    }

    assertCompacted("locked_merged_ours");
    assertThat(paths("locked_merged_ours")).isEqualTo(paths("locked_merged_stock"));
    assertThat(s3.bucket().objects("_zerorename/").keySet())
        .noneMatch(key -> key.contains("locked_merged"));
  }

  private static void assertCompacted(String table) throws Exception {
    assertThat(s3.bucket().objects(table + "/").keySet())
        .as("a base, which a compaction writes")
        .anyMatch(key -> key.contains("/base_") && !key.endsWith("/"));
    assertThat(ours.execute("select * from " + table)).containsExactlyInAnyOrder("1", "2", "3");
    assertNothingLeft(table);
  }

  private static void compact(String table, String kind) throws Exception {
    createAcid(table, "(a int)", kind);
    ours.execute("insert into " + table + " values (1), (2)");
    ours.execute("insert into " + table + " values (3)");
    ours.execute("alter table " + table + " compact 'major'");
    ours.on(
        () -> {
          Worker worker = new Worker();
          HiveConf conf = new HiveConf(ours.hive().conf());
          // A further session of Tez would have to be started in another directory.
          conf.set("hive.execution.engine", "mr");
          worker.setConf(conf);
          // It stops after one compaction.
          worker.init(new AtomicBoolean(true));
          worker.start();
          worker.join();
          return null;
        });
  }

  /** Without locks the first would list old files without those of the second. */
  @Tag("thorough")
  @ParameterizedTest
  @CsvSource({
    "into, insert into %s partition (p=1) values (5), 5/1 10/1 20/2",
    "overwrite, insert overwrite table %s partition (p=1) values (6), 6/1 20/2"
  })
  void statementWaitsForThePartitionThatAnotherReplaces(String name, String statement, String rows)
      throws Exception {
    String table = "locked_waited_for_by_" + name;
    create(table, true);
    ours.execute("insert into " + table + " partition (p) values (100, 1), (200, 2)");
    FurtherSession further = other();
    for (FurtherSession session : List.of(ours, further)) {
      session.hive().set("hive.txn.ext.locking.enabled", "true");
    }
    HeldRequests held = HeldRequests.onlyNth(1, request -> CommitStep.DECIDE.sends(request, table));
    s3.faults(held);
    Future<List<String>> first =
        ours.begin("insert overwrite table " + table + " partition (p) values (10, 1), (20, 2)");
    held.awaitFirst();
    Future<List<String>> second = further.begin(statement.replace("%s", table));
    Await.until(
        "the second statement waits for a lock or has ended",
        () -> second.isDone() || TransactionTables.waitingLocks(metastore()) > 0);
    assertThat(second).as("it waits for a lock").isNotDone();
    held.pass();
    first.get();
    second.get();

    assertThat(further.hive().console()).contains(COMMITTED);
    assertThat(ours.execute("select concat(a, '/', p) from " + table))
        .containsExactlyInAnyOrder(rows.split(" "));
    assertNothingLeft(table);
  }

  @Tag("thorough")
  @Test
  void materializedViewsAreNoneOfTheCommittersBusiness() throws Exception {
    createAcid("locked_base", "(a int, b int)", "");
    ours.execute("insert into locked_base values (1, 1), (2, 1), (3, 2)");
    ours.execute(
        "create materialized view locked_view stored as orc location 's3a://warehouse/locked_view'"
            + " as select b, sum(a) from locked_base group by b");
    assertThat(ours.hive().console()).doesNotContain(COMMITTED);
    ours.execute("insert into locked_base values (4, 2)");
    ours.execute("alter materialized view locked_view rebuild");
    assertThat(ours.hive().console()).doesNotContain(COMMITTED);
    assertThat(ours.execute("select * from locked_view")).containsExactlyInAnyOrder("1\t3", "2\t7");

    create("locked_through_view", false);
    ours.execute(
        "insert overwrite table locked_through_view select sum(a) from locked_base group by b");
    assertThat(ours.hive().console()).contains(COMMITTED);
    assertThat(ours.execute("select * from locked_through_view"))
        .containsExactlyInAnyOrder("3", "7");
  }

  private static void create(String table, boolean partitioned) throws Exception {
    ours.execute(
        "create external table %1$s (a int) %2$s stored as orc location 's3a://warehouse/%1$s'"
            .formatted(table, partitioned ? "partitioned by (p int)" : ""));
  }

  /** Makes a transactional one, or one of another kind. */
  private static void createAcid(String table, String definition, String kind) throws Exception {
    ours.execute(
        "create table %1$s %2$s stored as orc location 's3a://warehouse/%1$s' tblproperties (%3$s)"
            .formatted(table, definition, "'transactional'='true'" + kind));
  }

  private static String metastore() {
    return s3.hive().conf().get("javax.jdo.option.ConnectionURL");
  }

  private static TableState state(String table) throws Exception {
    return ours.on(() -> TableState.of(ours.hive(), table));
  }

  /** Without what differs between two runs: names, and the transactions of compactions. */
  private static Set<String> paths(String table) {
    return s3.bucket().objects(table + "/").keySet().stream()
        .map(key -> key.substring(table.length()).replaceAll("_v[0-9]+/", "_v/"))
        .collect(Collectors.toSet());
  }

  private static void assertNothingLeft(String table) throws Exception {
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
    assertThat(s3.bucket().objects(table + "/").keySet())
        .noneMatch(key -> key.contains("staging") || key.contains("_tmp"));
    assertThat(TableLog.of(s3.bucket(), table).notEnded()).isEmpty();
    assertThat(ours.execute("show locks " + table)).hasSizeLessThan(2);
  }
}
