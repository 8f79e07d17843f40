package io.zerorename.report;

import static java.util.stream.Collectors.joining;

import io.zerorename.report.html.Page;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Horizontal stacked bars as inline SVG, coloured by the variables of the page's style sheet. */
public final class BarChart {
  private static final int VALUE_WIDTH = 90;

  /** The narrowest segment, in units of the drawing, that has room for its number. */
  private static final double ROOM_FOR_NUMBER = 38;

  private BarChart() {}

  /**
   * The sizes of a drawing, in its own units; a page scales it to its width.
   *
   * @param labelWidth room for a label at the left of each bar
   * @param rowHeight from one bar to the next
   */
  public record Layout(int width, int labelWidth, int rowHeight) {
    /** As wide as the page allows. */
    public static final Layout FULL = new Layout(900, 160, 46);

    /** For two drawings side by side. */
    public static final Layout HALF = new Layout(430, 160, 46);

    /** Full width, for many bars with long labels. */
    public static final Layout DENSE = new Layout(900, 210, 28);

    private boolean isDense() {
      return rowHeight < FULL.rowHeight;
    }

    private int barHeight() {
      return rowHeight * 3 / 5;
    }
  }

  /**
   * A part of a bar.
   *
   * @param color the name of a variable of the style sheet, without its dashes
   * @param text the value for a person
   */
  public record Segment(String name, double value, String color, String text) {}

  /** The least and the most that the length of a bar was when it was measured several times. */
  public record Whisker(double least, double most) {}

  /**
   * A bar.
   *
   * @param text the sum for a person
   */
  public record Bar(String label, List<Segment> segments, String text, Optional<Whisker> whisker) {
    /** A bar that was measured once. */
    public Bar(String label, List<Segment> segments, String text) {
      this(label, segments, text, Optional.empty());
    }

    double length() {
      return segments.stream().mapToDouble(Segment::value).sum();
    }

    double reach() {
      return Math.max(length(), whisker.map(Whisker::most).orElse(0.0));
    }
  }

  /**
   * A drawing of some bars, to one scale.
   *
   * @param description for people who cannot see it
   */
  public static String of(String description, Layout layout, List<Bar> bars) {
    double longest = Math.max(1e-9, bars.stream().mapToDouble(Bar::reach).max().orElse(0));
    double unit = (layout.width() - layout.labelWidth() - VALUE_WIDTH) / longest;
    StringBuilder svg = new StringBuilder();
    svg.append(
        format(
            "<svg%s viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">\n",
            layout.isDense() ? " class=\"dense\"" : "",
            layout.width(),
            bars.size() * layout.rowHeight() + 4,
            Page.escape(description)));
    for (int i = 0; i < bars.size(); i++) {
      int top = i * layout.rowHeight() + (layout.rowHeight() - layout.barHeight()) / 2;
      svg.append(bar(bars.get(i), layout, top, unit));
    }
    return svg.append("</svg>\n").toString();
  }

  /**
   * What the colours mean: a list of the names and texts of segments, whose values do not count.
   */
  public static String legend(List<Segment> entries) {
    return entries.stream()
        .map(
            entry ->
                "<li><i style=\"background:var(--"
                    + entry.color()
                    + ")\"></i><b>"
                    + Page.escape(entry.name())
                    + "</b>"
                    + (entry.text().isEmpty() ? "" : " " + Page.escape(entry.text()))
                    + "</li>\n")
        .collect(joining("", "<ul class=\"legend\">\n", "</ul>\n"));
  }

  private static String bar(Bar bar, Layout layout, int y, double unit) {
    StringBuilder svg = new StringBuilder();
    int height = layout.barHeight();
    int middle = y + height / 2;
    svg.append(
        format(
            "<text class=\"label\" x=\"%d\" y=\"%d\">%s</text>\n",
            layout.labelWidth() - 12, middle, Page.escape(bar.label())));
    double x = layout.labelWidth();
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
              height,
              segment.color(),
              Page.escape(bar.label()),
              Page.escape(segment.name()),
              segment.text()));
      if (width >= ROOM_FOR_NUMBER && bar.segments().size() > 1) {
        svg.append(
            format(
                "<text class=\"inside\" x=\"%.2f\" y=\"%d\">%s</text>\n",
                x + width / 2, middle, segment.text()));
      }
      x += width;
    }
    double end = x;
    if (bar.whisker().isPresent()) {
      double least = layout.labelWidth() + bar.whisker().get().least() * unit;
      double most = layout.labelWidth() + bar.whisker().get().most() * unit;
      int half = height / 4;
      svg.append(
          format(
              "<path class=\"whisker\" d=\"M%.2f %dH%.2fM%.2f %dv%dM%.2f %dv%d\"/>\n",
              least, middle, most, least, middle - half, 2 * half, most, middle - half, 2 * half));
      end = Math.max(end, most);
    }
    svg.append(
        format(
            "<text class=\"value\" x=\"%.2f\" y=\"%d\">%s</text>\n", end + 8, middle, bar.text()));
    return svg.toString();
  }

  private static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
