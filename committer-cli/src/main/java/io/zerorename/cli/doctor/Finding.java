package io.zerorename.cli.doctor;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The result of a check.
 *
 * @param text a sentence without a full stop
 * @param remedies what the user should do
 */
public record Finding(Outcome outcome, String text, List<String> remedies) {
  static Finding ok(String text) {
    return new Finding(Outcome.OK, text, List.of());
  }

  static Finding warning(String text, String... remedies) {
    return new Finding(Outcome.WARNING, text, List.of(remedies));
  }

  static Finding wrong(String text, String... remedies) {
    return new Finding(Outcome.WRONG, text, List.of(remedies));
  }

  /** What is wrong in any of several findings, as one. */
  static Finding worst(List<Finding> findings, String textIfNone) {
    List<Finding> others = findings.stream().filter(it -> it.outcome() != Outcome.OK).toList();
    return others.stream()
        .map(Finding::outcome)
        .max(Comparator.naturalOrder())
        .map(
            outcome ->
                new Finding(
                    outcome,
                    others.stream()
                        .map(it -> it.text().replaceAll("\\.$", ""))
                        .collect(Collectors.joining("; ")),
                    others.stream().flatMap(it -> it.remedies().stream()).toList()))
        .orElseGet(() -> ok(textIfNone));
  }

  /** The remedy that sets a property in a configuration file. */
  static String set(String property, String value, String file) {
    return "set %s=%s in %s".formatted(property, value, file);
  }

  static Finding notChecked(String why) {
    return new Finding(Outcome.NOT_CHECKED, why, List.of());
  }
}
