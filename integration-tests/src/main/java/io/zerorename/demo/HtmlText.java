package io.zerorename.demo;

import java.util.Locale;

/** Words and numbers as they stand in a page. */
final class HtmlText {
  private HtmlText() {}

  static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }

  static String count(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }

  static String seconds(double value) {
    return String.format(Locale.ROOT, "%.1f s", value);
  }

  static String bytes(long value) {
    if (value < 10_000) {
      return count(value) + " B";
    }
    return value < 10_000_000 ? count(value / 1_000) + " kB" : count(value / 1_000_000) + " MB";
  }
}
