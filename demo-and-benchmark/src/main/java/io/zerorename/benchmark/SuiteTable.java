package io.zerorename.benchmark;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import io.zerorename.benchmark.BenchmarkOptions.Suite;
import io.zerorename.report.TextTable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** The medians of a suite, one line per subject and case, for pages, Markdown and terminals. */
record SuiteTable(Suite suite, List<String> titles, List<List<String>> lines) {
  /**
   * @param text of all rounds of one subject in one case, of which there is one at least
   */
  private record Column(String title, Function<List<Row>, String> text) {}

  /**
   * Groups the rounds, in the order in which they began.
   *
   * @param rows of all suites
   */
  static SuiteTable of(Suite suite, List<Row> rows) {
    List<Column> columns = columns(suite);
    Collection<List<Row>> groups =
        rows.stream()
            .filter(row -> row.suite() == suite)
            .collect(
                groupingBy(
                    row -> List.of(row.caseName(), row.latencyMillis(), row.subject()),
                    LinkedHashMap::new,
                    toList()))
            .values();
    return new SuiteTable(
        suite,
        columns.stream().map(Column::title).toList(),
        groups.stream()
            .map(group -> columns.stream().map(column -> column.text().apply(group)).toList())
            .toList());
  }

  private static List<Column> columns(Suite suite) {
    List<Column> columns = new ArrayList<>();
    columns.add(new Column("case", rounds -> rounds.get(0).caseName()));
    if (suite != Suite.UPLOAD) {
      columns.add(new Column("ms", rounds -> String.valueOf(rounds.get(0).latencyMillis())));
    }
    columns.add(new Column("subject", rounds -> rounds.get(0).title()));
    columns.add(new Column("rounds", rounds -> String.valueOf(rounds.size())));
    columns.addAll(
        switch (suite) {
          case COMMIT ->
              List.of(
                  seconds("seconds", Sample.COMMIT),
                  measure("bound", CommitExperiment.BOUND, "%.2f"),
                  measure("to the bound", CommitExperiment.TO_BOUND, "%.2fx"));
          case UPLOAD ->
              List.of(
                  measure("MB/s", UploadExperiment.RATE, "%.0f"),
                  measure("CPU s/GB", UploadExperiment.PROCESSOR, "%.2f"),
                  measure("live MB", UploadExperiment.MEMORY, "%.0f"));
          case MAPREDUCE ->
              List.of(
                  seconds("setup", SimulatedJob.SETUP),
                  seconds("tasks", Sample.TASKS),
                  seconds("job commit", Sample.COMMIT),
                  seconds("total", Sample.TOTAL));
          case HIVE ->
              List.of(
                  seconds("tasks", Sample.TASKS),
                  seconds("commit + move", Sample.COMMIT),
                  seconds("metastore", HiveExperiment.METASTORE),
                  seconds("total", Sample.TOTAL));
          case SPARK ->
              List.of(
                  seconds("tasks", Sample.TASKS),
                  seconds("job commit", Sample.COMMIT),
                  seconds("total", Sample.TOTAL));
          case CHECKPOINT -> List.of(seconds("seconds", Sample.TOTAL));
        });
    columns.add(number("requests", "%,.0f", row -> row.sample().requestsTotal()));
    columns.add(number("$", "%.5f", Row::dollars));
    if (suite == Suite.HIVE) {
      columns.add(new Column("zero-rename used", SuiteTable::isUsed));
    }
    return columns;
  }

  private static Column seconds(String title, String part) {
    return number(title, "%.2f", row -> row.sample().seconds().getOrDefault(part, 0.0));
  }

  private static Column measure(String title, String name, String format) {
    return number(title, format, row -> row.sample().measures().get(name));
  }

  private static Column number(String title, String format, ToDoubleFunction<Row> value) {
    return new Column(
        title, rounds -> spread(format, rounds.stream().mapToDouble(value).sorted().toArray()));
  }

  /** The median, with the least and the most where these are seen. */
  private static String spread(String format, double[] sorted) {
    double median = (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    String least = String.format(Locale.ROOT, format, sorted[0]);
    String most = String.format(Locale.ROOT, format, sorted[sorted.length - 1]);
    String middle = String.format(Locale.ROOT, format, median);
    return least.equals(most) ? middle : "%s (%s to %s)".formatted(middle, least, most);
  }

  /** For a run by Hive with our hook: why the statement kept Hive's own path, if it did. */
  private static String isUsed(List<Row> rounds) {
    List<String> notes = rounds.stream().map(row -> row.sample().note()).toList();
    return notes.stream()
        .filter(note -> !note.isEmpty() && !note.contains(HiveExperiment.USED))
        .findFirst()
        .map(reason -> "no: " + reason)
        .orElse(notes.get(0).isEmpty() ? "" : "yes");
  }

  String markdown() {
    return TextTable.of(titles, lines);
  }
}
