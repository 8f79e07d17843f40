package io.zerorename.report;

import static java.util.stream.Collectors.joining;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A table in Markdown, in columns of one width, so that a terminal can show it as it is. */
public final class TextTable {
  private TextTable() {}

  /** Each line has as many cells as there are titles. */
  public static String of(List<String> titles, List<List<String>> lines) {
    List<Integer> widths =
        IntStream.range(0, titles.size())
            .mapToObj(
                i ->
                    Stream.concat(Stream.of(titles), lines.stream())
                        .mapToInt(line -> line.get(i).length())
                        .max()
                        .orElseThrow())
            .toList();
    List<String> rules = widths.stream().map("-"::repeat).toList();
    return Stream.concat(Stream.of(titles, rules), lines.stream())
        .map(
            line ->
                IntStream.range(0, widths.size())
                    .mapToObj(i -> "%-" + Math.max(1, widths.get(i)) + "s")
                    .collect(joining(" | ", "| ", " |\n"))
                    .formatted(line.stream().map(cell -> cell.replace("|", "\\|")).toArray()))
        .collect(joining());
  }
}
