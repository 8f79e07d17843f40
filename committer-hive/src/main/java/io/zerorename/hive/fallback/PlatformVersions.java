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
    if (PlatformVersion.of(hive).filter(it -> it.isBelow(4, 0)).isPresent()) {
      return Optional.of(new Fallback(FallbackReason.HIVE_VERSION, "this is Hive " + hive));
    }
    return PlatformVersion.of(hadoop)
        .filter(it -> it.isBelow(3, 4))
        .map(it -> new Fallback(FallbackReason.HADOOP_VERSION, "this is Hadoop " + hadoop));
  }
}
