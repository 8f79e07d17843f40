package io.zerorename.cli.command;

import static java.util.Objects.requireNonNull;

import java.io.PrintStream;

/**
 * The progress of a long command in one line that is overwritten some times a second, on a terminal
 * only. May be called from any thread.
 */
final class Progress {
  private static final long PAUSE_NANOS = 200_000_000;

  private final PrintStream terminal;
  private final boolean watched;
  private long lastNanos;
  private int lastLength;

  /**
   * @param watched whether a terminal is attached, and no program reads
   */
  Progress(PrintStream terminal, boolean watched) {
    this.terminal = requireNonNull(terminal, "terminal");
    this.watched = watched;
  }

  synchronized void show(String line) {
    if (!watched || (lastLength > 0 && System.nanoTime() - lastNanos < PAUSE_NANOS)) {
      return;
    }
    terminal.print("\r" + line + " ".repeat(Math.max(0, lastLength - line.length())));
    terminal.flush();
    lastLength = line.length();
    lastNanos = System.nanoTime();
  }

  /** Removes the line, before other output. */
  synchronized void clear() {
    if (lastLength > 0) {
      terminal.print("\r" + " ".repeat(lastLength) + "\r");
      terminal.flush();
      lastLength = 0;
    }
  }
}
