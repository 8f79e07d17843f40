package io.zerorename.hive.matrix;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toCollection;
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
    Set<Format> formats =
        shapes.stream()
            .flatMap(shape -> shape.formats().stream())
            .collect(toCollection(TreeSet::new));
    StringBuilder text = new StringBuilder("\n### " + group + "\n\n");
    text.append(row("", formats.stream().map(Format::title).toList(), "S3 requests"));
    text.append("|---".repeat(formats.size() + 2)).append("|\n");
    for (Shape shape : shapes) {
      text.append(
          row(
              shape.title(),
              formats.stream().map(format -> cell(shape, format)).toList(),
              requests(shape)));
    }
    List<String> notes = shapes.stream().flatMap(shape -> notes(shape).stream()).toList();
    if (!notes.isEmpty()) {
      text.append("\nWhere Hive's own path is wrong:\n\n");
      text.append(row("line", List.of("run"), "Hive's own path")).append("|---|---|---|\n");
      notes.forEach(text::append);
    }
    return text.toString();
  }

  private static String row(String first, List<String> cells, String last) {
    List<String> all = new ArrayList<>();
    all.add(first);
    all.addAll(cells);
    all.add(last);
    return "| " + String.join(" | ", all) + " |\n";
  }

  /** One outcome, or which engine has which, and which version, as far as they differ. */
  private String cell(Shape shape, Format format) {
    if (!shape.formats().contains(format)) {
      return "";
    }
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

  private String requests(Shape shape) {
    return results.stream()
        .filter(result -> result.statement().equals(shape.id()) && result.requests() != null)
        .findFirst()
        .map(result -> result.stockRequests() + " → " + result.requests())
        .orElse("");
  }

  private List<String> notes(Shape shape) {
    return results.stream()
        .filter(result -> result.statement().equals(shape.id()) && result.stock() != null)
        .map(
            result ->
                row(
                    shape.title(),
                    List.of(
                        Format.of(result.format()).title()
                            + " on "
                            + (result.engine().equals("mr") ? "MR" : "Tez")
                            + ", Hive "
                            + result.hive()),
                    result.stock()))
        .toList();
  }
}
