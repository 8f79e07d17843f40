package io.zerorename.core.config;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;

/** What becomes of an INSERT OVERWRITE whose old files Hive's client would move to Trash. */
public enum TrashMode {
  /** The engine writes it in its own way, which moves them. */
  FALLBACK,
  /** The committer deletes them for good. */
  DELETE;

  public static final ConfigKey<TrashMode> KEY =
      ConfigKey.oneOf(
              "zerorename.hive.trash",
              FALLBACK,
              "What becomes of an INSERT OVERWRITE, also of Spark in Hive's formats, where"
                  + " fs.trash.interval is above 0, so that Hive moves overwritten files to Trash:"
                  + " it keeps Hive's own path, or the committer deletes the files for good. A"
                  + " table with 'auto.purge'='true' has no Trash.")
          .perBucket();

  /** Whether files of a table in a bucket that has no {@code auto.purge} must go to Trash. */
  public static boolean isKept(Configuration conf, String bucket) {
    // Minutes; a fraction is allowed.
    return conf.getFloat(CommonConfigurationKeysPublic.FS_TRASH_INTERVAL_KEY, 0) > 0
        && KEY.from(conf, bucket) == FALLBACK;
  }
}
