package io.zerorename.hive;

import io.zerorename.core.config.InvalidSettingException;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;

/**
 * Whether a user would rather have a statement fail than have it written by renames. It concerns
 * those that the committer covers, and none that somebody has taken from the committer on purpose
 * or that Hive writes without renames anyhow.
 */
final class FallbackPolicy {
  private static final Set<FallbackReason> NEVER_FAIL =
      Set.of(
          FallbackReason.DISABLED,
          FallbackReason.ACID,
          FallbackReason.STORAGE_HANDLER,
          FallbackReason.MATERIALIZED_VIEW,
          // Hive's compactor writes through one.
          FallbackReason.TEMPORARY_TABLE);

  private FallbackPolicy() {}

  static boolean fails(Statement statement, Fallback fallback, Configuration conf, String bucket) {
    if (!statement.isCovered() || NEVER_FAIL.contains(fallback.reason())) {
      return false;
    }
    try {
      return HiveKeys.FALLBACK.from(conf, bucket) == FallbackMode.FAIL;
    } catch (InvalidSettingException e) {
      // It is the reason of the fallback, which tells of it.
      return false;
    }
  }

  /** What to tell whoever ran the statement. */
  static String message(Fallback fallback, String target, String bucket, Configuration conf) {
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
