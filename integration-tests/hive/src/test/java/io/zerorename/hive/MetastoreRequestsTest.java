package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.hive.MetastoreCalls;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

/** What the commit of a statement asks of the metastore does not grow with its partitions. */
class MetastoreRequestsTest {
  /** Hive asks for so many partitions at once (metastore.batch.retrieve.max). */
  private static final int BATCH = 300;

  private final HiveOnS3 s3 = HiveOnS3.shared().withCommitter();

  @BeforeEach
  void count() {
    MetastoreCalls.SETTINGS.forEach(s3.hive()::set);
    s3.hive().set("hive.metastore.dml.events", "true");
    // The next statement makes a client, and with it a metastore, of the new settings.
    Hive.closeCurrent();
  }

  @AfterEach
  void countNoMore() {
    Hive.closeCurrent();
  }

  @ParameterizedTest
  @TieredCases(
      quick = 1,
      value = {"20", "1000"})
  void areThoseOfOnePartition(int partitions) throws Exception {
    String table = "asked_" + partitions;
    s3.create(table, "(a int) partitioned by (p int) stored as textfile");
    String insert =
        "insert overwrite table %s partition (p) select 1, pos from (select 1) x lateral view posexplode(split(space(%s), ' ')) y as pos, val"
            .formatted(table, partitions - 1);
    int batches = (partitions + BATCH - 1) / BATCH;
    MetastoreCalls.forget();
    s3.hive().execute(insert);
    assertThat(writes(calls()))
        .as("new ones")
        .isEqualTo(
            Map.of("add_partitions_req", 1, "alter_partitions_req", 1, "set_aggr_stats_for", 1));
    s3.hive().execute(insert);
    Map<String, Integer> calls = calls();
    assertThat(writes(calls))
        .as("those that are there")
        .isEqualTo(
            Map.of("fire_listener_event", 1, "alter_partitions_req", 1, "set_aggr_stats_for", 1));
    // Before the commit, behind it, and before their statistics are written.
    assertThat(calls).containsEntry("get_partitions_by_names_req", 3 * batches);
    assertThat(s3.hive().console()).contains("zero-rename: committed INSERT");
    assertThat(s3.hive().execute("select count(distinct p) from " + table))
        .containsExactly("" + partitions);
  }

  @Test
  void ofALargeTableNotAllPartitionsAreAskedFor() throws Exception {
    String table = "asked_large";
    s3.createPartitioned(table);
    s3.hive().execute("insert into %s partition (p) values (1, 1), (2, 2)".formatted(table));
    s3.addPartition(table, "p=3", "s3a://warehouse/" + table + "_else");
    s3.hive().set("zerorename.hive.asked.locations", "2");

    MetastoreCalls.forget();
    s3.hive().execute("insert into %s partition (p) values (10, 1)".formatted(table));
    assertThat(s3.hive().console()).contains("zero-rename: committed INSERT");
    assertThat(calls())
        .containsEntry("get_num_partitions_by_filter", 1)
        .doesNotContainKey("get_partitions_with_specs");
    String elsewhere = "insert into %s partition (p) values (20, 2), (30, 3)".formatted(table);
    s3.failure(elsewhere);
    assertThat(s3.hive().console())
        .contains(
            "ZR-5232: INSERT INTO default.asked_large was not committed: its partition p=3 is")
        .contains("more partitions than zerorename.hive.asked.locations (2)");
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
    assertThat(s3.hive().execute("select count(*) from " + table)).containsExactly("3");

    s3.hive().set("zerorename.hive.asked.locations", "3");
    s3.hive().execute(elsewhere);
    assertThat(s3.hive().console()).contains("path: CUSTOM_PARTITION_LOCATION");
    assertThat(s3.bucket().files(table + "_else/")).hasSize(1);
    assertThat(s3.hive().execute("select count(*) from " + table)).containsExactly("5");
  }

  private static Map<String, Integer> calls() {
    Map<String, Integer> calls = new HashMap<>();
    MetastoreCalls.all().forEach(call -> calls.merge(call.method(), 1, Integer::sum));
    MetastoreCalls.forget();
    return calls;
  }

  private static Map<String, Integer> writes(Map<String, Integer> calls) {
    Map<String, Integer> writes = new HashMap<>(calls);
    writes.keySet().removeIf(it -> it.startsWith("get") || it.equals("flushCache"));
    return writes;
  }
}
