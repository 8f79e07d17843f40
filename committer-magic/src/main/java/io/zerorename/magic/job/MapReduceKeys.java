package io.zerorename.magic.job;

import io.zerorename.core.config.ConfigKey;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.config.DeclaredKeys;
import io.zerorename.core.upload.UploadSettings;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.UserGroupInformation;

/** The keys that only MapReduce and Tez jobs have. */
public final class MapReduceKeys {
  public static final ConfigKey<ConflictMode> CONFLICT_MODE =
      ConfigKey.oneOf(
              "zerorename.conflict.mode",
              ConflictMode.APPEND,
              "What a job does about files that are at its destination: add to them, refuse to"
                  + " begin, or replace them once its own are complete. Most output formats"
                  + " themselves refuse an existing destination.")
          .perBucket();

  public static final ConfigKey<Integer> SUCCESS_FILE_LIMIT =
      ConfigKey.wholeNumber(
              "zerorename.success.file.limit",
              100,
              0,
              1_000_000,
              "files",
              "How many of the job's files its _SUCCESS file names.")
          .perBucket();

  private static final String HIVE = ConfigKey.PREFIX + "hive.";
  private static final String STAGING_DIR = "yarn.app.mapreduce.am.staging-dir";
  private static final String DEFAULT_STAGING_DIR = "/tmp/hadoop-yarn/staging";

  private MapReduceKeys() {}

  /** All of them, without those that they share with other engines. */
  public static List<ConfigKey<?>> own() {
    return List.of(CONFLICT_MODE, SUCCESS_FILE_LIMIT);
  }

  /**
   * Warns of unknown keys, and checks each key that is set. Hive's are declared where Hive is.
   *
   * @throws io.zerorename.core.config.InvalidSettingException if a setting is not allowed: checked
   *     here, because later it would leave a job half done
   */
  public static void check(Configuration conf, String bucket) {
    List<ConfigKey<?>> keys = new ArrayList<>(own());
    keys.addAll(CoreKeys.all());
    new DeclaredKeys(keys, List.of(HIVE)).warnOfUnknown(conf);
    keys.forEach(key -> key.find(conf, bucket));
    UploadSettings.from(conf, bucket);
  }

  /**
   * Where the committer keeps its records: a directory of the user's own in {@link
   * CoreKeys#WORK_DIR}, or else beside the directory in which MapReduce keeps the user's submitted
   * jobs.
   */
  public static Path workDir(Configuration conf) throws IOException {
    String user = UserGroupInformation.getCurrentUser().getShortUserName();
    Path parent =
        CoreKeys.WORK_DIR
            .find(conf)
            .map(Path::new)
            .orElseGet(() -> new Path(conf.get(STAGING_DIR, DEFAULT_STAGING_DIR), user));
    return qualified(new Path(parent, "zerorename-" + user), conf);
  }

  /** In full. A path that names another file system than the default one stays as it is. */
  static Path qualified(Path path, Configuration conf) {
    URI usual = FileSystem.getDefaultUri(conf);
    String scheme = path.toUri().getScheme();
    return scheme == null || scheme.equals(usual.getScheme())
        ? path.makeQualified(usual, new Path("/"))
        : path;
  }
}
