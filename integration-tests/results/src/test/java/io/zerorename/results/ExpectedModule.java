package io.zerorename.results;

import io.zerorename.testing.network.Network;
import io.zerorename.testing.s3server.PublicServer;
import java.util.List;
import java.util.stream.Stream;

/**
 * A module and how many test cases it runs at least. The numbers are lower bounds: those of the
 * quick tier are about 95 % of what a build ran on 1 December 2026. Raise them when tests come;
 * lower them only when tests go, or move to the thorough tier.
 *
 * @param part of the thorough tier
 * @param quick test cases of the quick tier; 0 for a module that is built in the thorough tier only
 */
record ExpectedModule(
    String directory, String part, int quick, int thorough, String reasonToLeaveOut) {
  private static final String JAVA_21 =
      "NOT TESTED, there is no Java 21 to 23; name its directory by -Djava21.home=… or JAVA21_HOME";

  /** Empty where one of them is there. */
  private static final String TOOLCHAINS =
      Stream.of(PublicServer.values()).anyMatch(server -> server.reasonAgainst().isEmpty())
          ? ""
          : "NOT TESTED, nothing that the servers are made with is in the PATH";

  private static final List<ExpectedModule> ALL =
      List.of(
          module("integration-tests/shared", "core", 34, 34),
          module("committer-core", "core", 556, 565),
          module("committer-magic", "core", 171, 171),
          module("committer-hive", "core", 355, 355),
          module("committer-spark", "core", 2, 2),
          module("committer-cli", "core", 144, 144),
          module("distribution", "core", 6, 6),
          module("integration-tests/hive-runtime", "hive", 4, 4),
          module("demo-and-benchmark", "hive", 42, 42),
          module("integration-tests/hive", "hive", 159, 253),
          module("integration-tests/hive", "matrix", 0, 184),
          module("integration-tests/hive-qfiles", "hive-qfiles", 0, 90),
          module("integration-tests/hiveserver2", "hiveserver2", 3, 26),
          module("integration-tests/mapreduce", "mapreduce", 5, 22),
          module("integration-tests/hadoop-versions/jobs", "versions", 18, 20),
          module("integration-tests/hadoop-versions/hadoop-3.4.3", "versions", 0, 130),
          module("integration-tests/hadoop-versions/hadoop-3.5.0", "versions", 0, 130),
          module("integration-tests/hive-4.0-hadoop-3.3", "versions", 0, 3),
          module("integration-tests/spark/writes", "versions", 128, 214),
          module("integration-tests/spark/spark-3.5-scala-2.13", "versions", 0, 45),
          module("integration-tests/spark/spark-4.0", "versions", 0, 45),
          module("integration-tests/spark/spark-4.2", "versions", 0, 45),
          module("integration-tests/spark-suites/3.5", "spark-suites", 0, 19),
          module("integration-tests/spark-suites/4.0", "spark-suites", 0, 19),
          // With one of the servers.
          new ExpectedModule("committer-core", "stores", 0, 28, TOOLCHAINS),
          new ExpectedModule("committer-cli", "stores", 0, 7, TOOLCHAINS),
          new ExpectedModule("integration-tests/mapreduce", "stores", 0, 1, TOOLCHAINS),
          new ExpectedModule("integration-tests/hive", "stores", 0, 7, TOOLCHAINS),
          new ExpectedModule("demo-and-benchmark", "stores", 0, 1, TOOLCHAINS),
          new ExpectedModule(
              "integration-tests/network", "network", 0, 19, Network.reasonAgainst().orElse("")),
          new ExpectedModule("integration-tests/hive-4.2", "versions", 0, 78, JAVA_21));

  private static ExpectedModule module(String directory, String part, int quick, int thorough) {
    return new ExpectedModule(directory, part, quick, thorough, "");
  }

  /** Those that a build runs: a part of the thorough tier, or the quick tier. */
  static List<ExpectedModule> of(String part, boolean thorough) {
    return ALL.stream()
        .filter(it -> !thorough || it.part.equals(part))
        .filter(it -> it.cases(thorough) > 0)
        .toList();
  }

  int cases(boolean isThorough) {
    return isThorough ? thorough : quick;
  }

  boolean mayBeLeftOut() {
    return !reasonToLeaveOut.isEmpty();
  }
}
