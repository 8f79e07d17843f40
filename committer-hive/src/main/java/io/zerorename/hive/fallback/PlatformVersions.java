package io.zerorename.hive.fallback;

import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.util.VersionInfo;
import org.apache.hive.common.util.HiveVersionInfo;

/**
 * Whether this Hive and this Hadoop have what the committer uses. Uses nothing else of Hive, so
 * that it can be loaded where much is missing.
 */
public final class PlatformVersions {
  /** What this Hive lacks, once it was looked for: the jars of a process do not change. */
  private static Optional<Fallback> ofHive;

  private PlatformVersions() {}

  /**
   * Refuses a Hive that lacks a class or member which the committer uses anywhere, because it would
   * be missed when the statement has written.
   *
   * @throws IOException where the committer's own jar or Hive's cannot be read
   */
  public static void require() throws Fallback, IOException {
    Optional<Fallback> lacking = ofHive();
    if (lacking.isPresent()) {
      throw lacking.get();
    }
  }

  /** What an error comes from, if that is a Hive or Hadoop that lacks what the committer uses. */
  public static Optional<Fallback> lacking(Throwable e) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof LinkageError) {
        try {
          return ofHive().or(() -> ofHadoop(VersionInfo.getVersion()));
        } catch (IOException unreadable) {
          e.addSuppressed(unreadable);
          return Optional.empty();
        }
      }
    }
    return Optional.empty();
  }

  private static synchronized Optional<Fallback> ofHive() throws IOException {
    if (ofHive == null) {
      ClassLoader loader = PlatformVersions.class.getClassLoader();
      ofHive = ofHive(HiveVersionInfo.getVersion(), linksOfHive(loader, loader));
    }
    return ofHive;
  }

  static EngineLinks linksOfHive(ClassLoader hive, ClassLoader others) throws IOException {
    return EngineLinks.of(
        "io/zerorename/hive/ZeroRenameHook", "org/apache/hadoop/hive/", hive, others);
  }

  static Optional<Fallback> ofHive(String version, EngineLinks links) {
    return links.missing().stream()
        .findFirst()
        .map(
            it ->
                new Fallback(
                    FallbackReason.HIVE_VERSION, "Hive %s has no %s".formatted(version, it)));
  }

  static Optional<Fallback> ofHadoop(String version) {
    return PlatformVersion.of(version)
        .filter(it -> it.isBelow(3, 4))
        .map(it -> new Fallback(FallbackReason.HADOOP_VERSION, "this is Hadoop " + version));
  }
}
