package io.zerorename.report;

import static java.util.stream.Collectors.joining;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Horizontal stacked bars as SVG, each below its label, coloured by the variables of the style
 * sheet of all pages. Lengths are in percent and letters in pixels, so that a narrow screen shows
 * shorter bars and not smaller letters.
 */
public final class BarChart {
  /** From one bar to the next, in pixels, and of that the bar. */
  private static final int ROW = 48;

  private static final int BAR = 19;

  /** The percent of the width that bars have; the rest is for the sum behind them. */
  private static final double ROOM = 74;

  /** The percent that a segment needs for each letter of its number. */
  private static final double ROOM_FOR_LETTER = 2.6;

  /** One bar of three or more that is so many times as long as the next is cut. */
  private static final double CUT = 5;

  private static final double ROOM_BESIDE_CUT = 0.7 * ROOM;

  private BarChart() {}

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

  /** Bars to one scale, with a title. */
  public record Chart(String title, List<Bar> bars) {
    /** The drawing, as wide as what it is in. */
    public String svg() {
      return svg("width=\"100%\"");
    }

    String svg(String attributes) {
      StringBuilder svg = new StringBuilder();
      svg.append(
          format(
              "<svg class=\"bars\" %s height=\"%d\" role=\"img\" aria-label=\"%s\">\n",
              attributes, height(), Page.escape(title)));
      double longest = longestInScale(bars);
      boolean isCut = bars.stream().anyMatch(bar -> bar.reach() > longest);
      double unit = (isCut ? ROOM_BESIDE_CUT : ROOM) / Math.max(1e-9, longest);
      for (int i = 0; i < bars.size(); i++) {
        bar(svg, bars.get(i), i * ROW, unit, bars.get(i).reach() > longest);
      }
      if (isCut) {
        svg.append(
            format(
                "<text class=\"note\" x=\"0\" y=\"%d\">A bar with a gap is longer than it is drawn."
                    + "</text>\n",
                bars.size() * ROW + 10));
      }
      return svg.append("</svg>\n").toString();
    }

    int height() {
      boolean isCut = bars.stream().anyMatch(bar -> bar.reach() > longestInScale(bars));
      return bars.size() * ROW + (isCut ? 22 : 2);
    }
  }

  /** What the longest bar is that is not cut. */
  private static double longestInScale(List<Bar> bars) {
    double[] reaches = bars.stream().mapToDouble(Bar::reach).sorted().toArray();
    int last = reaches.length - 1;
    return last >= 2 && reaches[last - 1] > 0 && reaches[last] > CUT * reaches[last - 1]
        ? reaches[last - 1]
        : reaches[last];
  }

  /**
   * What the colours mean: a list of the names and texts of segments, whose values do not count.
   */
  public static String legend(List<Segment> entries) {
    return entries.isEmpty()
        ? ""
        : entries.stream()
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

  private static void bar(StringBuilder svg, Bar bar, int top, double unit, boolean isCut) {
    int y = top + ROW - BAR - 4;
    int middle = y + BAR / 2 + 1;
    svg.append(
        format(
            "<text class=\"label\" x=\"0\" y=\"%d\">%s</text>\n",
            top + 14, Page.escape(bar.label())));
    // The parts of a bar that is cut keep their proportions, and take all the room.
    double scale = isCut ? ROOM / bar.length() : unit;
    double x = 0;
    for (Segment segment : bar.segments()) {
      double width = segment.value() * scale;
      if (width <= 0) {
        continue;
      }
      svg.append(
          format(
              "<rect x=\"%.2f%%\" y=\"%d\" width=\"%.2f%%\" height=\"%d\" fill=\"var(--%s)\">"
                  + "<title>%s, %s: %s</title></rect>\n",
              x,
              y,
              Math.max(width, 0.1),
              BAR,
              segment.color(),
              Page.escape(bar.label()),
              Page.escape(segment.name()),
              segment.text()));
      if (bar.segments().size() > 1 && width >= ROOM_FOR_LETTER * segment.text().length()) {
        svg.append(
            format(
                "<text class=\"inside\" x=\"%.2f%%\" y=\"%d\">%s</text>\n",
                x + width / 2, middle, segment.text()));
      }
      x += width;
    }
    double end = x;
    if (isCut) {
      svg.append(
          format(
              "<svg x=\"%.2f%%\" y=\"%d\" overflow=\"visible\"><path class=\"cut\""
                  + " d=\"M-3 %dL3 -3\"/></svg>\n",
              ROOM * 0.95, y, BAR + 3));
    } else if (bar.whisker().isPresent()) {
      double least = bar.whisker().get().least() * unit;
      double most = bar.whisker().get().most() * unit;
      line(svg, least, middle, most, middle);
      line(svg, least, middle - 5, least, middle + 5);
      line(svg, most, middle - 5, most, middle + 5);
      end = Math.max(end, most);
    }
    svg.append(
        format(
            "<text class=\"value\" x=\"%.2f%%\" dx=\"8\" y=\"%d\">%s</text>\n",
            end, middle, bar.text()));
  }

  private static void line(StringBuilder svg, double x1, int y1, double x2, int y2) {
    svg.append(
        format(
            "<line class=\"whisker\" x1=\"%.2f%%\" y1=\"%d\" x2=\"%.2f%%\" y2=\"%d\"/>\n",
            x1, y1, x2, y2));
  }

  static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
