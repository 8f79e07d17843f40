package io.zerorename.benchmark;

import static java.util.stream.Collectors.joining;

import io.zerorename.benchmark.BenchmarkOptions.Suite;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The medians of a suite, one line per subject and case, for pages, Markdown and terminals. */
record SuiteTable(Suite suite, List<String> titles, List<List<String>> lines) {
  private record Column(String title, Function<Group, String> text) {}

  static SuiteTable of(Suite suite, List<Group> groups) {
    List<Column> columns = columns(suite);
    return new SuiteTable(
        suite,
        columns.stream().map(Column::title).toList(),
        groups.stream()
            .map(group -> columns.stream().map(column -> column.text().apply(group)).toList())
            .toList());
  }

  private static List<Column> columns(Suite suite) {
    List<Column> columns = new ArrayList<>();
    columns.add(new Column("case", group -> group.first().caseName()));
    if (suite != Suite.UPLOAD) {
      columns.add(new Column("ms", group -> String.valueOf(group.first().latencyMillis())));
    }
    columns.add(new Column("subject", group -> group.first().title()));
    columns.add(new Column("rounds", group -> String.valueOf(group.rows().size())));
    columns.addAll(
        switch (suite) {
          case COMMIT ->
              List.of(
                  seconds("seconds", Sample.COMMIT),
                  measure("bound", CommitExperiment.BOUND, "%.2f"),
                  new Column("to the bound", SuiteTable::toBound));
          case UPLOAD ->
              List.of(
                  measure("MB/s", UploadExperiment.RATE, "%.0f"),
                  measure("CPU s/GB", UploadExperiment.PROCESSOR, "%.2f"),
                  measure("live MB", UploadExperiment.MEMORY, "%.0f"),
                  measure("peak heap MB", UploadExperiment.HEAP, "%.0f"));
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
    columns.add(
        new Column(
            "requests", group -> group.spread(row -> row.sample().requestsTotal()).text("%,.0f")));
    columns.add(new Column("$", group -> number("%.5f", group.spread(Row::dollars).median())));
    if (suite == Suite.HIVE) {
      columns.add(new Column("zero-rename used", SuiteTable::isUsed));
    }
    return columns;
  }

  private static Column seconds(String title, String part) {
    return new Column(title, group -> group.seconds(part).text("%.2f"));
  }

  private static Column measure(String title, String name, String format) {
    return new Column(title, group -> group.measure(name).text(format));
  }

  private static String toBound(Group group) {
    double bound = group.measure(CommitExperiment.BOUND).median();
    return bound == 0 ? "-" : number("%.2fx", group.seconds(Sample.COMMIT).median() / bound);
  }

  private static String isUsed(Group group) {
    return group.first().sample().note().isEmpty()
        ? ""
        : group.fallback().map(reason -> "no: " + reason).orElse("yes");
  }

  private static String number(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }

  /** In columns of one width, so that a terminal can show it as it is. */
  String markdown() {
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
                    .mapToObj(i -> "%-" + widths.get(i) + "s")
                    .collect(joining(" | ", "| ", " |\n"))
                    .formatted(line.stream().map(cell -> cell.replace("|", "\\|")).toArray()))
        .collect(joining());
  }
}
