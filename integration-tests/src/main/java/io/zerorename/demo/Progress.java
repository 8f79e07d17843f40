package io.zerorename.demo;

import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;

/** Tells a person what happens, and how long the demo has been running. */
final class Progress {
  private final PrintStream out;
  private final long start = System.nanoTime();

  Progress(PrintStream out) {
    this.out = out;
  }

  void step(String what) {
    Duration elapsed = Duration.ofNanos(System.nanoTime() - start);
    out.printf(Locale.ROOT, "[%2d:%02d] %s%n", elapsed.toMinutes(), elapsed.toSecondsPart(), what);
    out.flush();
  }

  /** Lines that belong to no step. */
  void print(String text) {
    out.println(text);
    out.flush();
  }
}
