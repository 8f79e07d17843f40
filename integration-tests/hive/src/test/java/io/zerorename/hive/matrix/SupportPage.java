package io.zerorename.hive.matrix;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toList;

import io.zerorename.testing.statements.Format;
import io.zerorename.testing.statements.Shape;
import io.zerorename.testing.statements.ShapeReader;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The tables of docs/support.md, from the results; what is around them is written by hand. */
final class SupportPage {
  private static final String BEGIN = "<!-- From here on made of support-matrix.json. -->\n";
  private static final String END = "<!-- Until here made of support-matrix.json. -->\n";

  private final List<CellResult> results;

  private SupportPage(List<CellResult> results) {
    this.results = results;
  }

  /**
   * A page with the tables of other results.
   *
   * @param page as it is
   */
  static String with(List<CellResult> results, String page) {
    int begin = page.indexOf(BEGIN);
    int end = page.indexOf(END);
    if (begin < 0 || end < begin) {
      throw new IllegalArgumentException("the page has no lines " + BEGIN + " and " + END);
    }
    return page.substring(0, begin + BEGIN.length())
        + new SupportPage(results).tables()
        + page.substring(end);
  }

  private String tables() {
    Map<String, List<Shape>> groups =
        ShapeReader.all().stream().collect(groupingBy(Shape::group, LinkedHashMap::new, toList()));
    String versions =
        results.stream().map(CellResult::hive).distinct().sorted().collect(joining(", "));
    StringBuilder text = new StringBuilder("\nThe results are of Hive " + versions + ".\n");
    groups.forEach((group, shapes) -> text.append(section(group, shapes)));
    return text.append('\n').toString();
  }

  private String section(String group, List<Shape> shapes) {
    StringBuilder text = new StringBuilder("\n### " + group + "\n\n");
    text.append("| statement | formats |\n|---|---|\n");
    for (Shape shape : shapes) {
      text.append(row(shape.title(), result(shape)));
    }
    List<String> notes = shapes.stream().flatMap(shape -> notes(shape).stream()).toList();
    if (!notes.isEmpty()) {
      text.append("\nWhere Hive's own path is wrong:\n\n");
      text.append(row("statement", "run", "Hive's own path")).append("|---|---|---|\n");
      notes.forEach(text::append);
    }
    return text.toString();
  }

  private static String row(String... cells) {
    return "| " + String.join(" | ", cells) + " |\n";
  }

  /** Each outcome, with the formats that have it; without words, if all of them are committed. */
  private String result(Shape shape) {
    Map<String, List<String>> formats = new LinkedHashMap<>();
    new TreeSet<>(shape.formats())
        .forEach(
            format ->
                formats
                    .computeIfAbsent(cell(shape, format), outcome -> new ArrayList<>())
                    .add(format.title()));
    return formats.entrySet().stream()
        .map(it -> it.getKey() + ": " + String.join(", ", it.getValue()))
        .map(it -> it.replaceFirst("^committed: ", ""))
        .collect(joining("; "));
  }

  /** One outcome, or which engine has which, and which version, as far as they differ. */
  private String cell(Shape shape, Format format) {
    Map<String, Set<String>> engines = new LinkedHashMap<>();
    Map<String, Set<String>> runs = new LinkedHashMap<>();
    for (CellResult result : results) {
      if (result.statement().equals(shape.id()) && result.format().equals(format.key())) {
        String outcome = words(result.outcome());
        String engine = result.engine().equals("mr") ? "MR" : "Tez";
        engines.computeIfAbsent(outcome, words -> new LinkedHashSet<>()).add(engine);
        runs.computeIfAbsent(outcome, words -> new LinkedHashSet<>())
            .add(engine + " of Hive " + result.hive());
      }
    }
    if (engines.isEmpty()) {
      return "–";
    }
    if (engines.size() == 1) {
      Map.Entry<String, Set<String>> only = engines.entrySet().iterator().next();
      return only.getValue().size() == Cell.ENGINES.size()
          ? only.getKey()
          : only.getValue().iterator().next() + ": " + only.getKey();
    }
    long named = engines.values().stream().mapToLong(Set::size).sum();
    boolean byEngine = named == engines.values().stream().flatMap(Set::stream).distinct().count();
    return (byEngine ? engines : runs)
        .entrySet().stream()
            .map(entry -> String.join(", ", entry.getValue()) + ": " + entry.getKey())
            .collect(joining("; "));
  }

  private static String words(List<String> outcome) {
    return outcome.stream()
        .map(
            word ->
                word.equals(Outcome.COMMITTED) || word.equals(Outcome.UNTOUCHED)
                    ? word.toLowerCase(Locale.ROOT)
                    : "`" + word + "`")
        .sorted()
        .sorted(Comparator.comparing((String word) -> word.startsWith("`")))
        .collect(joining(", "));
  }

  private List<String> notes(Shape shape) {
    return results.stream()
        .filter(result -> result.statement().equals(shape.id()) && result.stock() != null)
        .map(
            result ->
                row(
                    shape.title(),
                    Format.of(result.format()).title()
                        + " on "
                        + (result.engine().equals("mr") ? "MR" : "Tez")
                        + ", Hive "
                        + result.hive(),
                    result.stock()))
        .toList();
  }
}
