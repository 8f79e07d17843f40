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

/** What a session is told once about its settings, however many statements it runs. */
final class UnknownKeyWarning {
  /** Hive makes a hook per statement, so that no instance of ours lives as long as a session. */
  private static final Map<SessionState, Set<String>> TOLD =
      Collections.synchronizedMap(new WeakHashMap<>());

  private UnknownKeyWarning() {}

  /** Names each key of ours that is none, in the log once per process. */
  static void tellOfUnknownKeys(HiveConf conf) {
    Set<String> told =
        TOLD.computeIfAbsent(
            SessionState.get(), session -> Collections.synchronizedSet(new HashSet<>()));
    for (UnknownKey key : HiveKeys.declared().warnOfUnknown(conf)) {
      if (told.add(key.name())) {
        SessionState.getConsole().printInfo("zero-rename: " + key.message());
      }
    }
  }
}
