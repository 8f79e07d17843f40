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

  /** Makes a jar with one empty file. */
  static Path jar(Path jar, String entry) throws IOException {
    Files.createDirectories(jar.getParent());
    try (JarOutputStream content = new JarOutputStream(Files.newOutputStream(jar))) {
      content.putNextEntry(new JarEntry(entry));
    }
    return jar;
  }
}
