package io.zerorename.report;

import java.util.Locale;

/** Numbers as they stand in a page. */
public final class HtmlText {
  private HtmlText() {}

  public static String count(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }

  public static String seconds(double value) {
    return String.format(Locale.ROOT, "%.1f s", value);
  }

  public static String bytes(long value) {
    if (value < 10_000) {
      return count(value) + " B";
    }
    return value < 10_000_000 ? count(value / 1_000) + " kB" : count(value / 1_000_000) + " MB";
  }
}
