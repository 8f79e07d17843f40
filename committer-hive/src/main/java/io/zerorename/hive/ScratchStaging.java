package io.zerorename.hive;

import io.zerorename.core.config.DeclaredKeys;
import io.zerorename.core.config.InvalidSettingException;
import io.zerorename.hive.config.HiveKeys;
import io.zerorename.hive.config.HiveKeys.OptIn;
import io.zerorename.hive.plan.Statement;
import org.apache.hadoop.hive.conf.HiveConf;

/**
 * Where {@link HiveKeys#MERGE} is commit, Hive compiles INSERTs with {@code
 * hive.use.scratchdir.for.staging}, so that it writes and merges on the scratch file system. For
 * tables that are not on S3 that setting changes nothing (Context.getTempDirForInterimJobPath).
 *
 * <p>The session and the statement may share their settings. So the value that was there before is
 * noted beside it, and comes back after the compilation, also where that failed.
 */
final class ScratchStaging {
  private static final String BEFORE = DeclaredKeys.INTERNAL + "staging.before";
  private static final String SETTING = "hive.use.scratchdir.for.staging";
  private static final String DIRECT_INSERT = "hive.acid.direct.insert.enabled";

  private ScratchStaging() {}

  /** Before a statement is analysed. */
  static void begin(HiveConf conf, Statement statement) {
    end(conf);
    boolean isInsert =
        statement == Statement.QUERY || statement == Statement.CREATE_TABLE_AS_SELECT;
    if (isInsert
        && isWanted(conf)
        && conf.getBoolean(DIRECT_INSERT, true)
        && !conf.getBoolean(SETTING, false)) {
      conf.set(BEFORE, conf.get(SETTING, "false"));
      conf.set(SETTING, "true");
    }
  }

  private static boolean isWanted(HiveConf conf) {
    try {
      return HiveKeys.ENABLED.from(conf) && HiveKeys.MERGE.from(conf) == OptIn.COMMIT;
    } catch (InvalidSettingException e) {
      // The fallback names it.
      return false;
    }
  }

  /** After the compilation. */
  static void end(HiveConf conf) {
    String before = conf.get(BEFORE);
    if (before != null) {
      conf.set(SETTING, before);
      conf.unset(BEFORE);
    }
  }
}
