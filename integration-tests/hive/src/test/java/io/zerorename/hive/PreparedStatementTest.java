package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.testing.hive.StatementFailedException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Statements whose plan is not made for one execution: prepared ones, of whose executions Hive
 * shares descriptors, and INSERT … IF NOT EXISTS, for which it plans nothing where the partition
 * exists.
 */
class PreparedStatementTest {
  private final HiveOnS3 s3 = HiveOnS3.shared();

  @BeforeEach
  void reset() throws Exception {
    s3.reset();
    s3.withoutCommitter();
    s3.hive()
        .execute(
            "create table if not exists prepared_numbers (a int) tblproperties"
                + " ('transactional'='false')");
    if (s3.hive().execute("select * from prepared_numbers").isEmpty()) {
      s3.hive().execute("insert into prepared_numbers values (1), (2), (3), (4)");
    }
  }

  @Tag("thorough")
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "dynamic_into      | p | insert into %s partition (p) select a, a from prepared_numbers where a > ?"
      })
  void eachExecutionIsACommitOfItsOwnInOtherCases(String name, String partitioned, String statement)
      throws Exception {
    eachExecutionIsACommitOfItsOwn(name, partitioned, statement);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "plain_overwrite   | | insert overwrite table %s select a from prepared_numbers where a > ?"
      })
  void eachExecutionIsACommitOfItsOwn(String name, String partitioned, String statement)
      throws Exception {
    executeThreeTimes(name, partitioned, statement);
  }

  @Tag("thorough")
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "plain_into        | | insert into %s select a from prepared_numbers where a > ?",
        "static_overwrite  | p | insert overwrite table %s partition (p=1) select a from"
            + " prepared_numbers where a > ?",
        "dynamic_overwrite | p | insert overwrite table %s partition (p) select a, a from"
            + " prepared_numbers where a > ?"
      })
  void eachExecutionOfMoreIsACommitOfItsOwn(String name, String partitioned, String statement)
      throws Exception {
    executeThreeTimes(name, partitioned, statement);
  }

  private void executeThreeTimes(String name, String partitioned, String statement)
      throws Exception {
    String stock = "prepared_" + name + "_stock";
    String ours = "prepared_" + name + "_ours";
    for (String table : List.of(stock, ours)) {
      if (table.equals(ours)) {
        s3.withCommitter();
        s3.hive().set(CoreKeys.INLINE_MAX_BYTES.name(), "0");
      }
      create(table, partitioned != null);
      s3.hive().execute("prepare of_" + table + " from " + statement.replace("%s", table));
      assertThat(s3.hive().console()).doesNotContain("zero-rename");
      for (int above : List.of(2, 1, 1)) {
        s3.hive().execute("execute of_" + table + " using " + above);
        if (table.equals(ours)) {
          assertThat(s3.hive().console()).contains("zero-rename: committed INSERT");
        }
      }
    }

    assertThat(TableState.of(s3.hive(), ours)).isEqualTo(TableState.of(s3.hive(), stock));
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
    assertThat(s3.bucket().objects(ours + "/").keySet())
        .as("data files and the markers that Hive makes")
        .allMatch(key -> key.matches("[^.]*/(000000_0\\.[-0-9a-f]{36})?"));
  }

  @Tag("thorough")
  @Test
  void tablePropertyAndFallbackOfAPreparedStatementHold() throws Exception {
    s3.withCommitter();
    create("prepared_off", false);
    s3.hive().execute("alter table prepared_off set tblproperties ('zerorename.enabled'='false')");
    s3.hive()
        .execute(
            "prepare of_off from insert into prepared_off select a from prepared_numbers where a >"
                + " ?");
    s3.hive().execute("execute of_off using 3");

    assertThat(s3.hive().console())
        .contains("default.prepared_off is written by Hive's own rename path: DISABLED");
    assertThat(s3.hive().execute("select * from prepared_off")).containsExactly("4");
  }

  @Tag("thorough")
  @Test
  void switchesHoldThatAreSetAfterThePreparation() throws Exception {
    s3.withCommitter();
    create("prepared_switched", false);
    s3.hive()
        .execute(
            "prepare of_switched from insert into prepared_switched select a from prepared_numbers"
                + " where a > ?");
    String committed = "zero-rename: committed INSERT INTO default.prepared_switched";

    s3.hive().set("zerorename.hive.enabled", "false");
    assertThat(executed("of_switched")).contains("DISABLED, ").contains("hive.enabled=false");
    s3.hive().unset("zerorename.hive.enabled");
    assertThat(executed("of_switched")).contains(committed);

    property("prepared_switched", "false");
    assertThat(executed("of_switched")).contains("DISABLED, ").contains("zerorename.enabled=false");
    property("prepared_switched", "true");
    assertThat(executed("of_switched")).contains(committed);

    s3.hive().set("zerorename.hive.enabled", "false");
    s3.hive()
        .execute(
            "prepare of_switched_off from insert into prepared_switched select a from"
                + " prepared_numbers where a > ?");
    s3.hive().unset("zerorename.hive.enabled");
    assertThat(executed("of_switched_off")).contains(committed);
    assertThat(s3.hive().execute("select count(*), min(a) from prepared_switched"))
        .containsExactly("5\t4");
  }

  private String executed(String name) throws Exception {
    s3.hive().execute("execute " + name + " using 3");
    return s3.hive().console();
  }

  private void property(String table, String enabled) throws Exception {
    s3.hive()
        .execute(
            "alter table " + table + " set tblproperties ('zerorename.enabled'='" + enabled + "')");
  }

  @Tag("thorough")
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "moved     |                 | set location 's3a://warehouse/%s-moved'",
        "moved_part| partition (p=1) | partition (p=1) set location 's3a://warehouse/%s-moved'"
      })
  void tableThatIsAnotherSinceThePreparationInOtherCases(
      String name, String partition, String change) throws Exception {
    tableThatIsAnotherSinceThePreparation(name, partition, change);
  }

  /** Rows go where Hive alone puts them, or the statement fails as it does there. */
  @Tag("thorough")
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"renamed   |                 | rename to %s_renamed"})
  void tableThatIsAnotherSinceThePreparation(String name, String partition, String change)
      throws Exception {
    List<Object> outcomes = new ArrayList<>();
    for (String table : List.of("prepared_stock_" + name, "prepared_magic_" + name)) {
      if (table.contains("magic")) {
        s3.withCommitter();
      }
      create(table, partition != null);
      String insert = "insert into " + table + " " + (partition == null ? "" : partition);
      s3.hive().execute(insert + " select 100");
      s3.hive()
          .execute(
              "prepare of_"
                  + table
                  + " from "
                  + insert
                  + " select a from prepared_numbers where a > ?");
      s3.hive().execute("alter table " + table + " " + change.replace("%s", table));
      boolean failed = false;
      try {
        s3.hive().execute("execute of_" + table + " using 2");
      } catch (StatementFailedException e) {
        failed = true;
      }
      assertThat(s3.hive().console()).doesNotContain("zero-rename: committed");
      String now = change.startsWith("rename") ? table + "_renamed" : table;
      outcomes.add(
          List.of(
              failed,
              s3.hive().execute("select a from " + now).stream().sorted().toList(),
              s3.bucket().files(table + "/").size(),
              s3.bucket().files(table + "-moved/").size()));
    }
    assertThat(outcomes.get(1)).isEqualTo(outcomes.get(0));
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
  }

  @Tag("thorough")
  @Test
  void insertIfNotExistsIsCommittedOrDoesNothing() throws Exception {
    s3.withCommitter();
    create("if_not_exists", true);
    String statement = "insert overwrite table if_not_exists partition (p=1) if not exists select ";
    s3.hive().execute(statement + "1");
    assertThat(s3.hive().console()).contains("zero-rename: committed INSERT OVERWRITE");
    var objects = s3.bucket().objects("");

    s3.hive().execute(statement + "2");

    assertThat(s3.hive().console()).doesNotContain("zero-rename");
    assertThat(s3.bucket().objects("")).isEqualTo(objects);
    assertThat(s3.hive().execute("select * from if_not_exists")).containsExactly("1\t1");
  }

  private void create(String table, boolean partitioned) throws Exception {
    s3.hive()
        .execute(
            "create external table "
                + table
                + " (a int) "
                + (partitioned ? "partitioned by (p int) " : "")
                + "stored as orc location 's3a://warehouse/"
                + table
                + "'");
  }
}
