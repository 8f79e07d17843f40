package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.testing.s3server.BucketContents.PendingUpload;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.RequestRecording;
import io.zerorename.testing.s3server.RequestType;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.hadoop.hive.metastore.api.WMNullableResourcePlan;
import org.apache.hadoop.hive.metastore.api.WMResourcePlan;
import org.apache.hadoop.hive.metastore.api.WMResourcePlanStatus;
import org.apache.hadoop.hive.metastore.api.WMTrigger;
import org.apache.hadoop.hive.ql.metadata.Hive;
import org.apache.hadoop.hive.ql.metadata.Partition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.sync.RequestBody;

/**
 * Hive's statistics after a commit are those of Hive's own path, and S3 is asked for them only
 * where nobody knows what is there. {@link InsertTest} compares them for each shape.
 */
class StatisticsTest {
  private static final String PLAN = "zerorename_plan";

  private final HiveOnS3 s3 = HiveOnS3.shared();

  /**
   * The metastore pairs the partitions of a statement with their names in another order, and would
   * take one for known by what it knows of another.
   */
  @Tag("thorough")
  @Test
  void columnsOfPartitionsWithFilesOfOthersAreNotTakenForKnown() throws Exception {
    s3.withCommitter();
    InterruptedInserts interrupted = new InterruptedInserts(s3);
    interrupted.create(
        "stats_mixed", "(a int) partitioned by (p string) stored as textfile", "stats_mixed");
    interrupted.run(
        "insert into stats_mixed partition (p) values (20, 'new2'), (30, 'new3')", "stats_mixed");
    for (String partition : List.of("new2", "new3")) {
      s3.bucket().write("stats_mixed/p=" + partition + "/foreign", new byte[] {'9', '\n'});
    }
    s3.hive().unset(CoreKeys.INLINE_MAX_BYTES.name());
    // What is open stays so.
    Set<String> open =
        s3.bucket().pendingUploads("stats_mixed/").stream()
            .map(PendingUpload::key)
            .collect(Collectors.toSet());
    assertThat(open).isNotEmpty();
    s3.faults(
        FaultRule.always(
            request ->
                request.type() == RequestType.COMPLETE_MULTIPART_UPLOAD
                    && open.contains(request.key()),
            Fault.accessDenied()));

    s3.hive()
        .execute(
            "insert into stats_mixed partition (p) values (2, 'new2'), (3, 'new3'), (4, 'new4')");

    Map<String, Map<String, String>> places = TableState.of(s3.hive(), "stats_mixed").places();
    for (String partition : List.of("new2", "new3")) {
      assertThat(places.get("p=" + partition))
          .containsEntry("COLUMN_STATS_ACCURATE", "null")
          .containsEntry("numFiles", "2")
          .containsEntry("numRows", "null");
    }
    assertThat(places.get("p=new4")).containsEntry("numRows", "1");
    s3.faults(FaultRule.NONE);
    s3.hive().execute("drop table stats_mixed");
    assertThat(s3.bucket().pendingUploads("stats_mixed/")).isEmpty();
  }

  /** The commit looks for its files, and the metastore for its directory. */
  @Test
  void partitionThatAnInsertAddsIsNotListedForItsStatistics() throws Exception {
    s3.withCommitter();
    s3.createPartitioned("stats_new");
    try (RequestRecording recording = s3.record()) {
      s3.hive().execute("insert into stats_new partition (p) values (1, 1), (2, 2)");

      long commit = 1;
      long metastore = 1;
      assertThat(listings(recording, "stats_new/p=1/")).isEqualTo(commit + metastore);
      assertThat(listings(recording, "stats_new/p=2/")).isEqualTo(commit + metastore);
    }
    assertThat(TableState.of(s3.hive(), "stats_new").places().values())
        .hasSize(2)
        .allSatisfy(
            place ->
                assertThat(place).containsEntry("numFiles", "1").containsEntry("numRows", "1"));
  }

  @Tag("thorough")
  @Test
  void partitionsToWhichAnInsertAddsAreListedTogetherAndCountedAsByHive() throws Exception {
    String insert = " partition (p) values (1, 1), (2, 2), (3, 3)";
    Map<String, Map<String, String>> stock = addTwice("stats_together_stock", insert);
    s3.withCommitter();
    Map<String, Map<String, String>> ours = addTwice("stats_together_ours", insert);
    try (RequestRecording recording = s3.record()) {
      s3.hive().execute("insert into stats_together_ours" + insert);

      assertThat(listings(recording, "stats_together_ours/p=")).isEqualTo(1);
      for (int p = 1; p <= 3; p++) {
        assertThat(listings(recording, "stats_together_ours/p=" + p + "/")).isZero();
      }
    }

    assertThat(ours).isEqualTo(stock);
    assertThat(ours).hasSize(3);
    assertThat(ours.get("p=1")).containsEntry("numFiles", "3").containsEntry("numRows", "2");
  }

  /**
   * Adds rows, then files as other programs leave them, of which Hive counts one, and rows again.
   */
  private Map<String, Map<String, String>> addTwice(String table, String insert) throws Exception {
    s3.createPartitioned(table);
    s3.hive().execute("insert into " + table + insert);
    for (String key :
        List.of("_notes", ".hidden", "sub/", "sub/counted", "sub/_not", "_sub/not", "a/.b/not")) {
      s3.server()
          .backendClient()
          .putObject(
              put -> put.bucket(HiveOnS3.BUCKET).key(table + "/p=1/" + key),
              RequestBody.fromString(key.endsWith("/") ? "" : "something"));
    }
    s3.hive().execute("insert into " + table + insert);
    Map<String, Map<String, String>> statistics = new TreeMap<>();
    Hive metastore = s3.hive().metastore();
    for (Partition partition : metastore.getPartitions(metastore.getTable("default", table))) {
      Map<String, String> parameters = new TreeMap<>(partition.getParameters());
      parameters.keySet().removeIf(name -> name.contains("DdlTime"));
      statistics.put(partition.getName(), parameters);
    }
    return statistics;
  }

  /**
   * Hive looks for the partition of each writer, two requests each, to count those that are new.
   */
  @Tag("thorough")
  @Test
  void newPartitionsAreLookedForOnlyWhereATriggerCountsThem() throws Exception {
    s3.withCommitter();
    s3.createPartitioned("stats_trigger");
    s3.hive().execute("insert into stats_trigger partition (p) values (1, 1)");
    assertThat(lookUps("insert into stats_trigger partition (p) values (2, 1)")).isZero();

    // Not by statements, which need a HiveServer2 that could kill queries.
    Hive metastore = s3.hive().metastore();
    WMTrigger trigger = new WMTrigger(PLAN, "many");
    trigger.setTriggerExpression("CREATED_DYNAMIC_PARTITIONS > 100");
    trigger.setActionExpression("KILL");
    metastore.createResourcePlan(new WMResourcePlan(PLAN), null, false);
    metastore.createWMTrigger(trigger);
    metastore.alterResourcePlan(PLAN, status(WMResourcePlanStatus.ACTIVE), true, false, false);
    try {
      assertThat(lookUps("insert into stats_trigger partition (p) values (3, 1)")).isEqualTo(1);
    } finally {
      metastore.alterResourcePlan(PLAN, status(WMResourcePlanStatus.DISABLED), false, true, false);
      metastore.dropResourcePlan(PLAN, false);
    }
  }

  private static WMNullableResourcePlan status(WMResourcePlanStatus status) {
    WMNullableResourcePlan change = new WMNullableResourcePlan();
    change.setStatus(status);
    return change;
  }

  private long lookUps(String statement) throws Exception {
    try (RequestRecording recording = s3.record()) {
      s3.hive().execute(statement);
      return recording.requests().stream()
          .filter(
              request ->
                  request.type() == RequestType.HEAD_OBJECT
                      && request.key().startsWith("stats_trigger/p="))
          .count();
    }
  }

  private static long listings(RequestRecording recording, String prefix) {
    return recording.requests().stream()
        .filter(
            request ->
                request.type() == RequestType.LIST_OBJECTS_V2
                    && request.prefix().orElse("").equals(prefix))
        .count();
  }
}
