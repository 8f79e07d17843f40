package io.zerorename.hive.config;

import io.zerorename.core.config.ConfigKey;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.config.DeclaredKeys;
import io.zerorename.core.config.TrashMode;
import io.zerorename.magic.job.MapReduceKeys;
import java.util.ArrayList;
import java.util.List;

/** The keys that only Hive has. Also read where Hive is not on the class path. */
public final class HiveKeys {
  /** By name, because its class needs Hive's. */
  public static final String HOOK = "io.zerorename.hive.ZeroRenameHook";

  /** Whether the hook examines INSERTs. */
  public static final ConfigKey<Boolean> ENABLED =
      ConfigKey.flag(
              "zerorename.hive.enabled",
              true,
              "Whether INSERTs into S3 may be committed without renames. With false Hive does"
                  + " everything as without the committer.")
          .perBucket();

  /** What becomes of an INSERT of a kind that the committer covers only where a user wants it. */
  public enum OptIn {
    FALLBACK,
    COMMIT
  }

  /** What becomes of an INSERT whose tasks run in LLAP's daemons. */
  public static final ConfigKey<OptIn> LLAP =
      ConfigKey.oneOf(
          "zerorename.hive.llap",
          OptIn.FALLBACK,
          "What becomes of an INSERT where hive.execution.mode is llap: it keeps Hive's own path,"
              + " or the committer writes it. Set commit only if each daemon has the committer's"
              + " jar; otherwise INSERTs fail in their tasks, with nothing visible.");

  /** What becomes of an INSERT whose small files Hive merges. */
  public static final ConfigKey<OptIn> MERGE =
      ConfigKey.oneOf(
          "zerorename.hive.merge",
          OptIn.FALLBACK,
          "What becomes of an INSERT where hive.merge.tezfiles, hive.merge.mapfiles or"
              + " hive.merge.mapredfiles makes Hive merge small files: it keeps Hive's own path, or"
              + " Hive merges on the scratch file system and the committer uploads the result. With"
              + " commit, all INSERTs into S3 are compiled with hive.use.scratchdir.for.staging.");

  /** What becomes of an INSERT that the committer does not cover. */
  public static final ConfigKey<FallbackMode> FALLBACK =
      ConfigKey.oneOf(
              "zerorename.hive.fallback",
              FallbackMode.RENAME,
              "What becomes of an INSERT into S3 that the committer does not cover: Hive's own path"
                  + " writes it by renames, or it fails when it is compiled, with the reason.")
          .perBucket();

  /** What {@link #FALLBACK} may be. */
  public enum FallbackMode {
    RENAME,
    FAIL
  }

  /** Up to how many partitions compilation asks for the locations of all. */
  public static final ConfigKey<Integer> ASKED_LOCATIONS =
      ConfigKey.wholeNumber(
          "zerorename.hive.asked.locations",
          10_000,
          0,
          10_000_000,
          "partitions",
          "If a table has no more partitions than this, an INSERT whose rows choose among all of"
              + " them asks the metastore for their locations when it is compiled. A larger table"
              + " is taken to have no partition outside of its directory; if the rows choose such a"
              + " partition, the INSERT fails before its commit.");

  /** The property of a table that switches the committer off for it; not a key of Hive's. */
  public static final ConfigKey<Boolean> TABLE_ENABLED =
      ConfigKey.flag(
          "zerorename.enabled",
          true,
          "Whether INSERTs into this table may be committed without renames. With false they all"
              + " keep Hive's own path.");

  private HiveKeys() {}

  /** All of them, with those that Hive shares with other engines. */
  public static List<ConfigKey<?>> all() {
    List<ConfigKey<?>> keys =
        new ArrayList<>(List.of(ENABLED, TrashMode.KEY, LLAP, MERGE, FALLBACK, ASKED_LOCATIONS));
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
}
