package io.zerorename.cli.doctor;

import static java.util.Objects.requireNonNull;

import java.util.List;

/**
 * What a check found.
 *
 * @param text a sentence for a person, without a full stop
 * @param remedies what to do about it
 */
record Finding(Outcome outcome, String text, List<Remedy> remedies) {
  Finding {
    requireNonNull(outcome, "outcome");
    requireNonNull(text, "text");
    remedies = List.copyOf(remedies);
  }

  static Finding ok(String text) {
    return new Finding(Outcome.OK, text, List.of());
  }

  static Finding warning(String text, Remedy... remedies) {
    return new Finding(Outcome.WARNING, text, List.of(remedies));
  }

  static Finding wrong(String text, Remedy... remedies) {
    return new Finding(Outcome.WRONG, text, List.of(remedies));
  }

  static Finding notChecked(String why) {
    return new Finding(Outcome.NOT_CHECKED, why, List.of());
  }
}
