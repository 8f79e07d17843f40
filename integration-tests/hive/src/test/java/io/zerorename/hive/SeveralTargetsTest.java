package io.zerorename.hive;

import static io.zerorename.testing.s3server.FaultRule.always;
import static io.zerorename.testing.s3server.FaultRule.typeUnder;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.RequestType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The targets of one statement are decided about, and committed, one after the other. */
class SeveralTargetsTest {
  private final HiveOnS3 s3 = HiveOnS3.shared();

  @BeforeEach
  void withCommitter() throws Exception {
    SourceRows.create(s3.hive());
    s3.withCommitter();
    s3.hive().set("tez.am.task.max.failed.attempts", "1");
    s3.hive().set("hive.merge.mapfiles", "false");
  }

  @Test
  void targetThatIsNotEligibleLeavesTheOtherToTheCommitter() throws Exception {
    String first = table("beside_off", "");
    String off = table("off", "tblproperties ('zerorename.enabled'='false')");
    String statement =
        "from source_rows insert overwrite table "
            + off
            + " select a + 10 insert overwrite table "
            + first
            + " select a";

    s3.hive().execute(statement);
    String console = s3.hive().console();

    assertThat(console.lines().filter(it -> it.contains(": default.")))
        .containsExactly(
            "zero-rename: ZR-5001: default."
                + off
                + " is written by Hive's own rename path: DISABLED, the committer is switched off"
                + " here (table property zerorename.enabled=false)");
    assertThat(console).contains("zero-rename: committed INSERT OVERWRITE of default." + first);
    for (String table : new String[] {first, off}) {
      assertThat(s3.hive().execute("select count(*) from " + table)).containsExactly("4");
      assertThat(s3.bucket().files(table + "/")).hasSize(1);
    }
    assertThat(s3.hive().execute("select min(a) from " + off)).containsExactly("11");
  }

  @Test
  void failedTaskOfOneTargetLeavesNothingOfAny() throws Exception {
    s3.hive().set(CoreKeys.INLINE_MAX_BYTES.name(), "0");
    String first = table("tasks_first", "");
    String second = table("tasks_second", "");
    s3.faults(always(typeUnder(RequestType.UPLOAD_PART, second + "/"), Fault.accessDenied()));

    String message = failure(first, second);

    assertThat(message)
        .contains(
            "INSERT INTO default." + first + " was not committed",
            "INSERT OVERWRITE of default." + second + " was not committed");
    assertThat(s3.bucket().files(first + "/")).isEmpty();
    assertThat(s3.bucket().files(second + "/")).isEmpty();
    assertThat(s3.bucket().pendingUploads("")).isEmpty();
  }

  @Test
  void failedCommitOfTheSecondTargetLeavesTheFirstCommittedAndSaysSo() throws Exception {
    s3.hive().set(CoreKeys.INLINE_MAX_BYTES.name(), "0");
    String first = table("commit_first", "");
    String second = table("commit_second", "");
    s3.hive().execute("insert into " + second + " values (100)");
    s3.faults(
        always(
            request ->
                request.type() == RequestType.LIST_OBJECTS_V2
                    && request.prefix().orElse("").equals(second + "/"),
            Fault.accessDenied()));

    String message = failure(first, second);

    assertThat(message)
        .contains("INSERT INTO default." + first + " failed after its data was committed. All of")
        .contains("INSERT OVERWRITE of default." + second + " was not committed");
    assertThat(s3.hive().execute("select * from " + first))
        .containsExactlyInAnyOrder("1", "2", "3", "4");
    assertThat(TableState.of(s3.hive(), first).places().get(""))
        .as("Hive has told the metastore of the first before the second")
        .containsEntry("numRows", "4");
    assertThat(s3.hive().execute("select * from " + second)).containsExactly("100");
    assertThat(s3.bucket().pendingUploads("")).isEmpty();

    s3.hive().execute("from source_rows insert into " + first + " select a where a = 1");
    assertThat(s3.hive().execute("select count(*) from " + first)).containsExactly("5");
  }

  private String table(String name, String properties) throws Exception {
    s3.create(name, "(a int) stored as orc", properties);
    return name;
  }

  /** Runs an INSERT into both that must fail, and returns all that it told the user. */
  private String failure(String first, String second) {
    String message =
        s3.failure(
            "from source_rows insert into "
                + first
                + " select a insert overwrite table "
                + second
                + " select a");
    s3.faults(FaultRule.NONE);
    return message;
  }
}
