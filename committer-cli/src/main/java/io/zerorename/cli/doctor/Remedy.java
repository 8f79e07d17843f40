package io.zerorename.cli.doctor;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One thing to do about a finding.
 *
 * @param line for a person
 * @param fields the same for a program, in the same order each time
 */
record Remedy(String line, SortedMap<String, String> fields) {
  /** Sets a property in a configuration file. */
  static Remedy set(String property, String value, String file) {
    return new Remedy(
        "set %s=%s in %s".formatted(property, value, file),
        new TreeMap<>(Map.of("property", property, "value", value, "file", file)));
  }

  /**
   * Grants a permission.
   *
   * @param action as an IAM policy names it
   * @param resource an ARN
   */
  static Remedy grant(String action, String resource) {
    return new Remedy(
        "grant %s on %s".formatted(action, resource),
        new TreeMap<>(Map.of("action", action, "resource", resource)));
  }
}
