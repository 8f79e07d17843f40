package io.zerorename.cli.command;

import static java.util.Objects.requireNonNull;

import java.io.PrintStream;
import java.util.Locale;

/**
 * Shows the progress of a long command in one line that it overwrites, on a terminal only. May be
 * called from any thread.
 */
public final class Progress {
  private static final int WIDTH = 30;
  private static final long PAUSE_NANOS = 100_000_000;

  private final PrintStream terminal;
  private final boolean watched;
  private long lastNanos;
  private int lastLength;

  /**
   * @param watched whether a terminal is attached, and no program reads
   */
  public Progress(PrintStream terminal, boolean watched) {
    this.terminal = requireNonNull(terminal, "terminal");
    this.watched = watched;
  }

  public synchronized void step(String what, long done, long total) {
    if (!watched || (lastLength > 0 && System.nanoTime() - lastNanos < PAUSE_NANOS)) {
      return;
    }
    int full = (int) (WIDTH * done / total);
    String bar = "#".repeat(full) + " ".repeat(WIDTH - full);
    String line = String.format(Locale.ROOT, "%s [%s] %,d of %,d", what, bar, done, total);
    terminal.print("\r" + line + " ".repeat(Math.max(0, lastLength - line.length())));
    terminal.flush();
    lastLength = line.length();
    lastNanos = System.nanoTime();
  }

  /** Removes the line, before other output. */
  public synchronized void clear() {
    if (lastLength > 0) {
      terminal.print("\r" + " ".repeat(lastLength) + "\r");
      terminal.flush();
      lastLength = 0;
    }
  }
}
