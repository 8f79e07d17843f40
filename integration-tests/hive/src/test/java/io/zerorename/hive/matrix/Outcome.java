package io.zerorename.hive.matrix;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What the console says of a statement. */
final class Outcome {
  static final String COMMITTED = "COMMITTED";
  static final String UNTOUCHED = "UNTOUCHED";

  private static final Pattern COMMIT = Pattern.compile("zero-rename: committed ");
  private static final Pattern FALLBACK =
      Pattern.compile("is written by Hive's own rename path: ([A-Z0-9_]+), ");

  private Outcome() {}

  /** {@link #COMMITTED}, or the reasons of fallbacks, or both; each once. */
  static List<String> in(String console) {
    return Stream.concat(
            COMMIT.matcher(console).results().map(match -> COMMITTED),
            FALLBACK.matcher(console).results().map(match -> match.group(1)))
        .distinct()
        .toList();
  }
}
