package io.zerorename.demo;

import java.util.List;
import java.util.Locale;

/** Horizontal stacked bars as inline SVG, coloured by the variables of the page's style sheet. */
final class BarChart {
  /** As wide as the page allows. */
  static final int FULL_WIDTH = 900;

  /** For two drawings side by side. */
  static final int HALF_WIDTH = 430;

  private static final int LABEL_WIDTH = 118;
  private static final int VALUE_WIDTH = 90;
  private static final int ROW_HEIGHT = 46;
  private static final int BAR_HEIGHT = 28;

  /** The narrowest segment, in units of the drawing, that has room for its number. */
  private static final double ROOM_FOR_NUMBER = 38;

  private BarChart() {}

  /**
   * A part of a bar.
   *
   * @param color the name of a variable of the style sheet, without its dashes
   * @param text the value for a person
   */
  record Segment(String name, double value, String color, String text) {}

  /**
   * A bar.
   *
   * @param text the sum for a person
   */
  record Bar(String label, List<Segment> segments, String text) {
    double length() {
      return segments.stream().mapToDouble(Segment::value).sum();
    }
  }

  /**
   * A drawing of some bars, to one scale.
   *
   * @param description for people who cannot see it
   * @param width in units of the drawing, in which all else has a fixed size
   */
  static String of(String description, int width, List<Bar> bars) {
    double longest = Math.max(1e-9, bars.stream().mapToDouble(Bar::length).max().orElse(0));
    double unit = (width - LABEL_WIDTH - VALUE_WIDTH) / longest;
    StringBuilder svg = new StringBuilder();
    svg.append(
        format(
            "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">\n",
            width, bars.size() * ROW_HEIGHT + 4, HtmlText.escape(description)));
    for (int i = 0; i < bars.size(); i++) {
      svg.append(bar(bars.get(i), i * ROW_HEIGHT + (ROW_HEIGHT - BAR_HEIGHT) / 2, unit));
    }
    return svg.append("</svg>\n").toString();
  }

  private static String bar(Bar bar, int y, double unit) {
    StringBuilder svg = new StringBuilder();
    int middle = y + BAR_HEIGHT / 2;
    svg.append(
        format(
            "<text class=\"label\" x=\"%d\" y=\"%d\">%s</text>\n",
            LABEL_WIDTH - 12, middle, HtmlText.escape(bar.label())));
    double x = LABEL_WIDTH;
    for (Segment segment : bar.segments()) {
      double width = segment.value() * unit;
      if (width <= 0) {
        continue;
      }
      svg.append(
          format(
              "<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" fill=\"var(--%s)\">"
                  + "<title>%s, %s: %s</title></rect>\n",
              x,
              y,
              Math.max(width, 0.8),
              BAR_HEIGHT,
              segment.color(),
              HtmlText.escape(bar.label()),
              HtmlText.escape(segment.name()),
              segment.text()));
      if (width >= ROOM_FOR_NUMBER && bar.segments().size() > 1) {
        svg.append(
            format(
                "<text class=\"inside\" x=\"%.2f\" y=\"%d\">%s</text>\n",
                x + width / 2, middle, segment.text()));
      }
      x += width;
    }
    svg.append(
        format("<text class=\"value\" x=\"%.2f\" y=\"%d\">%s</text>\n", x + 8, middle, bar.text()));
    return svg.toString();
  }

  private static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
