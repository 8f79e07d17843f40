package io.zerorename.hive;

import static io.zerorename.testing.s3server.FaultRule.always;
import static io.zerorename.testing.s3server.FaultRule.typeUnder;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.testing.hive.StatementFailedException;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.RequestType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

/** CREATE TABLE AS SELECT on Hive's own rename path and through the committer. */
class CreateTableAsSelectTest {
  private final HiveOnS3 s3 = HiveOnS3.shared();

  @BeforeEach
  void source() throws Exception {
    SourceRows.create(s3.hive());
  }

  @Test
  void noRowsMakeAnEmptyTable() throws Exception {
    s3.withCommitter();
    String empty = "select a, b from source_rows where a > 100";
    create("ctas_empty", "", "s3a://warehouse/ctas_empty", empty);
    assertThat(s3.hive().execute("select * from ctas_empty")).isEmpty();

    create("ctas_empty_p", "partitioned by (b)", "s3a://warehouse/ce", empty);
    assertThat(s3.hive().execute("select * from ctas_empty_p")).isEmpty();
  }

  @ParameterizedTest
  @TieredCases(
      quick = 1,
      value = {"UPLOAD_PART | partitioned by (b)", "CREATE_MULTIPART_UPLOAD |"})
  void failedTasksLeaveNothing(RequestType type, String partitions) throws Exception {
    s3.withCommitter();
    s3.hive().set("tez.am.task.max.failed.attempts", "1");
    s3.hive().set(CoreKeys.INLINE_MAX_BYTES.name(), "0");
    String table = "ctas_fails_" + partitions.length();
    s3.faults(always(typeUnder(type, table + "/"), Fault.accessDenied()));

    assertThatThrownBy(
            () ->
                create(
                    table, partitions, "s3a://warehouse/" + table, "select a, b from source_rows"))
        .isInstanceOf(StatementFailedException.class);
    s3.faults(FaultRule.NONE);

    assertThat(s3.hive().console()).contains("was not committed; nothing of it is visible");
    assertThat(s3.bucket().files(table + "/")).isEmpty();
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
    assertThat(s3.hive().execute("show tables like '" + table + "'")).isEmpty();
  }

  @Test
  void interruptedCommitIsSupersededByTheNextStatement() throws Exception {
    s3.withCommitter();
    s3.hive().set(CoreKeys.INLINE_MAX_BYTES.name(), "0");
    // Of a table with a location Hive itself demands that there be no file, so it has none.
    s3.faults(
        always(
            request -> request.type() == RequestType.COMPLETE_MULTIPART_UPLOAD,
            Fault.accessDenied()));
    String rows = "select a, b from source_rows";
    assertThatThrownBy(() -> create("on_s3.ctas_broken", "", "", rows))
        .isInstanceOf(StatementFailedException.class);
    String message = s3.hive().console();
    s3.faults(FaultRule.NONE);

    assertThat(message).contains("failed after its data was committed");
    assertThat(s3.hive().execute("show tables in on_s3 like 'ctas_broken'")).isEmpty();

    create("on_s3.ctas_broken", "", "", rows);

    assertThat(s3.hive().console()).contains("zero-rename: committed CREATE TABLE AS SELECT");
    assertThat(s3.hive().execute("select a from on_s3.ctas_broken"))
        .containsExactlyInAnyOrder("1", "2", "3", "4");
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
  }

  /**
   * @param location or "" for the default one in a database on S3
   */
  private void create(String table, String partitions, String location, String query)
      throws Exception {
    s3.hive()
        .execute(
            "create database if not exists on_s3 location 's3a://warehouse/on_s3' managedlocation"
                + " 's3a://warehouse/on_s3_managed'");
    s3.hive()
        .execute(
            "create external table "
                + table
                + " "
                + partitions
                + " stored as orc"
                + (location.isEmpty() ? "" : " location '" + location + "'")
                + " as "
                + query);
  }
}
