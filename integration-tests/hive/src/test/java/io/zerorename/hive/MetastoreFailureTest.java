package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.config.CoreKeys;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The metastore refuses what an INSERT tells it after the commit was decided. Hive deletes the
 * directory of a partition that it cannot add, with all that is in it; no file may be lost that the
 * statement did not replace, nor one of its own, and the next INSERT ends the commit.
 */
class MetastoreFailureTest {
  private static final String SETTING_COLUMN_STATISTICS = "set_aggr_stats_for";

  private final HiveOnS3 s3 = HiveOnS3.shared().withCommitter();

  @BeforeEach
  void withCommitter() {
    s3.hive().set(CoreKeys.RECOVERY_PATIENCE.name(), "0");
    RefusedCalls.install(s3);
  }

  @AfterEach
  void answerAgain() {
    RefusedCalls.refuseNothing();
    Hive.closeCurrent();
  }

  @ParameterizedTest
  @TieredCases(
      quick = 1,
      value = {
        "dynamic_into      | insert into %s partition (p) values (1, 7), (2, 8)            | 1",
        "static_into       | insert into %s partition (p=7) values (1)                     | 2",
        "dynamic_overwrite | insert overwrite table %s partition (p) values (1, 7), (2, 8) | 1"
      })
  void newPartitionThatIsRefusedLosesNoFileOfAnybody(String name, String statement, int inSeven)
      throws Exception {
    String table = "refused_" + name;
    s3.createPartitioned(table);
    // Files of others, of which the metastore does not know. Hive hides one of them.
    s3.hive().execute("insert into " + table + " partition (p=1) values (100)");
    byte[] foreign = s3.bucket().read(s3.bucket().files(table + "/p=1/").get(0));
    s3.bucket().write(table + "/p=7/foreign", foreign);
    s3.bucket().write(table + "/p=7/_hidden", "hidden".getBytes(StandardCharsets.UTF_8));
    SortedMap<String, Long> before = s3.bucket().objects(table + "/");

    RefusedCalls.refuse("add_partition");
    String console = s3.failure(statement.replace("%s", table));
    RefusedCalls.refuseNothing();

    assertThat(console)
        .contains(RefusedCalls.MESSAGE)
        .contains("failed after its data was committed. All of its files are in place");
    List<String> kept = new ArrayList<>(before.keySet());
    if (!name.startsWith("static_into")) {
      // Hive's own path replaces it as well where rows choose the partition.
      kept.remove(table + "/p=7/foreign");
    }
    assertThat(s3.bucket().objects(table + "/").keySet()).containsAll(kept);
    assertThat(s3.bucket().files(table + "/p=7/")).hasSize(inSeven + 1);

    s3.hive().execute("insert into " + table + " partition (p=9) values (9)");
    s3.awaitBackgroundWork();

    assertThat(s3.hive().console())
        .contains("and interrupted; it is complete now")
        .contains("Partition p=7 was added to the metastore.");
    assertThat(s3.hive().execute("select count(*) from " + table + " where p = 7"))
        .containsExactly(Integer.toString(inSeven));
    assertThat(s3.hive().execute("select count(*) from " + table + " where p = 9"))
        .containsExactly("1");
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
  }

  /** Directories of partitions have the column's name escaped. */
  @Tag("thorough")
  @Test
  void partitionOfAnOddlyNamedColumnIsAddedByTheNextInsert() throws Exception {
    s3.create("refused_odd_column", "(a int) partitioned by (`p#q` int) stored as orc");
    RefusedCalls.refuse("add_partition");
    s3.failure("insert into refused_odd_column partition (`p#q`=7) values (1)");
    RefusedCalls.refuseNothing();

    s3.hive().execute("insert into refused_odd_column partition (`p#q`=9) values (9)");
    s3.awaitBackgroundWork();

    assertThat(s3.hive().console()).contains("p%23q=7 was added to the metastore.");
    assertThat(s3.hive().execute("select a from refused_odd_column where `p#q` = 7"))
        .containsExactly("1");
  }

  @Tag("thorough")
  @Test
  void partitionThatIsRefusedForGoodBlocksNoOverwrite() throws Exception {
    String table = "refused_for_good";
    s3.createPartitioned(table);
    // An overwrite waits for the end of the time in which an interrupted commit may write them.
    s3.hive().set(CoreKeys.INLINE_MAX_BYTES.name(), "0");
    s3.hive().execute("insert into " + table + " partition (p) values (1, 1), (2, 2)");
    RefusedCalls.refuse("add_partition", "values:[7]");
    s3.failure("insert into " + table + " partition (p) values (10, 1), (70, 7), (80, 8)");

    s3.hive().execute("insert overwrite table " + table + " partition (p=2) values (20)");
    s3.awaitBackgroundWork();
    assertThat(s3.hive().console())
        .contains("zero-rename: committed INSERT OVERWRITE")
        .contains("Partition p=8 was added to the metastore.")
        .contains("the metastore refuses [p=7]: ", RefusedCalls.MESSAGE)
        .contains("zerorename recover --without-metastore s3a://warehouse/" + table);
    assertThat(s3.hive().execute("select * from " + table))
        .containsExactlyInAnyOrder("1\t1", "10\t1", "20\t2", "80\t8");

    s3.hive().execute("insert overwrite table " + table + " partition (p=1) values (11)");
    s3.awaitBackgroundWork();
    assertThat(s3.hive().execute("select * from " + table))
        .containsExactlyInAnyOrder("11\t1", "20\t2", "80\t8");
    RefusedCalls.refuseNothing();
    s3.hive().execute("insert into " + table + " partition (p=9) values (90)");
    s3.awaitBackgroundWork();
    s3.hive().execute("alter table " + table + " drop partition (p=9)");
    assertThat(s3.hive().execute("select * from " + table))
        .containsExactlyInAnyOrder("11\t1", "20\t2", "70\t7", "80\t8");
  }

  @ParameterizedTest
  @TieredCases(
      quick = 1,
      value = {"overwrite | overwrite table | 1", "into | into | 3"})
  void tableThatIsRefusedLosesNoFileOfAnybody(String name, String how, int files) throws Exception {
    String table = "refused_table_" + name;
    s3.create(table, "(a int) stored as orc");
    s3.hive().execute("insert into " + table + " values (100)");
    s3.bucket().write(table + "/foreign", s3.bucket().read(s3.bucket().files(table + "/").get(0)));

    RefusedCalls.refuse("alter_table");
    String console = s3.failure("insert " + how + " " + table + " values (1)");
    RefusedCalls.refuseNothing();

    assertThat(console)
        .contains("failed after its data was committed. All of its files are in place");
    assertThat(s3.bucket().files(table + "/")).hasSize(files);
    s3.hive().execute("insert into " + table + " values (2)");
    s3.awaitBackgroundWork();
    assertThat(s3.hive().execute("select count(*) from " + table))
        .containsExactly(Integer.toString(files + 1));
    // A process that completes the commit of another has not counted its rows.
    assertThat(knownColumns(table, "")).doesNotContain("\"BASIC_STATS\":\"true\"");
  }

  @ParameterizedTest
  @ValueSource(strings = {"(p='A-B', q) values (1, 2)", "(p='A-B', q=2) values (1)"})
  void nameThatTheMetastoreForbidsIsRefusedBeforeTheCommit(String insert) throws Exception {
    s3.hive().set("hive.metastore.partition.name.whitelist.pattern", "[a-z0-9]*");
    Hive.closeCurrent();
    String table = "refused_name";
    s3.createOnce(table, "(a int) partitioned by (p string, q int) stored as orc");
    assertThat(s3.failure("insert into " + table + " partition " + insert))
        .contains("ZR-5224", "Nothing was changed")
        .doesNotContain("failed after its data was committed");
    assertThat(s3.bucket().files(table + "/")).isEmpty();
    assertThat(s3.bucket().pendingUploads(table + "/")).isEmpty();
  }

  /** As when the metastore's database chooses that request as the victim of a deadlock. */
  @ParameterizedTest
  @TieredCases(
      quick = 1,
      value = {
        "dynamic | partitioned by (p int) | insert into %s partition (p) values (5, 1) | p=1",
        "plain   |                        | insert into %s values (5, 1)               |"
      })
  void refusedColumnStatisticsAreMarkedAsUnknownAndFailNoInsert(
      String name, String partitioned, String statement, String partition) throws Exception {
    String table = createFilled("refused_columns_" + name, partitioned);
    assertThat(knownColumns(table, partition)).contains("\"a\":\"true\"");

    RefusedCalls.refuse(SETTING_COLUMN_STATISTICS);
    s3.hive().execute(statement.replace("%s", table));
    RefusedCalls.refuseNothing();

    assertThat(s3.hive().console())
        .contains(
            "zero-rename: ZR-5212: the statistics of default."
                + table
                + " are marked as unknown: they could not be written")
        .contains(RefusedCalls.MESSAGE);
    assertThat(knownColumns(table, partition)).doesNotContain("\"a\"");
    assertThat(s3.hive().execute("select max(a) from " + table)).containsExactly("5");
    s3.hive().execute("analyze table " + table + " compute statistics for columns");
    assertThat(knownColumns(table, partition)).contains("\"a\":\"true\"");
  }

  @Tag("thorough")
  @Test
  void refusedColumnStatisticsFailTheInsertWhereTheyMustBeReliable() throws Exception {
    String table = createFilled("refused_reliable", "partitioned by (p int)");
    s3.hive().set("hive.stats.reliable", "true");
    RefusedCalls.refuse(SETTING_COLUMN_STATISTICS);

    assertThat(s3.failure("insert into " + table + " partition (p) values (5, 1)"))
        .contains("failed after its data was committed. All of its files are in place");
  }

  /** As where the network breaks. To add the rows once more would count them twice. */
  @Test
  void rowsAreUnknownWhereTheAnswerToTheirNumberIsLost() throws Exception {
    String table = createFilled("lost_answer", "partitioned by (p int)");
    s3.hive().execute("insert into " + table + " partition (p) values (2, 2), (3, 3)");
    RefusedCalls.loseAnswer("alter_partitions");
    s3.hive().execute("insert into " + table + " partition (p) values (10, 1), (20, 2), (30, 3)");
    assertThat(RefusedCalls.isLost()).isTrue();
    TableState.of(s3.hive(), table)
        .places()
        .forEach(
            (partition, said) -> {
              assertThat(said.getOrDefault("COLUMN_STATS_ACCURATE", ""))
                  .as(partition)
                  .doesNotContain("BASIC_STATS");
            });
    assertThat(s3.hive().execute("select count(*) from " + table)).containsExactly("6");
  }

  /** A table with one row, whose columns have statistics. */
  private String createFilled(String table, String partitioned) throws Exception {
    s3.create(
        table,
        (partitioned.isEmpty() ? "(a int, p int)" : "(a int) " + partitioned) + " stored as orc");
    s3.hive().execute("insert into " + table + " values (1, 1)");
    return table;
  }

  /** Which statistics the metastore says are right. */
  private String knownColumns(String table, String partition) throws Exception {
    return TableState.of(s3.hive(), table).places().get(partition).get("COLUMN_STATS_ACCURATE");
  }
}
