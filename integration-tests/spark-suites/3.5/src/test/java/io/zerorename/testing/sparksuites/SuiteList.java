package io.zerorename.testing.sparksuites;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.spark.SparkBuildInfo;

/** The files suites.txt and exclusions.txt, which say of themselves how they are written. */
final class SuiteList {
  /** A regular expression; of all suites those run whose names have it. */
  private static final String SELECTED = "spark.suites";

  private SuiteList() {}

  /** The Spark that runs. */
  static String sparkVersion() {
    return SparkBuildInfo.spark_version();
  }

  /**
   * A suite to run.
   *
   * @param name of its class
   * @param leastPassed how many of its tests that are not excluded must pass
   */
  record Suite(String name, int leastPassed) {}

  static List<Suite> suites() {
    Pattern selected = Pattern.compile(System.getProperty(SELECTED, ""));
    List<Suite> suites =
        lines("suites.txt").stream()
            .map(line -> line.split(" "))
            .map(it -> new Suite(it[0], Integer.parseInt(it[1])))
            .filter(it -> selected.matcher(it.name()).find())
            .toList();
    if (suites.isEmpty()) {
      throw new IllegalArgumentException("no suite has " + selected + " in its name");
    }
    return suites;
  }

  /** The tests of a suite that are excluded for this Spark. */
  static Set<String> excluded(String suite) {
    return lines("exclusions.txt").stream()
        .map(SuiteList::exclusion)
        .filter(it -> it[0].equals("*") || sparkVersion().startsWith(it[0]))
        .filter(it -> suite.endsWith("." + it[1]))
        .map(it -> it[2])
        .collect(Collectors.toSet());
  }

  private static String[] exclusion(String line) {
    String[] exclusion = line.split(" \\| ", 4);
    if (exclusion.length < 4) {
      throw new IllegalStateException(
          "an exclusion names version, suite, test and reason: " + line);
    }
    return exclusion;
  }

  private static List<String> lines(String file) {
    try (InputStream in = SuiteList.class.getResourceAsStream(file)) {
      return new String(in.readAllBytes(), UTF_8)
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
