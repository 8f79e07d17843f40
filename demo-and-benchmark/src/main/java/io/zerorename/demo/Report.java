package io.zerorename.demo;

import io.zerorename.report.Cost;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * All that one run of the demo found out.
 *
 * @param engine that ran the statement
 * @param machine what it ran on, for people who compare reports
 * @param sql the statement that was measured, with a placeholder for the table
 * @param rowsEqual whether the check of rows held
 * @param statsEqual whether the check of the metastore held, where there is one
 * @param cost of a run on an S3 that is not on this machine
 * @param measurements as it comes, with the remedy of the engine, with the committer
 */
record Report(
    Instant time,
    DemoOptions options,
    EngineFacts engine,
    Map<String, String> machine,
    String sql,
    List<Measurement> measurements,
    boolean rowsEqual,
    Optional<Boolean> statsEqual,
    List<Check> checks,
    Optional<Cost> cost) {

  Report {
    measurements = List.copyOf(measurements);
    checks = List.copyOf(checks);
  }

  boolean passed() {
    return checks.stream().allMatch(Check::passed);
  }

  Measurement stock() {
    return measurements.get(0);
  }

  /** With the remedy of the engine. */
  Measurement remedy() {
    return measurements.get(1);
  }

  Measurement ours() {
    return measurements.get(2);
  }

  /** How many times more than zero-rename; "-" where one of the two has none. */
  static String ratio(double value, double ours) {
    if (ours == 0 || value == 0) {
      return "-";
    }
    return String.format(java.util.Locale.ROOT, "%.1fx", value / ours);
  }
}
