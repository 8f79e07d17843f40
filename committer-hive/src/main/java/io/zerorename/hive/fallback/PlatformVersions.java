package io.zerorename.hive.fallback;

import io.zerorename.core.config.PlatformVersion;
import java.util.Optional;
import org.apache.hadoop.util.VersionInfo;
import org.apache.hive.common.util.HiveVersionInfo;

/**
 * Says by the versions why classes or methods are missing. Uses nothing else of Hive, so that it
 * can be loaded where much is missing.
 */
public final class PlatformVersions {
  private static final int HIVE = 4;
  private static final int HADOOP = 3;
  private static final int HADOOP_MINOR = 4;

  private PlatformVersions() {}

  /** What an error comes from, if that is an older Hive or Hadoop than the committer needs. */
  public static Optional<Fallback> tooOld(Throwable e) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof LinkageError) {
        return tooOld(HiveVersionInfo.getVersion(), VersionInfo.getVersion());
      }
    }
    return Optional.empty();
  }

  static Optional<Fallback> tooOld(String hive, String hadoop) {
    if (isBelow(hive, HIVE, 0)) {
      return Optional.of(new Fallback(FallbackReason.HIVE_VERSION, "this is Hive " + hive));
    }
    return isBelow(hadoop, HADOOP, HADOOP_MINOR)
        ? Optional.of(new Fallback(FallbackReason.HADOOP_VERSION, "this is Hadoop " + hadoop))
        : Optional.empty();
  }

  private static boolean isBelow(String version, int major, int minor) {
    return PlatformVersion.of(version).filter(it -> it.isBelow(major, minor)).isPresent();
  }
}
