package io.zerorename.demo;

import io.zerorename.testing.hive.Subject;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * All that one run of the demo found out.
 *
 * @param machine what it ran on, for people who compare reports
 * @param sql the statement that was measured, with a placeholder for the table
 * @param rowsEqual whether the check of rows held
 * @param statsEqual whether the check of the metastore held
 * @param measurements one per subject, in their order
 */
record Report(
    Instant time,
    DemoOptions options,
    Map<String, String> machine,
    String sql,
    List<Measurement> measurements,
    boolean rowsEqual,
    boolean statsEqual,
    List<Check> checks) {

  Report {
    measurements = List.copyOf(measurements);
    checks = List.copyOf(checks);
  }

  boolean passed() {
    return checks.stream().allMatch(Check::passed);
  }

  Measurement of(Subject subject) {
    return measurements.stream()
        .filter(measurement -> measurement.subject() == subject)
        .findFirst()
        .orElseThrow(() -> new IllegalStateException(subject.title() + " was not measured"));
  }

  /** How many times more than zero-rename; "-" where one of the two has none. */
  static String ratio(double value, double ours) {
    if (ours == 0 || value == 0) {
      return "-";
    }
    return String.format(java.util.Locale.ROOT, "%.1fx", value / ours);
  }
}
