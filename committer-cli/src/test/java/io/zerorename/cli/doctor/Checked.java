package io.zerorename.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;

/** What tests of checks have in common. */
final class Checked {
  private Checked() {}

  static void assertOk(Finding finding) {
    assertThat(finding.outcome()).as(finding.text()).isEqualTo(Outcome.OK);
    assertThat(finding.remedies()).isEmpty();
  }

  /**
   * Asserts what is found and what is to be done.
   *
   * @param remedy how the one setting begins that is told; null where nothing is to be done
   */
  static void assertFinding(Finding finding, Outcome outcome, String remedy) {
    assertThat(finding.outcome()).as(finding.text()).isEqualTo(outcome);
    if (remedy == null) {
      assertThat(finding.remedies()).isEmpty();
    } else {
      assertThat(finding.remedies()).singleElement().asString().startsWith("set " + remedy);
    }
  }

  /** Makes a jar with one empty file. */
  static Path jar(Path jar, String entry) throws IOException {
    Files.createDirectories(jar.getParent());
    try (JarOutputStream content = new JarOutputStream(Files.newOutputStream(jar))) {
      content.putNextEntry(new JarEntry(entry));
    }
    return jar;
  }
}
