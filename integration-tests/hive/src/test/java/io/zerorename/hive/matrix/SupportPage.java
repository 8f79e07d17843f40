package io.zerorename.hive.matrix;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toCollection;
import static java.util.stream.Collectors.toList;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** docs/support.md, from the results. */
final class SupportPage {
  private static final String HEAD =
      """
      # What is committed

      This page shows whether a statement is covered. Each cell below is a run of `MatrixTest`: the
      [statements](../integration-tests/hive/src/test/resources/matrix) of the line on Hive's own path and with the committer, on an S3 server, with the
      same rows, partitions and their locations, statistics of tables, partitions and columns, and number and sizes of files.
      The results are [support-matrix.json](support-matrix.json), from which this page is made. They are of Hive %s, Tez and MR in local mode.

      | a cell says | and that means |
      |---|---|
      | committed | by the committer: no COPY, one request per small file (three in another bucket than the table), nothing under the table but data files, no upload left |
      | `REASON` | Hive's own path, with Hive's own plan and requests; [fallback.md](fallback.md) explains each reason |
      | committed, `REASON` | some of the line's statements or targets are committed, others not |
      | untouched | the statement is none of the committer's business |
      | Tez: …; MR: … | the engines differ |
      | | the line is not tried in this format |

      The last column has the S3 requests of all of the line's statements, without the committer and with it, in the first of its cells that is committed, ORC before the others and Tez before MR.
      """;

  private static final String FOOT =
      """

      ## How to make this page

      `mvn verify` runs 13 cells: of each group of lines, of each format, on both engines. It fails where a cell says something else, where a cell has no result,
      and where this page is not made of the results. The thorough tier runs all cells. This writes both files anew:

      ```sh
      mvn verify -Pthorough -Dpart=matrix -Dmatrix.update
      ```

      `-Dmatrix.only='^ctas '` runs the cells that match a regular expression, of `<line> <format> <engine>`.
      """;

  private final List<CellResult> results;

  private SupportPage(List<CellResult> results) {
    this.results = results;
  }

  static String of(List<CellResult> results) {
    SupportPage page = new SupportPage(results);
    Map<String, List<Shape>> groups =
        ShapeReader.all().stream().collect(groupingBy(Shape::group, LinkedHashMap::new, toList()));
    StringBuilder text = new StringBuilder(page.head());
    groups.forEach((group, shapes) -> text.append(page.section(group, shapes)));
    return text.append(FOOT).toString();
  }

  private String head() {
    String versions =
        results.stream().map(CellResult::hive).distinct().sorted().collect(joining(", "));
    return HEAD.formatted(versions);
  }

  private String section(String group, List<Shape> shapes) {
    Set<Format> formats =
        shapes.stream()
            .flatMap(shape -> shape.formats().stream())
            .collect(toCollection(TreeSet::new));
    StringBuilder text = new StringBuilder("\n## " + group + "\n\n");
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
      notes.forEach(note -> text.append("- ").append(note).append('\n'));
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
                shape.title()
                    + ", "
                    + Format.of(result.format()).title()
                    + " on "
                    + (result.engine().equals("mr") ? "MR" : "Tez")
                    + ", Hive "
                    + result.hive()
                    + ": "
                    + result.stock())
        .toList();
  }
}
