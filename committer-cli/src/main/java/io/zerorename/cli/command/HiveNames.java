package io.zerorename.cli.command;

import java.io.File;
import java.util.regex.Pattern;

/**
 * Distinguishes names of tables and databases from paths. Needs no class of Hive or of its binding.
 */
public final class HiveNames {
  private static final Pattern TABLE = Pattern.compile("\\w+\\.\\w+");
  private static final Pattern DATABASE = Pattern.compile("\\w+");

  private HiveNames() {}

  /** Whether a word is {@code database.table}, and no path. */
  public static boolean isTable(String word) {
    return TABLE.matcher(word).matches();
  }

  /** The same, where a word may also name a local file, or a report. */
  public static boolean isTableAndNoReport(String word) {
    return isTable(word) && !word.endsWith(".json") && !new File(word).exists();
  }

  /** Whether a word is a database's name, and no path. */
  public static boolean isDatabase(String word) {
    return DATABASE.matcher(word).matches();
  }
}
