package io.zerorename.cli.doctor;

import io.zerorename.hive.fallback.PlatformVersion;
import java.io.IOException;
import java.util.List;
import java.util.regex.Matcher;
import org.apache.hadoop.util.VersionInfo;

/** Compares the versions on the class path with those on which the tests run. */
record VersionChecks(Cluster cluster) {
  /** Set by bin/zerorename where it runs without a Hadoop. */
  private static final String OWN_JARS = "zerorename.own.jars";

  /**
   * A platform, the versions in the tests, and the oldest version that may work; of Hive the check
   * hive-links says that.
   */
  enum Platform {
    HADOOP("Hadoop", "3.4.1, 3.4.3, 3.5.0", 3, 4),
    HIVE("Hive", "4.0.1, 4.1.0, 4.2.0", 0, 0),
    AWS_SDK("AWS SDK for Java", "2.29.52, 2.35.4", 2, 24);

    private final String title;
    private final String tested;
    private final int major;
    private final int minor;

    Platform(String title, String tested, int major, int minor) {
      this.title = title;
      this.tested = tested;
      this.major = major;
      this.minor = minor;
    }

    Finding judge(String version) {
      if (List.of(tested.split(", ", -1)).contains(version)) {
        return Finding.ok(title + " " + version);
      }
      String found = "%s %s was not tested; the tests run on %s".formatted(title, version, tested);
      return PlatformVersion.of(version)
          .map(
              numbers ->
                  numbers.isBelow(major, minor)
                      ? Finding.wrong(
                          "%s, and at least %s.%s is needed".formatted(found, major, minor))
                      : Finding.warning(found))
          .orElseGet(() -> Finding.notChecked(found));
    }
  }

  List<Check> all() {
    return List.of(
        new Check("hadoop-version", () -> ofCluster(Platform.HADOOP, VersionInfo.getVersion())),
        new Check("aws-sdk-version", this::sdk),
        new Check("hive-version", this::hive));
  }

  /** The archive of the commands brings jars that are not the cluster's. */
  private static Finding ofCluster(Platform platform, String version) {
    return Boolean.getBoolean(OWN_JARS)
        ? Finding.notChecked(
            "this command has %s %s of its own; the cluster's cannot be seen from here"
                .formatted(platform.title, version))
        : platform.judge(version);
  }

  private Finding sdk() {
    try {
      // By reflection, because the compiler would inline the constant of the build's own SDK.
      Object version =
          Class.forName("software.amazon.awssdk.core.util.VersionInfo", true, cluster.classPath())
              .getField("SDK_VERSION")
              .get(null);
      return ofCluster(Platform.AWS_SDK, String.valueOf(version));
    } catch (ReflectiveOperationException e) {
      return Finding.wrong(
          "the AWS SDK, version 2, is not on the class path; it comes with hadoop-aws");
    }
  }

  /** By the name of its jar: this command has none of Hive's on its class path. */
  private Finding hive() throws IOException {
    Matcher name = Cluster.HIVE_EXEC.matcher(cluster.hiveExec().getFileName().toString());
    return Platform.HIVE.judge(name.matches() ? name.group(1) : "of another name");
  }
}
