package io.zerorename.hive;

import io.zerorename.core.config.InvalidSettingException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hive.ql.io.AcidUtils;
import org.apache.hadoop.hive.ql.metadata.Table;
import org.apache.hadoop.hive.ql.plan.FileSinkDesc;

/**
 * Whether a user would rather have an INSERT fail than have it written by renames. It concerns
 * INSERTs only, and none that somebody has taken from the committer on purpose, and no table that
 * Hive writes without renames or for its own ends: its compactor writes through temporary tables.
 */
final class FallbackPolicy {
  private FallbackPolicy() {}

  static boolean fails(
      Statement statement, PlanReader plan, Fallback fallback, Configuration conf) {
    if (statement != Statement.QUERY
        || fallback.reason() == FallbackReason.DISABLED
        || plan.sinks().stream().noneMatch(FallbackPolicy::concerns)) {
      return false;
    }
    try {
      return HiveKeys.FALLBACK.from(conf, plan.bucket()) == FallbackMode.FAIL;
    } catch (InvalidSettingException e) {
      // It is the reason of the fallback, which tells of it.
      return false;
    }
  }

  /** Asked of the table and not of the reason: the first reason that is found hides the others. */
  private static boolean concerns(FileSinkDesc sink) {
    Table table = sink.getTable();
    return table == null
        || !(AcidUtils.isTransactionalTable(table)
            || table.isNonNative()
            || table.isTemporary()
            || table.isMaterializedView()
            || "false".equals(table.getProperty(HiveKeys.TABLE_ENABLED.name())));
  }

  /** What to tell whoever ran the statement. */
  static String message(Fallback fallback, PlanReader plan, Configuration conf) {
    String key = HiveKeys.FALLBACK.nameIn(conf, plan.bucket());
    return "zero-rename: "
        + plan.target()
        + " was not written, because only Hive's own rename path could write it and "
        + key
        + " is fail: "
        + fallback.reason()
        + ", "
        + fallback.sentence()
        + ". Change what stands in the way, or set "
        + key
        + "=rename and run the statement again.";
  }
}
