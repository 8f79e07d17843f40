package io.zerorename.hive;

import static io.zerorename.testing.s3server.FaultRule.always;
import static io.zerorename.testing.s3server.FaultRule.fromNth;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.testing.hive.StatementTimes;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.HeldRequests;
import io.zerorename.testing.s3server.RequestRecording;
import io.zerorename.testing.s3server.RequestType;
import io.zerorename.testing.s3server.S3Request;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

/** INSERTs under a run id: however often a scheduler repeats one, its rows are there once. */
class RepeatedRunTest {
  private static final String WRITTEN_BEFORE =
      "ZR-1136: INSERT INTO default.%s has written nothing: its run \"run 1\" was committed before";

  /** Of a commit: its entry and its marker, of which the keys begin alike. */
  private static final int KEYS_OF_A_TARGET = 2;

  private static HiveOnS3 s3;
  private static FurtherSession other;
  private static InterruptedInserts interrupted;

  @BeforeAll
  static void start() throws Exception {
    s3 = HiveOnS3.shared();
    other = FurtherSession.shared(s3);
    interrupted = new InterruptedInserts(s3);
  }

  @BeforeEach
  void reset() {
    s3.reset();
    s3.withCommitter();
    other.hive().resetSettings();
    other.hive().set(CoreKeys.RUN_ID.name(), "run 1");
    s3.hive().set(CoreKeys.RUN_ID.name(), "run 1");
  }

  private static void assertWrittenBefore(String table) {
    assertThat(s3.hive().console()).contains(WRITTEN_BEFORE.formatted(table));
    interrupted.assertNothingIsOpen(table);
  }

  private static void assertNoTaskHasWritten() {
    assertThat(s3.hive().times().tasks())
        .extracting(StatementTimes.Task::name)
        .containsExactly("ZERO-RENAME-COMMIT", "MOVE", "STATS TASK");
  }

  @ParameterizedTest
  @TieredCases(
      quick = 1,
      value = {
        "tez   | (a int) partitioned by (p int) | partition (p) values (1, 1), (2, 2)",
        "tez   | (a int)                        | values (1), (2)",
        "merge | (a int)                        | select 1 union all select 2",
        "mr    | (a int) partitioned by (p int) | partition (p=1) values (1), (2)",
      })
  void repetitionCompletesWhatFailedBehindItsDecision(String how, String definition, String rows)
      throws Exception {
    String table = "repeated_" + Integer.toHexString(rows.hashCode());
    String insert = "insert into " + table + " " + rows;
    boolean merges = how.equals("merge");
    s3.hive().set("hive.execution.engine", merges ? "tez" : how);
    s3.hive().set("hive.merge.tezfiles", String.valueOf(merges));
    s3.hive().set("zerorename.hive.merge", "commit");
    interrupted.create(table, definition + " stored as orc");
    interrupted.run(insert, table);
    assertThat(s3.hive().console()).contains("Run it again with the same zerorename.run.id: ");

    s3.hive().execute(insert);

    assertWrittenBefore(table);
    assertNoTaskHasWritten();
    interrupted.assertRows(table, "1", "2");
    s3.hive().execute(insert);
    assertWrittenBefore(table);
    interrupted.assertRows(table, "1", "2");
  }

  @Test
  void repetitionOfWhatIsCompleteChangesNothing() throws Exception {
    String table = "repeated_complete";
    String insert = "insert into " + table + " partition (p) values (1, 1), (2, 2)";
    s3.createPartitioned(table);
    s3.hive().execute(insert);
    TableState before = TableState.of(s3.hive(), table);
    assertThat(before.places().get("p=1")).containsEntry("numRows", "1");
    RequestRecording recording = s3.record();

    s3.hive().execute(insert);

    recording.close();
    assertThat(recording.requests())
        .filteredOn(it -> it.prefix().orElse(it.key()).matches("_zerorename/.*|" + table + "/p=.*"))
        .as("five looks into the log, its entry twice, and each file")
        .hasSize(5 + 2 + 2)
        .extracting(S3Request::type)
        .containsOnly(RequestType.LIST_OBJECTS_V2, RequestType.GET_OBJECT, RequestType.HEAD_OBJECT);

    assertWrittenBefore(table);
    assertNoTaskHasWritten();
    assertThat(TableState.of(s3.hive(), table)).isEqualTo(before);

    s3.hive().set(CoreKeys.RUN_ID.name(), "run 2");
    s3.hive().execute(insert);
    interrupted.assertRows(table, "1", "1", "2", "2");
  }

  /** By an operator who does without the metastore, or by a DROP that leaves the files. */
  @ParameterizedTest
  @TieredCases(
      quick = 1,
      value = {"true", "false"})
  void partitionsThatTheMetastoreLacksAreAddedByTheRepetition(boolean ended) throws Exception {
    String table = "repeated_partitions_" + ended;
    String insert = "insert into " + table + " partition (p) values (1, 1), (2, 2)";
    s3.createPartitioned(table);
    if (ended) {
      interrupted.run(insert, table);
      interrupted.command("recover --without-metastore s3a://warehouse/" + table);
      interrupted.assertNothingIsOpen(table);
    } else {
      s3.hive().execute(insert);
      s3.hive().execute("alter table " + table + " drop partition (p=2)");
    }
    assertThat(s3.hive().execute("show partitions " + table)).doesNotContain("p=2");

    s3.hive().execute(insert);

    assertThat(s3.hive().console()).contains("Partition p=2 was added to the metastore.");
    assertWrittenBefore(table);
    interrupted.assertRows(table, "1", "2");
  }

  /** The other comes before the first one's decision, or in the midst of its files. */
  @ParameterizedTest
  @TieredCases(
      quick = 1,
      value = {"DECIDE", "COMPLETE", "FINISH"})
  void twoThatRunAtTheSameTimeWriteOnce(CommitStep step) throws Exception {
    String table = "repeated_at_once_" + step.name().toLowerCase(Locale.ROOT);
    String insert = "insert into " + table + " partition (p) values (1, 1), (2, 2)";
    for (var hive : List.of(s3.hive(), other.hive())) {
      hive.set(CoreKeys.INLINE_MAX_BYTES.name(), "0");
    }
    s3.createPartitioned(table);
    HeldRequests held = HeldRequests.onlyNth(1, it -> step.sends(it, table));
    s3.faults(held);
    Future<List<String>> running = other.begin(insert);
    held.awaitFirst();

    s3.hive().execute(insert);
    held.pass();
    running.get(5, TimeUnit.MINUTES);

    assertThat((step == CommitStep.DECIDE ? other.hive() : s3.hive()).console())
        .contains(WRITTEN_BEFORE.formatted(table));
    interrupted.assertNothingIsOpen(table);
    interrupted.assertRows(table, "1", "2");
  }

  @Tag("thorough")
  @Test
  void anotherStatementUnderTheIdFailsAndAnotherTableHasItsOwnRun() throws Exception {
    for (String table : List.of("repeated_one", "repeated_two")) {
      interrupted.createWithRow(table);
    }

    assertThatThrownBy(() -> s3.hive().execute("insert into repeated_one values (9)"))
        .hasStackTraceContaining("ZR-1135: zerorename.run.id is \"run 1\"");

    interrupted.assertRows("repeated_one", "1");
    interrupted.assertRows("repeated_two", "1");
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
  }

  @Tag("thorough")
  @Test
  void tableThatTakesThePlaceOfOneThatWasDroppedWithItsFilesIsFilled() throws Exception {
    interrupted.create("repeated_anew");
    s3.hive().execute("insert into repeated_anew values (1)");
    s3.hive().execute("drop table repeated_anew");
    // The metastore knows a table by the second of its creation.
    Thread.sleep(1_001 - Instant.now().toEpochMilli() % 1_000);
    interrupted.create("repeated_anew");

    s3.hive().execute("insert into repeated_anew values (1)");

    interrupted.assertRows("repeated_anew", "1");
  }

  @Test
  void repetitionFailsWhereTheRowsWereRemovedSince() throws Exception {
    interrupted.create("repeated_truncated");
    s3.hive().execute("insert into repeated_truncated values (1)");
    s3.hive().execute("truncate table repeated_truncated");

    assertThatThrownBy(() -> s3.hive().execute("insert into repeated_truncated values (1)"))
        .hasStackTraceContaining("ZR-1138: The run \"run 1\"");

    assertThat(s3.bucket().files("repeated_truncated/")).isEmpty();
  }

  @Tag("thorough")
  @Test
  void anOverwriteRunsEachTime() throws Exception {
    interrupted.create("repeated_overwrite");
    for (String row : List.of("1", "2", "1")) {
      s3.hive().execute("insert overwrite table repeated_overwrite values (" + row + ")");
      interrupted.assertRows("repeated_overwrite", row);
    }
  }

  /** Of a statement with two targets one is committed. */
  @Test
  void targetThatWasNotCommittedIsWrittenByTheRepetition() throws Exception {
    for (String table : List.of("repeated_target_one", "repeated_target_two")) {
      interrupted.create(table);
    }
    String insert =
        "from (select 1 as a) s insert into repeated_target_one select a"
            + " insert into repeated_target_two select a";
    s3.faults(
        always(it -> CommitStep.DECIDE.sends(it, "repeated_target_two"), Fault.accessDenied()));
    s3.failure(insert);
    s3.faults(FaultRule.NONE);

    s3.hive().execute(insert);

    assertThat(s3.hive().console())
        .contains(WRITTEN_BEFORE.formatted("repeated_target_one"))
        .contains("committed INSERT INTO default.repeated_target_two");
    interrupted.assertRows("repeated_target_one", "1");
    interrupted.assertRows("repeated_target_two", "1");
    s3.hive().execute(insert);
    assertThat(s3.hive().times().tasks()).noneMatch(task -> task.type().equals("MAPRED"));
    interrupted.assertRows("repeated_target_two", "1");
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
  }

  /** Two partitions that one statement names are two targets in one log. */
  @Tag("thorough")
  @Test
  void ofTwoPartitionsOneIsWrittenByTheRepetitionAndTheOtherAddedToTheMetastore() throws Exception {
    String table = "repeated_two_partitions";
    s3.createPartitioned(table);
    String insert =
        "from (select 1 as a) s insert into %1$s partition (p=1) select a insert into %1$s"
            + " partition (p=2) select a";
    s3.faults(
        fromNth(
            1 + KEYS_OF_A_TARGET, it -> CommitStep.DECIDE.sends(it, table), Fault.accessDenied()));
    s3.failure(insert.formatted(table));
    s3.faults(FaultRule.NONE);
    interrupted.assertRows(table, "1");
    s3.hive().execute("alter table " + table + " drop partition (p>0)");
    interrupted.assertRows(table);

    s3.hive().execute(insert.formatted(table));

    assertThat(s3.hive().console())
        .contains(WRITTEN_BEFORE.formatted(table))
        .contains("committed INSERT INTO default." + table);
    assertThat(s3.hive().execute("show partitions " + table)).containsExactly("p=1", "p=2");
    interrupted.assertRows(table, "1", "1");
    s3.hive().execute(insert.formatted(table));
    assertThat(s3.hive().times().tasks()).noneMatch(task -> task.type().equals("MAPRED"));
    interrupted.assertRows(table, "1", "1");
    interrupted.assertNothingIsOpen(table);
  }

  /** One of them would find the other's entry, and lose its rows. */
  @Tag("thorough")
  @Test
  void aStatementThatAddsToOneTargetTwiceFails() throws Exception {
    s3.createPartitioned("repeated_twice_in_one");

    assertThatThrownBy(
            () ->
                s3.hive()
                    .execute(
                        "from (select 1 as a) s insert into repeated_twice_in_one partition (p)"
                            + " select a, 1 insert into repeated_twice_in_one partition (p)"
                            + " select a, 2"))
        .hasStackTraceContaining("ZR-5134: default.repeated_twice_in_one (s3a://")
        .hasStackTraceContaining("zerorename.run.id is set: MULTI_INSERT, ");

    assertThat(s3.bucket().files("repeated_twice_in_one/")).isEmpty();
  }

  /** Hive's own path would not notice that it is a repetition. */
  @Test
  void anInsertIntoThatOnlyHivesOwnPathCouldWriteFails() throws Exception {
    interrupted.create("repeated_fallback");
    interrupted.withHivesOwnPath();

    assertThatThrownBy(() -> s3.hive().execute("insert into repeated_fallback values (1)"))
        .hasStackTraceContaining("ZR-5134: default.repeated_fallback was not written")
        .hasStackTraceContaining("zerorename.run.id is set: CONDITIONAL_TASK, ");

    assertThat(s3.bucket().files("repeated_fallback/")).isEmpty();
    s3.hive().execute("insert overwrite table repeated_fallback values (2)");
    s3.hive().set(CoreKeys.RUN_ID.name(), "${of.a.scheduler}");
    s3.hive().execute("insert into repeated_fallback values (3)");
    interrupted.assertRows("repeated_fallback", "2", "3");
  }

  /** As when somebody deletes it between the look and the commit. */
  @Tag("thorough")
  @Test
  void nothingIsCommittedWhereTheEntryHasGoneSinceTheTasksWereLeftOut() throws Exception {
    String table = "repeated_without_log";
    interrupted.createWithRow(table);
    HeldRequests held = HeldRequests.onlyNth(2, it -> CommitStep.READ.sends(it, table));
    s3.faults(held);
    Future<List<String>> running = other.begin("insert into " + table + " values (1)");
    held.awaitFirst();
    s3.bucket().clear("_zerorename/");
    held.pass();

    assertThatThrownBy(() -> running.get(5, TimeUnit.MINUTES)).hasStackTraceContaining("ZR-5248");
    interrupted.assertRows(table, "1");
  }
}
