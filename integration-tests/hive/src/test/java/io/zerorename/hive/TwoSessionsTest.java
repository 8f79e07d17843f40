package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.HeldRequests;
import io.zerorename.testing.s3server.RequestType;
import io.zerorename.testing.s3server.S3Request;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two sessions that write to the same partitions at the same time, without Hive's locks: one of
 * them is stopped at some request of its commit, and the other goes as far as it can. The rows are
 * those of one statement after the other, in the order of their entries in the commit log.
 */
class TwoSessionsTest {
  /** With one file visible of several. */
  private static final Set<CommitStep> SECOND =
      EnumSet.of(CommitStep.COMPLETE, CommitStep.SMALL_FILE);

  /** What is stopped, and what runs meanwhile. */
  enum Pair {
    INTO_BESIDE_OVERWRITE(OVERWRITE, "insert into %s partition (p=1) values (5)"),
    INTO_BESIDE_NEW(
        "insert overwrite table %s partition (p) values (10, 1), (90, 9)",
        "insert into %s partition (p=9) values (5)"),
    OVERWRITE_BESIDE_OVERWRITE(OVERWRITE, "insert overwrite table %s partition (p=1) values (6)"),
    INTO_BESIDE_INTO_NEW(
        "insert into %s partition (p) values (90, 9)", "insert into %s partition (p=9) values (5)"),
    OVERWRITE_BESIDE_INTO("insert into %s partition (p) values (7, 1), (8, 2)", OVERWRITE);

    private final String stopped;
    private final String other;

    Pair(String stopped, String other) {
      this.stopped = stopped;
      this.other = other;
    }
  }

  private static final String OVERWRITE =
      "insert overwrite table %s partition (p) values (10, 1), (20, 2)";

  private static HiveOnS3 s3;
  private static FurtherSession first;
  private static int tables;

  @BeforeAll
  static void start() throws Exception {
    s3 = HiveOnS3.shared();
    first = FurtherSession.shared(s3);
  }

  @BeforeEach
  void reset() {
    s3.reset();
    s3.withCommitter();
    first.hive().resetSettings();
  }

  /** Of two overwrites that have listed the same old files the later stays. */
  @ParameterizedTest
  @TieredCases(
      quick = 1,
      value = {
        "INTO_BESIDE_OVERWRITE      | COMPLETE   | 5/1 10/1 20/2 300/3",
        "OVERWRITE_BESIDE_OVERWRITE | DECIDE     | 10/1 20/2 300/3",
        "OVERWRITE_BESIDE_OVERWRITE | COMPLETE   | 6/1 20/2 300/3",
        "OVERWRITE_BESIDE_OVERWRITE | DELETE     | 6/1 20/2 300/3",
        "INTO_BESIDE_OVERWRITE      | LIST       | 10/1 20/2 300/3",
        "INTO_BESIDE_OVERWRITE      | SMALL_FILE | 5/1 10/1 20/2 300/3",
        "INTO_BESIDE_NEW            | DECIDE     | 10/1 200/2 300/3 90/9",
        "INTO_BESIDE_INTO_NEW       | LIST       | 100/1 200/2 300/3 90/9 5/9",
        "OVERWRITE_BESIDE_INTO      | SMALL_FILE | 10/1 20/2 300/3",
        "OVERWRITE_BESIDE_INTO      | FINISH     | 10/1 20/2 300/3"
      })
  void rowsAreThoseOfOneStatementAfterTheOther(Pair pair, CommitStep step, String rows)
      throws Exception {
    assertRows(pair, step, rows);
  }

  /** One that its user lets fail does so with nothing deleted, and its uploads are aborted. */
  @ParameterizedTest
  @TieredCases(
      quick = 1,
      value = {
        "(p)   | values (10, 1), (20, 2)",
        "(p=1) | values (10)",
      })
  void anOverwriteFailsOnAConflictIfItsUserWantsThat(String partition, String rows)
      throws Exception {
    tables++;
    String table = "two_sessions_" + tables;
    s3.createPartitioned(table);
    s3.hive().execute("insert into " + table + " partition (p) values (100, 1), (200, 2)");
    first.hive().set(CoreKeys.CONFLICT.name(), "fail");
    first.hive().set(CoreKeys.INLINE_MAX_BYTES.name(), "0");
    String overwrite =
        "insert overwrite table %s partition %s %s".formatted(table, partition, rows);

    assertThatThrownBy(
            () ->
                whileStopped(
                    1,
                    CommitStep.DECIDE,
                    table,
                    overwrite,
                    held ->
                        s3.hive().execute("insert into " + table + " partition (p=1) values (5)")))
        .cause()
        .hasMessageContainingAll("ZR-1139", "(ADD, INSERT INTO", "was decided just before");

    assertRows(table, List.of("100/1", "5/1", "200/2"));
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
    first.execute(overwrite);
    assertThat(s3.hive().execute("select a from " + table + " where p = 1")).containsExactly("10");
  }

  /** The files are the other's, though the log is that of the place. */
  @Tag("thorough")
  @Test
  void rowsOfATableThatHasTakenThePlaceOfADroppedOneStay() throws Exception {
    String table = "place_taken";
    InterruptedInserts interrupted = new InterruptedInserts(s3);
    interrupted.create(table);
    interrupted.run("insert into " + table + " values (1)", table);
    whileStopped(
        2,
        CommitStep.READ,
        table,
        "drop table " + table,
        held -> {
          interrupted.create(table + "_other", "(a int) stored as orc", table);
          s3.hive().execute("insert into " + table + "_other values (9)");
        });

    assertThat(s3.hive().execute("select a from " + table + "_other")).containsExactly("9");
    s3.hive().execute("drop table " + table + "_other");
    interrupted.assertNothingIsOpen(table);
  }

  /** Hive has removed the rows of one partition, and has not looked into the other one yet. */
  @ParameterizedTest
  @TieredCases(
      quick = 1,
      value = {
        "truncate table %s",
        "alter table %s drop partition (p=1), partition (p=2)",
      })
  void firstCommitOfATableIsOrderedWithAStatementThatRemovesFilesMeanwhile(String remove)
      throws Exception {
    String table = "two_sessions_first_" + remove.substring(0, 5);
    new InterruptedInserts(s3).create(table, "(a int) partitioned by (p int) stored as orc");
    s3.withoutCommitter();
    s3.hive().execute("insert into " + table + " values (1, 1), (2, 2)");
    s3.withCommitter();
    whileStopped(
        1,
        it ->
            it.type() == RequestType.LIST_OBJECTS_V2
                && it.prefix().orElse("").startsWith(table + "/p=2"),
        remove.replace("%s", table),
        held -> {
          assertThat(s3.bucket().files(table + "/p=1/")).isEmpty();
          s3.hive().execute("insert into " + table + " values (10, 1), (20, 2)");
        });

    assertThat(s3.bucket().files(table + "/")).isEmpty();
    assertThat(first.hive().console()).contains("ZR-5407: ", " is entry 2 of");
    assertThat(s3.hive().execute("select a from " + table)).isEmpty();
  }

  /** As after a long pause of its machine: its files were replaced before it goes on. */
  @Tag("thorough")
  @Test
  void nothingIsSaidOfTheRowsOfAStatementThatALaterOneHasReplaced() throws Exception {
    String table = "two_sessions_ended";
    first.hive().set(CoreKeys.COMMIT_THREADS.name(), "1");
    for (var hive : List.of(first.hive(), s3.hive())) {
      hive.set(CoreKeys.INLINE_MAX_BYTES.name(), "0");
    }
    s3.createPartitioned(table);
    s3.hive().execute("insert into " + table + " partition (p) values (100, 1), (200, 2)");

    whileStopped(
        2,
        CommitStep.COMPLETE,
        table,
        "insert into " + table + " partition (p) values (7, 1), (8, 2)",
        held -> {
          assertThat(
                  new InterruptedInserts(s3)
                      .command("recover --without-metastore s3a://warehouse/" + table))
              .contains("it is complete now");
          s3.hive()
              .execute(
                  "insert overwrite table " + table + " partition (p) values (10, 1), (20, 2)");
        });

    assertRows(table, List.of("10/1", "20/2"));
    s3.hive().execute("insert overwrite table " + table + " partition (p) values (30, 1)");
    assertRows(table, List.of("30/1", "20/2"));
  }

  @Tag("thorough")
  @Test
  void anOverwriteThatSupersedesACommitThatHasNotEndedSaysNothingOfItsRows() throws Exception {
    assertRows(Pair.OVERWRITE_BESIDE_INTO, CommitStep.COMPLETE, "10/1 20/2 300/3");
    // The statement of that commit adds its own to the number of rows at any later time.
    TableState.of(s3.hive(), "two_sessions_" + tables)
        .places()
        .forEach(
            (partition, said) ->
                assertThat(
                        said.getOrDefault("COLUMN_STATS_ACCURATE", "")
                            .contains("\"BASIC_STATS\":\"true\""))
                    .as(partition)
                    .isEqualTo(partition.equals("p=3")));
  }

  /**
   * It is registered by that, so that a partition that was dropped meanwhile does not come back.
   */
  @Tag("thorough")
  @ParameterizedTest
  @ValueSource(strings = {"partition (p=9) values (5)", "partition (p) values (5, 9)"})
  void newPartitionThatALaterCommitReplacesIsLeftToIt(String target) throws Exception {
    tables++;
    String table = "two_sessions_" + tables;
    for (var hive : List.of(first.hive(), s3.hive())) {
      hive.set(CoreKeys.INLINE_MAX_BYTES.name(), "0");
    }
    s3.createPartitioned(table);

    whileStopped(
        1,
        CommitStep.COMPLETE,
        table,
        "insert into " + table + " " + target,
        held -> {
          s3.hive().execute("insert overwrite table " + table + " partition (p=9) values (6)");
          s3.hive().execute("alter table " + table + " drop partition (p=9)");
        });

    assertThat(first.hive().console())
        .contains("leaves partitions to a later commit, which replaces them: [p=9]");
    assertThat(s3.hive().execute("show partitions " + table)).isEmpty();
    assertThat(s3.bucket().files(table + "/")).as("of the later commit").hasSize(1);
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
    assertThat(TableLog.of(s3.bucket(), table).notEnded()).isEmpty();
  }

  /** The statement comes behind the one that drops, and adds the partition again. */
  @ParameterizedTest
  @TieredCases(
      quick = 2,
      value = {
        "autogather        | -elsewhere | insert into %s partition (p=1) values (90)",
        "autogather        | /p=1       | insert into %s partition (p) values (90, 1)",
        "column.autogather | -elsewhere | insert overwrite table %s partition (p=1) values (90)",
        "column.autogather | /p=1       | insert overwrite table %s partition (p=1) values (90)"
      })
  void rowsAreThereThoughThePartitionWasDroppedBeforeTheDecision(
      String off, String place, String insert) throws Exception {
    tables++;
    String table = "two_sessions_" + tables;
    first.hive().set("hive.stats." + off, "false");
    s3.createPartitioned(table);
    s3.addPartition(table, "p=1", "s3a://warehouse/" + table + place);
    s3.hive().execute("insert into " + table + " partition (p) values (100, 1), (200, 2)");
    whileStopped(
        1,
        CommitStep.DECIDE,
        table,
        insert.replace("%s", table),
        held -> s3.hive().execute("alter table " + table + " drop partition (p=1)"));

    List<String> rows = s3.hive().execute("select a from " + table);
    s3.hive().execute("insert into " + table + " partition (p=1) values (7)");
    s3.awaitBackgroundWork();
    assertThat(s3.hive().execute("select a from " + table)).as("after another").contains("90");
    assertThat(rows).contains("90");
  }

  /** While an INSERT without statistics commits: they are marked as unknown. */
  @Test
  void countOfAPartitionThatAnotherHasAddedWithStatisticsIsRight() throws Exception {
    String table = "two_sessions_counted";
    // Hive's metastore makes tables external unless told not to.
    for (var hive : List.of(first.hive(), s3.hive())) {
      hive.set("hive.metastore.metadata.transformer.class", " ");
      hive.set(CoreKeys.INLINE_MAX_BYTES.name(), "0");
    }
    closeMetastores();
    s3.createPartitioned(table);
    s3.hive().execute("alter table " + table + " set tblproperties ('EXTERNAL'='FALSE')");
    first.hive().set("hive.stats.autogather", "false");
    whileStopped(
        1,
        CommitStep.COMPLETE,
        table,
        "insert into " + table + " partition (p) values (90, 9)",
        held -> s3.hive().execute("insert into " + table + " partition (p=9) values (5)"));

    assertThat(s3.hive().execute("select a from " + table)).hasSize(2);
    assertThat(s3.hive().execute("select count(*) from " + table)).containsExactly("2");
    reset();
    closeMetastores();
  }

  /** The next statements use the settings that the sessions have then. */
  private static void closeMetastores() throws Exception {
    Hive.closeCurrent();
    first.on(
        () -> {
          Hive.closeCurrent();
          return null;
        });
  }

  /** What is done while a statement is stopped. */
  @FunctionalInterface
  private interface Meanwhile {
    void run(HeldRequests held) throws Exception;
  }

  /** Stops a statement of the first session at a request, and lets it go on to its end. */
  private static void whileStopped(
      int nth, CommitStep step, String table, String sql, Meanwhile meanwhile) throws Exception {
    whileStopped(nth, it -> step.sends(it, table), sql, meanwhile);
  }

  private static void whileStopped(
      int nth, Predicate<S3Request> stopping, String sql, Meanwhile meanwhile) throws Exception {
    HeldRequests held = HeldRequests.onlyNth(nth, stopping);
    s3.faults(held);
    Future<List<String>> running = first.begin(sql);
    held.awaitFirst();
    meanwhile.run(held);
    held.pass();
    running.get(5, TimeUnit.MINUTES);
    s3.faults(FaultRule.NONE);
  }

  /** The rows of a table, and that the metastore counts these, if it says that it knows them. */
  private static void assertRows(String table, List<String> rows) throws Exception {
    assertThat(s3.hive().execute("select concat(a, '/', p) from " + table))
        .containsExactlyInAnyOrderElementsOf(rows);
    TableState.of(s3.hive(), table)
        .places()
        .forEach(
            (partition, said) -> {
              String rowsThere = partition.replace("p=", "/");
              if (said.get("COLUMN_STATS_ACCURATE").contains("\"BASIC_STATS\":\"true\"")) {
                assertThat(said.get("numRows"))
                    .as("rows of partition " + partition)
                    .isEqualTo(
                        Long.toString(rows.stream().filter(it -> it.endsWith(rowsThere)).count()));
              }
            });
  }

  /**
   * Stops one statement at a step and runs another meanwhile.
   *
   * @param step whose request goes to the server when the statement goes on
   * @param rows of the table in the end
   */
  private static void assertRows(Pair pair, CommitStep step, String rows) throws Exception {
    tables++;
    String table = "two_sessions_" + tables;
    boolean small = step == CommitStep.SMALL_FILE;
    if (step == CommitStep.LIST || step.compareTo(CommitStep.DECIDE) > 0) {
      // One after the other, so that the first stops between two files, or two directories. Only
      // with more threads it lists ahead.
      first.hive().set(CoreKeys.COMMIT_THREADS.name(), "1");
    }
    for (var hive : List.of(first.hive(), s3.hive())) {
      hive.set(CoreKeys.INLINE_MAX_BYTES.name(), small ? "512K" : "0");
    }
    s3.createPartitioned(table);
    s3.hive()
        .execute("insert into " + table + " partition (p) values (100, 1), (200, 2), (300, 3)");

    whileStopped(
        SECOND.contains(step) ? 2 : 1,
        step,
        table,
        pair.stopped.replace("%s", table),
        held -> {
          s3.faults(held.or(passingWhenLookedFor(table, held)));
          s3.hive().execute(pair.other.replace("%s", table));
        });

    for (var hive : List.of(first.hive(), s3.hive())) {
      assertThat(hive.console()).contains("zero-rename: committed INSERT");
    }
    List<String> all = List.of(rows.split(" "));
    assertRows(table, all);
    assertThat(s3.bucket().files(table + "/")).as("one of each row").hasSameSizeAs(all);
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
    assertThat(TableLog.of(s3.bucket(), table).notEnded()).isEmpty();
  }

  /**
   * An overwrite that follows the other's commit waits until that cannot write small files any
   * more: the other goes on when it is waited for.
   */
  private static FaultRule passingWhenLookedFor(String table, HeldRequests held) {
    AtomicInteger looks = new AtomicInteger();
    return request -> {
      // Before the overwrite lists old files, and while it waits.
      if (request.type() == RequestType.LIST_OBJECTS_V2
          && request.prefix().orElse("").startsWith("_zerorename/" + table)
          && looks.incrementAndGet() == 2) {
        held.pass();
      }
      return Optional.empty();
    };
  }
}
