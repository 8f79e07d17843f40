package io.zerorename.cli;

/** How a command ended, as the shell sees it; the help of every command says what each means. */
enum ExitCode {
  OK(0),
  FOUND(1),
  USAGE(2),
  UNDER_WAY(3),
  FAILED(4);

  private final int number;

  ExitCode(int number) {
    this.number = number;
  }

  int number() {
    return number;
  }

  /** The graver of two. */
  ExitCode and(ExitCode other) {
    return compareTo(other) >= 0 ? this : other;
  }
}
