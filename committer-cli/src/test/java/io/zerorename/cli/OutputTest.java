package io.zerorename.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class OutputTest {
  @Test
  void progressIsSaidNowAndThenAndNotAtEachStep() throws Exception {
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    PrintStream err = new PrintStream(printed, true, UTF_8);
    Output output = new Output(System.out, err, true, Duration.ofMillis(200));
    long begun = System.nanoTime();
    for (int i = 1; i <= 100_000; i++) {
      output.progress("Verified", i, 200_000);
    }
    Thread.sleep(200);
    output.progress("Verified", 100_001, 200_000);
    long fifths = (System.nanoTime() - begun) / 200_000_000;
    assertThat(printed.toString(UTF_8).lines())
        .hasSizeBetween(1, (int) fifths)
        .last()
        .isEqualTo("zerorename: Verified: 100,001 of 200,000");
  }
}
