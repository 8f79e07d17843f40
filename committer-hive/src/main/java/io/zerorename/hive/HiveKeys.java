package io.zerorename.hive;

import io.zerorename.core.config.ConfigKey;
import io.zerorename.core.config.CoreKeys;
import java.util.ArrayList;
import java.util.List;

/** The keys that only Hive has. Also looked at where Hive is not on the class path. */
public final class HiveKeys {
  /** Whether INSERTs are looked at. */
  public static final ConfigKey<Boolean> ENABLED =
      ConfigKey.flag(
          "zerorename.hive.enabled",
          true,
          "Whether INSERTs into S3 may be committed without renames. With false, in a session or in"
              + " hive-site.xml, Hive does everything as without the committer.");

  /** The table property that switches the committer off for one table when it is "false". */
  public static final String TABLE_ENABLED = "zerorename.enabled";

  private HiveKeys() {}

  /** All of them, with those that Hive shares with other engines. */
  public static List<ConfigKey<?>> all() {
    List<ConfigKey<?>> keys = new ArrayList<>();
    keys.add(ENABLED);
    keys.addAll(CoreKeys.all());
    return List.copyOf(keys);
  }
}
