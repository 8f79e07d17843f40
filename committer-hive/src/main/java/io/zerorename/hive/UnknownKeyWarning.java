package io.zerorename.hive;

import io.zerorename.core.config.UnknownKey;
import io.zerorename.hive.config.HiveKeys;
import java.util.Collections;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.ql.session.SessionState;

/**
 * Warns a session once of each key with the committer's prefix that does not exist, however many
 * statements it runs.
 */
final class UnknownKeyWarning {
  /**
   * By session: Hive makes a hook per statement, so that no instance of this class lives that long.
   */
  private static final Map<SessionState, Set<String>> WARNED =
      Collections.synchronizedMap(new WeakHashMap<>());

  private UnknownKeyWarning() {}

  /** On the session's console; in the log once per process. */
  static void warn(HiveConf conf) {
    Set<String> warned =
        WARNED.computeIfAbsent(
            SessionState.get(), session -> Collections.synchronizedSet(new HashSet<>()));
    for (UnknownKey key : HiveKeys.declared().warnOfUnknown(conf)) {
      if (warned.add(key.name())) {
        SessionState.getConsole().printInfo("zero-rename: " + key.message());
      }
    }
  }
}
