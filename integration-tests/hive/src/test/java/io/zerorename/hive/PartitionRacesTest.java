package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.HeldRequests;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Other sessions drop or add a partition while an INSERT into it commits, without locks: its rows
 * are there and are counted, as on Hive's own path.
 */
class PartitionRacesTest {
  private static HiveOnS3 s3;
  private static FurtherSession first;

  @BeforeAll
  static void start(@TempDir(cleanup = CleanupMode.NEVER) Path directory) throws Exception {
    s3 = HiveOnS3.shared();
    s3.hive().execute("show databases");
    first = FurtherSession.start(s3, directory, Map.of());
  }

  @AfterAll
  static void stop() throws Exception {
    first.close();
  }

  @BeforeEach
  void reset() {
    s3.reset();
    s3.withCommitter();
    first.hive().resetSettings();
  }

  @AfterEach
  void answerAgain() throws Exception {
    s3.reset();
    Hive.closeCurrent();
    first.hive().resetSettings();
    first.on(
        () -> {
          Hive.closeCurrent();
          return null;
        });
  }

  @Tag("thorough")
  @ParameterizedTest
  @CsvSource({
    "hive.stats.autogather,        'insert into %s partition (p=1) values (90)'",
    "hive.stats.autogather,        'insert overwrite table %s partition (p) values (90, 1)'",
    "hive.stats.column.autogather, 'insert into %s partition (p=1) values (90)'",
    "hive.stats.column.autogather, 'insert into %s partition (p) values (90, 1)'",
    "zerorename.unused,            'insert into %s partition (p) values (90, 1)'",
    "zerorename.unused,            'insert overwrite table %s partition (p=1) values (90)'",
  })
  void rowsAreThereInOtherCases(String off, String insert) throws Exception {
    rowsAreThereThoughThePartitionWasDroppedBeforeTheDecision(off, insert);
  }

  /** The statement comes behind the one that drops, and adds the partition again. */
  @ParameterizedTest
  @CsvSource({"hive.stats.autogather, 'insert into %s partition (p) values (90, 1)'"})
  void rowsAreThereThoughThePartitionWasDroppedBeforeTheDecision(String off, String insert)
      throws Exception {
    String table = "races_dropped_" + Integer.toHexString((off + insert).hashCode());
    first.hive().set(off, "false");
    s3.createPartitioned(table);
    s3.hive().execute("insert into " + table + " partition (p) values (100, 1), (200, 2)");
    HeldRequests held = HeldRequests.onlyNth(1, it -> CommitStep.DECIDE.sends(it, table));
    s3.server().gateway().faults(held);
    Future<List<String>> running = first.begin(insert.replace("%s", table));
    held.awaitFirst();
    s3.hive().execute("alter table " + table + " drop partition (p=1)");
    held.pass();
    running.get(5, TimeUnit.MINUTES);
    s3.server().gateway().faults(FaultRule.NONE);

    List<String> rows = s3.hive().execute("select a from " + table);
    s3.hive().execute("insert into " + table + " partition (p) values (7, 1)");
    s3.awaitBackgroundWork();
    assertThat(s3.hive().execute("select a from " + table)).as("after another").contains("90");
    assertThat(rows).contains("90");
  }

  /**
   * Another session adds the partition, with statistics, while an INSERT without statistics
   * commits: they are marked as unknown.
   */
  @ParameterizedTest
  @CsvSource({"'partition (p) values (90, 9)'"})
  void countOfAPartitionThatAnotherHasAddedIsRight(String insert) throws Exception {
    String table = "races_counted_" + insert.length();
    managed(table);
    first.hive().set("hive.stats.autogather", "false");
    HeldRequests held = HeldRequests.onlyNth(1, it -> CommitStep.COMPLETE.sends(it, table));
    s3.server().gateway().faults(held);
    for (var hive : List.of(first.hive(), s3.hive())) {
      hive.set(CoreKeys.INLINE_MAX_BYTES.name(), "0");
    }
    Future<List<String>> running = first.begin("insert into " + table + " " + insert);
    held.awaitFirst();
    s3.hive().execute("insert into " + table + " partition (p=9) values (5)");
    held.pass();
    running.get(5, TimeUnit.MINUTES);
    s3.server().gateway().faults(FaultRule.NONE);
    assertThat(s3.hive().execute("select a from " + table)).hasSize(2);
    assertThat(s3.hive().execute("select count(*) from " + table)).containsExactly("2");
  }

  /** Hive's metastore makes them external unless told not to. */
  private static void managed(String table) throws Exception {
    first.hive().set("hive.metastore.metadata.transformer.class", " ");
    first.on(
        () -> {
          Hive.closeCurrent();
          return null;
        });
    s3.hive().set("hive.metastore.metadata.transformer.class", " ");
    Hive.closeCurrent();
    s3.createPartitioned(table);
    s3.hive().execute("alter table " + table + " set tblproperties ('EXTERNAL'='FALSE')");
  }
}
