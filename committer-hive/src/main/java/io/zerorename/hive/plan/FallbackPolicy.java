package io.zerorename.hive.plan;

import io.zerorename.core.config.InvalidSettingException;
import io.zerorename.hive.config.FallbackMode;
import io.zerorename.hive.config.HiveKeys;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hive.ql.io.AcidUtils;
import org.apache.hadoop.hive.ql.metadata.Table;

/**
 * Whether a user would rather have a statement fail than have it written by renames, or Hive would
 * do harm to commits of others. It concerns those that the committer covers, and none that somebody
 * has taken from the committer on purpose, and no table that Hive writes without renames or for its
 * own ends: its compactor writes through temporary tables.
 */
public final class FallbackPolicy {
  private FallbackPolicy() {}

  public static boolean fails(
      Statement statement, PlannedOutput output, Fallback fallback, Configuration conf) {
    if (!statement.isCovered()
        || fallback.reason() == FallbackReason.DISABLED
        || output.table().filter(FallbackPolicy::isOthers).isPresent()) {
      return false;
    }
    if (fallback.reason() == FallbackReason.COMMIT_RECORDS) {
      return true;
    }
    try {
      return HiveKeys.FALLBACK.from(conf, output.bucket()) == FallbackMode.FAIL;
    } catch (InvalidSettingException e) {
      // It is the reason of the fallback, which tells of it.
      return false;
    }
  }

  /** Where not even the statement's targets could be told. */
  public static boolean failsAlways(Configuration conf) {
    try {
      return HiveKeys.FALLBACK.from(conf) == FallbackMode.FAIL;
    } catch (InvalidSettingException e) {
      // It will be the reason of a fallback, which tells of it.
      return false;
    }
  }

  /** Asked of the table and not of the reason: the first reason that is found hides the others. */
  static boolean isOthers(Table table) {
    return AcidUtils.isTransactionalTable(table)
        || table.isNonNative()
        || table.isTemporary()
        || table.isMaterializedView()
        || "false"
            .equalsIgnoreCase(
                String.valueOf(table.getProperty(HiveKeys.TABLE_ENABLED.name())).strip());
  }

  /** What to add to the reason where a statement would fail for it. */
  public static String outlook(Fallback fallback, String bucket, Configuration conf) {
    return fallback.reason() == FallbackReason.COMMIT_RECORDS
        ? ""
        : "; the statement would fail for that, as "
            + HiveKeys.FALLBACK.nameIn(conf, bucket)
            + " is fail";
  }

  /** What to tell whoever ran the statement. */
  public static String message(
      Fallback fallback, String target, String bucket, Configuration conf) {
    if (fallback.reason() == FallbackReason.COMMIT_RECORDS) {
      return "zero-rename: "
          + target
          + " was not written: "
          + fallback.reason()
          + ", "
          + fallback.sentence()
          + ". Set it to a directory where no job writes.";
    }
    String key = HiveKeys.FALLBACK.nameIn(conf, bucket);
    return "zero-rename: "
        + target
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
