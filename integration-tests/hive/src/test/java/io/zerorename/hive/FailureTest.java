package io.zerorename.hive;

import static io.zerorename.testing.s3server.FaultRule.always;
import static io.zerorename.testing.s3server.FaultRule.typeUnder;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.RequestType;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What a query leaves that fails before its commit, in it, and after it. Small files are uploaded
 * here like large ones, unless a test says otherwise: what travels to the commit leaves no upload.
 */
class FailureTest {
  private final HiveOnS3 s3 = HiveOnS3.shared().withCommitter();

  @BeforeEach
  void withCommitter() {
    s3.hive().set("tez.am.task.max.failed.attempts", "1");
    s3.hive().set(CoreKeys.INLINE_MAX_BYTES.name(), "0");
    s3.hive().set(CoreKeys.RECOVERY_PATIENCE.name(), "0");
  }

  @Test
  void failingTaskLeavesNoObjectAndNoUpload() throws Exception {
    String table = filledTable("fail_task");
    SortedMap<String, Long> before = s3.bucket().objects(table + "/");

    String message =
        s3.failure(
            "insert overwrite table "
                + table
                + " partition (p) select if(assert_true(a < 3) is null, a, 0), p from numbers");

    assertThat(message).contains("was not committed; nothing of it is visible");
    assertThat(s3.bucket().objects(table + "/")).isEqualTo(before);
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
  }

  @Test
  void refusedCompletionDeletesNothingAndForbidsASimpleRepetition() throws Exception {
    String table = filledTable("fail_completion");
    SortedMap<String, Long> before = s3.bucket().objects(table + "/");
    s3.faults(
        always(
            typeUnder(RequestType.COMPLETE_MULTIPART_UPLOAD, table + "/p=2/"),
            Fault.accessDenied()));

    String message = s3.failure(overwrite(table));
    s3.faults(FaultRule.NONE);

    assertThat(message)
        .contains("is committed, but could not be completed", "Do not simply run it again")
        .contains("files may be missing", "zerorename recover s3a://warehouse/" + table);
    assertThat(s3.bucket().objects(table + "/")).containsAllEntriesOf(before);
    assertThat(s3.bucket().pendingUploads("")).as("still to be completed").isNotEmpty();

    s3.hive().execute("insert into " + table + " partition (p) values (7, 4)");
    s3.awaitBackgroundWork();

    assertThat(s3.hive().console()).contains("and interrupted; it is complete now");
    assertThat(s3.hive().execute("select * from " + table))
        .containsExactlyInAnyOrder("10\t1", "20\t2", "30\t3", "7\t4");
    assertThat(s3.hive().execute("select count(*) from " + table)).containsExactly("4");
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
  }

  @Tag("thorough")
  @Test
  void aCommitOfWhichFilesAreLostIsToldAndBlocksNothing() throws Exception {
    String table = filledTable("lose_files");
    SortedMap<String, Long> before = s3.bucket().objects(table + "/");
    AtomicBoolean lost = new AtomicBoolean();
    s3.faults(
        request -> {
          if (typeUnder(RequestType.COMPLETE_MULTIPART_UPLOAD, table + "/p=2/").test(request)
              && lost.compareAndSet(false, true)) {
            s3.bucket().abortUploads(table + "/p=2/");
          }
          return Optional.empty();
        });

    String message = s3.failure(overwrite(table));
    s3.faults(FaultRule.NONE);

    assertThat(message).contains("is committed and damaged: 1 of its 3 files are lost");
    s3.hive().execute("insert into " + table + " partition (p) values (7, 4)");
    s3.awaitBackgroundWork();

    assertThat(s3.hive().console())
        .contains("INSERT OVERWRITE of default." + table + " (entry 2) has lost files (1)")
        .contains(" The first is s3a://warehouse/" + table + "/p=2/")
        .contains("zerorename recover s3a://warehouse/" + table, "--give-up");
    assertThat(s3.bucket().objects(table + "/")).containsAllEntriesOf(before);
    assertThat(s3.hive().execute("select * from " + table)).contains("7\t4");
  }

  @Test
  void failureAfterTheCommitSaysThatTheDataIsThere() throws Exception {
    String table = filledTable("fail_move");
    RefusedCalls.install(s3);
    s3.hive().set("hive.stats.reliable", "true");
    RefusedCalls.refuse("alter_partition");

    String message = s3.failure("insert into " + table + " partition (p) values (7, 1)");
    RefusedCalls.refuseNothing();

    assertThat(message)
        .contains("failed after its data was committed. All of its files are in place")
        .contains("Do not run an INSERT INTO again", "MSCK REPAIR TABLE default." + table);
    assertThat(s3.hive().execute("select a from " + table)).contains("7");

    s3.hive().execute("insert into " + table + " partition (p) values (8, 1)");
    s3.awaitBackgroundWork();

    assertThat(s3.hive().console()).contains("and interrupted; it is complete now");
    assertThat(s3.hive().execute("select count(*) from " + table + " where p = 1"))
        .as("statistics that were wrong are not answered from")
        .containsExactly("3");
  }

  @Tag("thorough")
  @Test
  void tooManyPartitionsAreRefusedBeforeTheCommit() throws Exception {
    String table = filledTable("fail_limit");
    SortedMap<String, Long> before = s3.bucket().objects(table + "/");
    s3.hive().set("hive.exec.max.dynamic.partitions", "2");

    String message = s3.failure(overwrite(table));

    assertThat(message).contains("hive.exec.max.dynamic.partitions is 2", "at least 3");
    assertThat(s3.bucket().objects(table + "/")).isEqualTo(before);
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
  }

  /** A table of two partitions with a row each; {@code numbers} has three rows. */
  private String filledTable(String name) throws Exception {
    s3.withoutCommitter();
    s3.hive()
        .execute(
            "create table if not exists numbers (a int, p int) tblproperties"
                + " ('transactional'='false')");
    if (s3.hive().execute("select * from numbers").isEmpty()) {
      s3.hive().execute("insert into numbers values (1, 1), (2, 2), (3, 3)");
    }
    s3.withCommitter();
    s3.create(name, "(a int) partitioned by (p int) stored as orc");
    s3.hive().execute("insert into " + name + " partition (p) values (100, 1), (200, 2)");
    return name;
  }

  private static String overwrite(String table) {
    return "insert overwrite table " + table + " partition (p) select a * 10, p from numbers";
  }
}
