package io.zerorename.hive.config;

import io.zerorename.core.config.CoreKeys;
import java.io.IOException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hive.conf.HiveConf;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * Where the committer keeps its records: a directory of the user's own in {@link
 * CoreKeys#WORK_DIR}, or else in Hive's scratch directory.
 */
public final class HiveWorkDirectory {
  /** Hive's scratch directory. */
  public static final String SCRATCH_DIR = "hive.exec.scratchdir";

  private HiveWorkDirectory() {}

  public static Path of(HiveConf conf) throws IOException {
    Path path =
        new Path(
            CoreKeys.WORK_DIR.find(conf).orElseGet(() -> conf.get(SCRATCH_DIR)),
            "zerorename-" + UserGroupInformation.getCurrentUser().getShortUserName());
    return path.getFileSystem(conf).makeQualified(path);
  }
}
