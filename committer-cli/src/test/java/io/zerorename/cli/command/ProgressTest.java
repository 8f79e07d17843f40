package io.zerorename.cli.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.Test;

class ProgressTest {
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
  private final PrintStream terminal = new PrintStream(printed, true, UTF_8);

  @Test
  void aTerminalIsNotFloodedByEveryStep() {
    Progress progress = new Progress(terminal, true);
    long begun = System.nanoTime();
    for (int i = 1; i <= 100_000; i++) {
      progress.show("Verified: " + i);
    }
    long fifths = (System.nanoTime() - begun) / 200_000_000;
    assertThat(printed.toString(UTF_8).chars().filter(it -> it == '\r').count())
        .isBetween(1L, 1 + fifths);
  }
}
