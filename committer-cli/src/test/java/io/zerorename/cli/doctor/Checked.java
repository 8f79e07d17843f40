package io.zerorename.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

/** What tests ask of a finding. */
final class Checked {
  private Checked() {}

  /** What a person is told to do about it. */
  static List<String> remedies(Finding finding) {
    return finding.remedies();
  }

  static void assertOk(Finding finding) {
    assertThat(finding.outcome()).as(finding.text()).isEqualTo(Outcome.OK);
    assertThat(finding.remedies()).isEmpty();
  }
}
