package io.zerorename.report;

import io.zerorename.report.BarChart.Chart;
import io.zerorename.report.BarChart.Segment;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;

/** Charts as a file of SVG, in the light or dark colours of the browser. */
public final class Picture {
  private static final int WIDTH = 760;
  private static final int MARGIN = 20;

  /** Of a letter of the legend, roughly. */
  private static final int LETTER = 8;

  private Picture() {}

  /**
   * The text of the file.
   *
   * @param legend names and colours; may be empty
   */
  public static String of(String title, List<Segment> legend, List<Chart> charts)
      throws IOException {
    StringBuilder svg = new StringBuilder();
    int y = MARGIN + 10;
    text(svg, "title", MARGIN, y, title);
    y += 14;
    int x = MARGIN;
    for (Segment entry : legend) {
      String words = entry.text().isEmpty() ? entry.name() : entry.text();
      int width = 34 + LETTER * words.length();
      if (x == MARGIN || x + width > WIDTH) {
        x = MARGIN;
        y += 22;
      }
      svg.append(
          BarChart.format(
              "<rect x=\"%d\" y=\"%d\" width=\"11\" height=\"11\" rx=\"3\" fill=\"var(--%s)\"/>\n",
              x, y - 6, entry.color()));
      text(svg, "note", x + 17, y, words);
      x += width;
    }
    if (charts.stream()
        .flatMap(chart -> chart.bars().stream())
        .anyMatch(bar -> bar.whisker().isPresent())) {
      y += 22;
      text(svg, "note", MARGIN, y, "Bar: median of the rounds; thin line: from least to most.");
    }
    for (Chart chart : charts) {
      y += 30;
      text(svg, "head", MARGIN, y, chart.title());
      y += 14;
      svg.append(
          chart.svg("x=\"%d\" y=\"%d\" width=\"%d\"".formatted(MARGIN, y, WIDTH - 2 * MARGIN)));
      y += chart.height();
    }
    int height = y + MARGIN;
    return BarChart.format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\""
                + " viewBox=\"0 0 %d %d\">\n<style>\n%s</style>\n"
                + "<rect class=\"card\" width=\"100%%\" height=\"100%%\" rx=\"12\"/>\n",
            WIDTH, height, WIDTH, height, style())
        + svg
        + "</svg>\n";
  }

  private static void text(StringBuilder svg, String cssClass, int x, int y, String text) {
    svg.append(
        BarChart.format(
            "<text class=\"%s\" x=\"%d\" y=\"%d\">%s</text>\n", cssClass, x, y, Page.escape(text)));
  }

  /** Of the style sheet of all pages the colours, and what is about drawings. */
  private static String style() throws IOException {
    try (InputStream in = Page.class.getResourceAsStream("style.css")) {
      String style = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      int rules = style.indexOf("* {");
      return style.substring(0, rules)
          + style
              .substring(rules)
              .lines()
              .filter(line -> line.startsWith("svg"))
              .collect(Collectors.joining("\n", "", "\n"));
    }
  }
}
