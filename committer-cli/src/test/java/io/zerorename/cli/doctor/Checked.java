package io.zerorename.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

/** The findings of a run, by the names of their checks. */
final class Checked {
  private Checked() {}

  /** What one check found, after all that come before it. */
  static Finding find(List<Check> checks, String name) {
    for (Check check : checks) {
      Finding finding = check.find();
      if (check.name().equals(name)) {
        return finding;
      }
    }
    throw new AssertionError("no check is called " + name);
  }

  /** What a person is told to do about it. */
  static List<String> remedies(Finding finding) {
    return finding.remedies().stream().map(Remedy::line).toList();
  }

  static void assertOk(Finding finding) {
    assertThat(finding.outcome()).as(finding.text()).isEqualTo(Outcome.OK);
    assertThat(finding.remedies()).isEmpty();
  }
}
