package io.zerorename.hive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.testing.s3server.RequestCounts;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.hive.ql.hooks.ExecuteWithHookContext;
import org.apache.hadoop.hive.ql.hooks.HookContext;
import org.apache.hadoop.hive.ql.metadata.HiveException;
import org.apache.hadoop.hive.ql.security.authorization.plugin.HiveAccessControlException;
import org.apache.hadoop.hive.ql.security.authorization.plugin.HiveAuthorizerImpl;
import org.apache.hadoop.hive.ql.security.authorization.plugin.HiveAuthzContext;
import org.apache.hadoop.hive.ql.security.authorization.plugin.HiveOperationType;
import org.apache.hadoop.hive.ql.security.authorization.plugin.HivePrivilegeObject;
import org.apache.hadoop.hive.ql.security.authorization.plugin.sqlstd.DummyHiveAuthorizationValidator;
import org.apache.hadoop.hive.ql.session.SessionState;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Statements of a user who may do nothing. Hive refuses them behind their analysis, for which it
 * stages in the target itself; the committer does nothing there before.
 */
class AuthorizationTest {
  private final HiveOnS3 s3 = HiveOnS3.shared();
  private Object before;

  /** Refuses every statement. */
  private static final class NothingAllowed extends DummyHiveAuthorizationValidator {
    @Override
    public void checkPrivileges(
        HiveOperationType operation,
        List<HivePrivilegeObject> inputs,
        List<HivePrivilegeObject> outputs,
        HiveAuthzContext context)
        throws HiveAccessControlException {
      throw new HiveAccessControlException("nothing is allowed, " + operation + " neither");
    }
  }

  @BeforeEach
  void begin() {
    before = SessionState.get().getActiveAuthorizer();
  }

  @AfterEach
  void allowAll() {
    SessionState.get().setActiveAuthorizer(before);
  }

  private void refuseAll() {
    SessionState.get().setActiveAuthorizer(new HiveAuthorizerImpl(null, new NothingAllowed()));
    s3.hive().set("hive.security.authorization.enabled", "true");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "insert into %t values (1)",
        "insert overwrite table %t select 1",
        "insert overwrite directory 's3a://warehouse-other/%t/out' select 1",
        "create external table %t_new stored as orc location 's3a://warehouse-other/%t/new'"
            + " as select 1 as a",
        "truncate table %t",
        "drop table %t",
        "explain insert into %t values (1)",
        "explain insert overwrite directory 's3a://warehouse-other/%t/out' select 1"
      })
  void refusedStatementSendsWhatHiveSendsAndWritesNothing(String statement) throws Exception {
    String table = "refused_" + Integer.toHexString(statement.hashCode());
    Path work = s3.hive().directory().resolve(table);
    s3.withoutCommitter();
    s3.hive()
        .execute(
            "create external table "
                + table
                // A directory of its own, so that nothing was checked beside it today.
                + " (a int) stored as orc location 's3a://warehouse/"
                + table
                + "/t' tblproperties ('external.table.purge'='true')");
    refuseAll();
    // The first leaves empty directories, which the next ones find.
    refused(statement.replace("%t", table));
    RequestCounts ofHive = refused(statement.replace("%t", table));
    s3.withCommitter();
    s3.hive().set(CoreKeys.WORK_DIR.name(), work.toUri().toString());

    RequestCounts ours = refused(statement.replace("%t", table));

    assertThat(ours).isEqualTo(ofHive);
    assertThat(s3.bucket().files(table + "/")).noneMatch(it -> it.contains("_zerorename"));
    assertThat(s3.otherBucket().files(table + "/")).noneMatch(it -> it.contains("_zerorename"));
    assertThat(work).doesNotExist();
  }

  /** There the committer looks for an object of the directory's name. */
  @Test
  void refusedDirectoryThatIsNotStagedOnS3IsNotLookedAt() throws Exception {
    String statement = "insert overwrite directory 's3a://warehouse-other/refused/out' select 1";
    s3.withoutCommitter();
    refuseAll();
    s3.hive().set("hive.use.scratchdir.for.staging", "true");
    RequestCounts ofHive = refused(statement);
    s3.withCommitter();

    assertThat(refused(statement)).isEqualTo(ofHive);
  }

  /** Refuses what Hive is about to execute. */
  public static final class Veto implements ExecuteWithHookContext {
    @Override
    public void run(HookContext context) throws HiveException {
      throw new HiveException("nothing is allowed by a hook");
    }
  }

  @Test
  void insertThatAHookRefusesBehindThatLeavesNothingOfTheCommitter() throws Exception {
    String table = "refused_by_hook";
    Path work = s3.hive().directory().resolve(table);
    s3.withCommitter();
    s3.hive()
        .execute(
            "create external table refused_by_hook (a int) stored as orc location"
                + " 's3a://warehouse/refused_by_hook/t'");
    s3.hive().set(CoreKeys.WORK_DIR.name(), work.toUri().toString());
    s3.hive().set("hive.exec.pre.hooks", Veto.class.getName());

    refused("insert into refused_by_hook values (1)");

    assertThat(s3.hive().console()).doesNotContain("zero-rename");
    assertThat(s3.bucket().files(table + "/")).isEmpty();
    assertThat(work).doesNotExist();
  }

  private RequestCounts refused(String statement) {
    RequestCounts counted = s3.counts();
    assertThatThrownBy(() -> s3.hive().execute(statement))
        .hasStackTraceContaining("nothing is allowed");
    return s3.counts().minus(counted);
  }
}
