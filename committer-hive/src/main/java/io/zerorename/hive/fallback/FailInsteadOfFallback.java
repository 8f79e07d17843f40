package io.zerorename.hive.fallback;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.config.InvalidSettingException;
import io.zerorename.core.log.RunId;
import io.zerorename.hive.config.HiveKeys;
import io.zerorename.hive.config.HiveKeys.FallbackMode;
import io.zerorename.hive.plan.PlannedOutput;
import io.zerorename.hive.plan.Statement;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hive.ql.io.AcidUtils;
import org.apache.hadoop.hive.ql.metadata.Table;

/**
 * Whether a statement fails instead of falling back: because {@link HiveKeys#FALLBACK} says so,
 * because Hive's own path would delete records of commits, or because nothing there would notice
 * that an INSERT INTO repeats a run that has an id. Only statements that the committer covers fail.
 * A statement runs where a user has switched the committer off, and where Hive writes the table
 * without renames or for itself: its compactor writes through temporary tables.
 */
public final class FailInsteadOfFallback {
  private FailInsteadOfFallback() {}

  public static boolean fails(
      Statement statement, PlannedOutput output, Fallback fallback, Configuration conf) {
    if (fallback.reason() == FallbackReason.DISABLED
        || output.table().filter(FailInsteadOfFallback::isOthers).isPresent()) {
      return false;
    }
    // The sink knows an overwrite also where no task moves files.
    if (mayBeOfRun(statement, conf)
        && !output.overwrites()
        && !output.desc().getInsertOverwrite()
        && output.table().isPresent()) {
      return true;
    }
    return statement.isCovered()
        && (fallback.reason() == FallbackReason.COMMIT_RECORDS || failsIn(output.bucket(), conf));
  }

  /** Whether it may be an INSERT INTO under a run id. */
  private static boolean mayBeOfRun(Statement statement, Configuration conf) {
    return (statement == Statement.QUERY || statement == Statement.EXECUTE)
        && RunId.idIn(conf).isPresent();
  }

  /** Whether a statement fails of which not even the targets could be read. */
  public static boolean failsAlways(Statement statement, Configuration conf) {
    return mayBeOfRun(statement, conf) || failsIn("", conf);
  }

  private static boolean failsIn(String bucket, Configuration conf) {
    try {
      return HiveKeys.FALLBACK.from(conf, bucket) == FallbackMode.FAIL;
    } catch (InvalidSettingException e) {
      // The fallback's own message reports it.
      return false;
    }
  }

  /** By the table and not by the reason, because the first reason hides the others. */
  static boolean isOthers(Table table) {
    return AcidUtils.isTransactionalTable(table)
        || table.isNonNative()
        || table.isTemporary()
        || table.isMaterializedView()
        || "false"
            .equalsIgnoreCase(
                String.valueOf(table.getProperty(HiveKeys.TABLE_ENABLED.name())).strip());
  }

  /** The end of an explanation's sentence where the statement would fail. */
  public static String outlook(Fallback fallback, String bucket, Configuration conf) {
    return fallback.reason() == FallbackReason.COMMIT_RECORDS
        ? ""
        : "; the statement would fail for that, as "
            + (failsIn(bucket, conf)
                ? HiveKeys.FALLBACK.nameIn(conf, bucket) + " is fail"
                : CoreKeys.RUN_ID.name() + " is set");
  }

  /** The error of a statement that fails. */
  public static String message(
      Fallback fallback, String target, String bucket, Configuration conf) {
    FallbackReason reason = fallback.reason();
    if (reason == FallbackReason.COMMIT_RECORDS) {
      return "zero-rename: %s: %s was not written: %s, %s. Set it to a directory where no job writes."
          .formatted(reason.code(), target, reason, fallback.sentence());
    }
    if (!failsIn(bucket, conf)) {
      return ("zero-rename: ZR-5134: %s was not written, because only Hive's own rename path could"
              + " write it, which does not notice that a run is repeated, and %s is set: %s, %s."
              + " Change what stands in the way, or unset %s and run the statement again.")
          .formatted(
              target, CoreKeys.RUN_ID.name(), reason, fallback.sentence(), CoreKeys.RUN_ID.name());
    }
    String key = HiveKeys.FALLBACK.nameIn(conf, bucket);
    return ("zero-rename: %s: %s was not written, because only Hive's own rename path could write it"
            + " and %s is fail: %s, %s. Change what stands in the way, or set %s=rename and run the"
            + " statement again.")
        .formatted(reason.code(), target, key, reason, fallback.sentence(), key);
  }
}
