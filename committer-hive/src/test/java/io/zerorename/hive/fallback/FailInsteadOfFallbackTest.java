package io.zerorename.hive.fallback;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.hive.InsertPlan;
import io.zerorename.hive.plan.Statement;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whether a statement that cannot be committed fails, or runs on Hive's own path. */
class FailInsteadOfFallbackTest {
  @ParameterizedTest
  @CsvSource({
    // The user decides,
    "rename, QUERY,                  TRASH,             '',                 false",
    "fail,   QUERY,                  TRASH,             '',                 true",
    "fail,   CREATE_TABLE_AS_SELECT, TRASH,             '',                 true",
    "fail,   EXECUTE,                INTERNAL,          '',                 true",
    // about what the committer covers,
    "fail,   OTHER,                  STATEMENT,         '',                 false",
    "fail,   PREPARE,                STATEMENT,         '',                 false",
    // unless it is switched off,
    "fail,   QUERY,                  DISABLED,          '',                 false",
    "fail,   QUERY,                  BAD_CONFIGURATION, zerorename.enabled, false",
    // or Hive writes the table in another way.
    "fail,   QUERY,                  ACID,              transactional,      false",
    "fail,   QUERY,                  STORAGE_HANDLER,   storage_handler,    false",
    // Where Hive would delete records of commits, nobody decides.
    "rename, QUERY,                  COMMIT_RECORDS,    '',                 true",
    "fail,   QUERY,                  COMMIT_RECORDS,    '',                 true",
    "rename, OTHER,                  COMMIT_RECORDS,    '',                 false",
    // A setting that cannot be used has its own message.
    "perhaps, QUERY,                 BAD_CONFIGURATION, '',                 false",
  })
  void fails(
      String setting, Statement statement, FallbackReason reason, String property, boolean fails)
      throws Exception {
    InsertPlan plan = InsertPlan.intoTable();
    plan.conf().set("zerorename.hive.fallback", setting);
    if (!property.isEmpty()) {
      plan.target()
          .table()
          .setProperty(property, property.equals("transactional") ? "true" : "false");
    }
    assertThat(
            FailInsteadOfFallback.fails(
                statement, plan.output(plan.read()), new Fallback(reason), plan.conf()))
        .isEqualTo(fails);
  }

  /** By the statement, and by whether its sink overwrites. */
  @ParameterizedTest
  @CsvSource({
    "QUERY,                  false, ORDERS 1,    true",
    "EXECUTE,                false, ORDERS 1,    true",
    "QUERY,                  true,  ORDERS 1,    false",
    "CREATE_TABLE_AS_SELECT, false, ORDERS 1,    false",
    "OTHER,                  false, ORDERS 1,    false",
    "QUERY,                  false, '',          false",
    "QUERY,                  false, '${orders}', false",
  })
  void failsUnderARunId(Statement statement, boolean overwrites, String id, boolean fails)
      throws Exception {
    InsertPlan plan = InsertPlan.intoTable();
    plan.conf().set("zerorename.run.id", id);
    plan.target().desc().setInsertOverwrite(overwrites);
    assertThat(
            FailInsteadOfFallback.fails(
                statement,
                plan.output(plan.read()),
                new Fallback(FallbackReason.FORMAT),
                plan.conf()))
        .isEqualTo(fails);
  }
}
