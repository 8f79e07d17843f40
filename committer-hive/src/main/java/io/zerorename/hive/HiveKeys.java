package io.zerorename.hive;

import io.zerorename.core.config.ConfigKey;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.config.DeclaredKeys;
import io.zerorename.magic.job.MapReduceKeys;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.hive.conf.HiveConf.ConfVars;
import org.apache.hadoop.security.UserGroupInformation;

/** The keys that only Hive has. */
public final class HiveKeys {
  /** Whether INSERTs are looked at. */
  public static final ConfigKey<Boolean> ENABLED =
      ConfigKey.flag(
              "zerorename.hive.enabled",
              true,
              "Whether INSERTs into S3 may be committed without renames. With false, in a session or in"
                  + " hive-site.xml, Hive does everything as without the committer.")
          .perBucket();

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

  /**
   * What may be set where Hive runs: its own keys, and those of MapReduce and Tez jobs, which a
   * cluster's files hold for all engines.
   */
  public static DeclaredKeys declared() {
    List<ConfigKey<?>> keys = new ArrayList<>(all());
    keys.addAll(MapReduceKeys.own());
    return new DeclaredKeys(keys, List.of());
  }

  /**
   * Where the committer keeps its records: a directory of the user's own in {@link
   * CoreKeys#WORK_DIR}, or else in Hive's scratch directory.
   */
  static Path workDir(HiveConf conf) throws IOException {
    Path path =
        new Path(
            CoreKeys.WORK_DIR.find(conf).orElseGet(() -> conf.getVar(ConfVars.SCRATCH_DIR)),
            "zerorename-" + UserGroupInformation.getCurrentUser().getShortUserName());
    return path.getFileSystem(conf).makeQualified(path);
  }
}
