package io.zerorename.cli.command;

import java.util.LinkedHashMap;
import java.util.Map;

/** How a command ended, as the shell sees it; the same for every command. */
public enum ExitCode {
  OK(0, "done, and nothing is wrong"),
  FOUND(1, "done, and something was found that is wrong or left to do"),
  USAGE(2, "wrong options or wrong input: a path, a bucket, a file"),
  UNDER_WAY(3, "something may be under way in another process, and was left alone"),
  FAILED(4, "could not be done: a server did not answer, or refused");

  private final int number;
  private final String meaning;

  ExitCode(int number, String meaning) {
    this.number = number;
    this.meaning = meaning;
  }

  public int number() {
    return number;
  }

  /** In a few words, for the help. */
  public String meaning() {
    return meaning;
  }

  /** The graver of two. */
  public ExitCode and(ExitCode other) {
    return compareTo(other) >= 0 ? this : other;
  }

  /** Meanings by number, for the help. */
  public static Map<String, String> all() {
    Map<String, String> all = new LinkedHashMap<>();
    for (ExitCode code : values()) {
      all.put(String.valueOf(code.number), code.meaning);
    }
    return all;
  }
}
