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
  void whoeverWatchesSeesABarThatIsTakenAwayAgain() {
    Progress progress = new Progress(terminal, true);
    progress.step("Verified", 500, 1000);
    String bar = "Verified [" + "#".repeat(15) + " ".repeat(15) + "] 500 of 1,000";
    assertThat(printed.toString(UTF_8)).isEqualTo("\r" + bar);

    progress.clear();
    assertThat(printed.toString(UTF_8)).endsWith("\r" + " ".repeat(bar.length()) + "\r");
  }

  @Test
  void aTerminalIsNotFloodedByEveryStep() {
    Progress progress = new Progress(terminal, true);
    for (int i = 1; i <= 100_000; i++) {
      progress.step("Verified", i, 100_000);
    }
    assertThat(printed.toString(UTF_8).chars().filter(it -> it == '\r').count())
        .isBetween(1L, 1000L);
  }

  @Test
  void whereNobodyWatchesNothingIsPrinted() {
    Progress progress = new Progress(terminal, false);
    progress.step("Verified", 1, 2);
    progress.clear();
    assertThat(printed.size()).isZero();
  }
}
