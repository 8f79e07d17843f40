package io.zerorename.cli.doctor;

import java.util.List;

/**
 * The result of a check.
 *
 * @param text a sentence without a full stop
 * @param remedies what the user should do
 */
record Finding(Outcome outcome, String text, List<Remedy> remedies) {
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
