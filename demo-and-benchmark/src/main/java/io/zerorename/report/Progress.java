package io.zerorename.report;

import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;

/** Prints each step with the elapsed time. */
public final class Progress {
  private final PrintStream out;
  private final long start = System.nanoTime();

  public Progress(PrintStream out) {
    this.out = out;
  }

  public void step(String what) {
    Duration elapsed = Duration.ofNanos(System.nanoTime() - start);
    out.printf(Locale.ROOT, "[%2d:%02d] %s%n", elapsed.toMinutes(), elapsed.toSecondsPart(), what);
    out.flush();
  }

  /** Lines that belong to no step. */
  public void print(String text) {
    out.println(text);
    out.flush();
  }
}
