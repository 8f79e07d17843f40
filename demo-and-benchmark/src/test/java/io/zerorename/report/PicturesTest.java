package io.zerorename.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The pictures of the README and of docs/performance.md, drawn from the tables beside them. With
 * {@code -Dzerorename.pictures.write=true} they are written.
 */
class PicturesTest {
  private static final Path ROOT = Path.of(System.getProperty("basedir", ""), "..");
  private static final Path PERFORMANCE = ROOT.resolve("docs/performance.md");
  private static final String CASES = "| case |";

  @Test
  void readmeShowsItsTable() throws Exception {
    List<List<String>> lines = table(ROOT.resolve("README.md"), "| |");
    List<String> subjects = lines.get(0).subList(1, 4);
    Map<String, Map<String, String>> charts = new LinkedHashMap<>();
    for (List<String> line : lines.subList(1, 4)) {
      charts.put(line.get(0), bars(subjects, line.subList(1, 4)));
    }

    check("overview", "INSERT OVERWRITE of 100 partitions, Hive on Tez", charts);
  }

  @Test
  void pageShowsItsTable() throws Exception {
    List<List<String>> lines =
        table(PERFORMANCE, CASES).stream()
            .filter(line -> List.of("case", "orc-overwrite-P100").contains(line.get(0)))
            .toList();
    List<String> subjects = column(lines, "subject");
    Map<String, Map<String, String>> charts = new LinkedHashMap<>();
    for (String column : List.of("total", "requests")) {
      charts.put(column, bars(subjects, column(lines, column)));
    }

    check(
        "benchmark-hive",
        "INSERT OVERWRITE of 100 partitions in ORC, 30 ms for each request",
        charts);
  }

  /** A line of a table with cases has the medians of one line of the runs. */
  @Test
  void figuresOfThePageAreThoseOfTheRuns() throws Exception {
    List<Map<String, String>> measured = new ArrayList<>();
    for (JsonNode run :
        new ObjectMapper().readTree(ROOT.resolve("docs/performance.json").toFile())) {
      for (JsonNode suite : run.get("tables")) {
        List<String> titles = texts(suite.get("titles"));
        suite
            .get("lines")
            .forEach(line -> measured.add(cells(titles, texts(line), PicturesTest::median)));
      }
    }

    List<List<List<String>>> tables = tables(PERFORMANCE, CASES);
    assertThat(tables).hasSizeGreaterThan(4);
    for (List<List<String>> table : tables) {
      assertThat(table).hasSizeGreaterThan(1);
      for (List<String> line : table.subList(1, table.size())) {
        Map<String, String> shown = cells(table.get(0), line, Function.identity());
        assertThat(measured)
            .as("%s", shown)
            .anySatisfy(it -> assertThat(it).containsAllEntriesOf(shown));
      }
    }
  }

  private static Map<String, String> cells(
      List<String> titles, List<String> line, Function<String, String> text) {
    Map<String, String> cells = new LinkedHashMap<>();
    IntStream.range(0, titles.size())
        .forEach(i -> cells.put(titles.get(i), text.apply(line.get(i))));
    return cells;
  }

  private static List<String> texts(JsonNode array) {
    List<String> texts = new ArrayList<>();
    array.forEach(it -> texts.add(it.asText()));
    return texts;
  }

  /** Of a cell such as "2.22 (2.04 to 2.33)". */
  private static String median(String cell) {
    return cell.replaceFirst(" \\(.*", "");
  }

  private static void check(String name, String title, Map<String, Map<String, String>> charts)
      throws IOException {
    String svg = draw(title, charts);
    Path file = ROOT.resolve("docs/images/" + name + ".svg");
    if (Boolean.getBoolean("zerorename.pictures.write")) {
      Files.writeString(file, svg);
    }
    assertThat(file).as("draw it with -Dzerorename.pictures.write=true").hasContent(svg);
  }

  /** The cells of the first table of a page with such a head, which is the first line. */
  private static List<List<String>> table(Path page, String head) throws IOException {
    return tables(page, head).get(0);
  }

  private static List<List<List<String>>> tables(Path page, String head) throws IOException {
    List<List<List<String>>> tables = new ArrayList<>();
    boolean inside = false;
    for (String line : Files.readAllLines(page)) {
      if (line.startsWith(head)) {
        tables.add(new ArrayList<>());
      }
      inside = line.startsWith("|") && (inside || line.startsWith(head));
      if (inside && !line.startsWith("|---")) {
        tables
            .get(tables.size() - 1)
            .add(Arrays.stream(line.split("\\|")).skip(1).map(String::strip).toList());
      }
    }
    assertThat(tables).as(page + " has a table that begins with " + head).isNotEmpty();
    return tables;
  }

  private static List<String> column(List<List<String>> lines, String title) {
    int column = lines.get(0).indexOf(title);
    return lines.stream().skip(1).map(line -> line.get(column)).toList();
  }

  /** Numbers by subject. */
  private static Map<String, String> bars(List<String> subjects, List<String> cells) {
    Map<String, String> bars = new LinkedHashMap<>();
    IntStream.range(0, subjects.size())
        .forEach(i -> bars.put(subjects.get(i), cells.get(i).replace("*", "")));
    assertThat(bars).hasSizeGreaterThan(1);
    return bars;
  }

  /** Bars of numbers, those of zero-rename in a colour of their own, in the browser's scheme. */
  private static String draw(String title, Map<String, Map<String, String>> charts) {
    StringBuilder shapes = new StringBuilder();
    int y = 32;
    for (Map.Entry<String, Map<String, String>> chart : charts.entrySet()) {
      y += 34;
      shapes.append(
          "<text class=\"head\" x=\"20\" y=\"%d\">%s</text>%n".formatted(y, chart.getKey()));
      double longest =
          chart.getValue().values().stream().mapToDouble(PicturesTest::value).max().orElseThrow();
      for (Map.Entry<String, String> bar : chart.getValue().entrySet()) {
        y += 26;
        double width = 400 * value(bar.getValue()) / longest;
        shapes.append(
            String.format(
                Locale.ROOT,
                "<text x=\"20\" y=\"%d\">%s</text>%n"
                    + "<rect class=\"%s\" x=\"240\" y=\"%d\" width=\"%.1f\" height=\"18\"/>%n"
                    + "<text class=\"head\" x=\"%.1f\" y=\"%d\">%s</text>%n",
                y,
                bar.getKey(),
                bar.getKey().startsWith("zero-rename") ? "ours" : "other",
                y - 14,
                width,
                248 + width,
                y,
                bar.getValue()));
      }
    }
    return """
        <svg xmlns="http://www.w3.org/2000/svg" width="760" height="%1$d" viewBox="0 0 760 %1$d">
        <style>
        text { font: 14.5px system-ui, "Segoe UI", Roboto, sans-serif; fill: #1c2330; }
        .title { font-size: 18px; font-weight: 700; }
        .head { font-weight: 600; }
        .card { fill: #ffffff; }
        .ours { fill: #8454c4; }
        .other { fill: #66707f; }
        @media (prefers-color-scheme: dark) {
          text { fill: #e8ecf2; }
          .card { fill: #1b212b; }
          .ours { fill: #b18be6; }
          .other { fill: #8f9bab; }
        }
        </style>
        <rect class="card" width="100%%" height="100%%" rx="12"/>
        <text class="title" x="20" y="34">%2$s</text>
        %3$s</svg>
        """
        .formatted(y + 20, title, shapes);
  }

  private static double value(String number) {
    return Double.parseDouble(number.replace(",", ""));
  }
}
