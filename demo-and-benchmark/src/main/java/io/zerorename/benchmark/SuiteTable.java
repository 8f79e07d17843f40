package io.zerorename.benchmark;

import static java.util.stream.Collectors.joining;

import io.zerorename.benchmark.BenchmarkOptions.Suite;
import io.zerorename.benchmark.Results.CaseKey;
import io.zerorename.report.Page;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/** The medians of a suite, one line per subject and case, for pages and for Markdown. */
final class SuiteTable {
  private record Column(String title, Function<Group, String> text) {}

  private final List<String> titles;
  private final List<List<String>> lines = new ArrayList<>();

  private SuiteTable(Suite suite, Results results) {
    List<Column> columns = columns(suite, results);
    titles = columns.stream().map(Column::title).toList();
    for (Map.Entry<CaseKey, List<Group>> each : results.cases().entrySet()) {
      if (each.getKey().suite() == suite) {
        for (Group group : each.getValue()) {
          lines.add(columns.stream().map(column -> column.text().apply(group)).toList());
        }
      }
    }
  }

  static SuiteTable of(Suite suite, Results results) {
    return new SuiteTable(suite, results);
  }

  private static List<Column> columns(Suite suite, Results results) {
    List<Column> columns = new ArrayList<>();
    columns.add(new Column("case", Group::caseName));
    if (suite != Suite.UPLOAD) {
      columns.add(
          new Column(
              "ms", group -> String.valueOf(results.options().addedMillis(group.latencyMillis()))));
    }
    columns.add(new Column("subject", Group::title));
    columns.add(new Column("rounds", group -> String.valueOf(group.rows().size())));
    switch (suite) {
      case COMMIT -> {
        columns.add(seconds("seconds", Sample.COMMIT));
        columns.add(
            new Column("bound", group -> group.measure(CommitExperiment.BOUND).text("%.2f")));
        columns.add(new Column("to the bound", SuiteTable::toBound));
      }
      case UPLOAD -> {
        columns.add(measure("MB/s", UploadExperiment.RATE, "%.0f"));
        columns.add(measure("CPU s/GB", UploadExperiment.PROCESSOR, "%.2f"));
        columns.add(measure("live MB", UploadExperiment.MEMORY, "%.0f"));
        columns.add(measure("peak heap MB", UploadExperiment.HEAP, "%.0f"));
      }
      case MAPREDUCE -> {
        columns.add(seconds("setup", SimulatedJob.SETUP));
        columns.add(seconds("tasks", Sample.TASKS));
        columns.add(seconds("job commit", Sample.COMMIT));
        columns.add(seconds("total", Sample.TOTAL));
      }
      case HIVE -> {
        columns.add(seconds("tasks", Sample.TASKS));
        columns.add(seconds("commit + move", Sample.COMMIT));
        columns.add(seconds("metastore", HiveExperiment.METASTORE));
        columns.add(seconds("total", Sample.TOTAL));
      }
      case SPARK -> {
        columns.add(seconds("tasks", Sample.TASKS));
        columns.add(seconds("job commit", Sample.COMMIT));
        columns.add(seconds("total", Sample.TOTAL));
      }
      case CHECKPOINT -> columns.add(seconds("seconds", Sample.TOTAL));
    }
    columns.add(new Column("requests", group -> group.requests().text("%,.0f")));
    columns.add(new Column("$", group -> dollars(group.dollars(results.prices()))));
    if (suite == Suite.HIVE) {
      columns.add(
          new Column(
              "zero-rename used",
              group ->
                  group.rows().get(0).sample().note().isEmpty()
                      ? ""
                      : group.fallback().map(reason -> "no: " + reason).orElse("yes")));
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
    return bound == 0
        ? "-"
        : String.format(Locale.ROOT, "%.2fx", group.seconds(Sample.COMMIT).median() / bound);
  }

  /** Dollars, with as many digits as it takes to tell requests. */
  static String dollars(double value) {
    return String.format(Locale.ROOT, "%.5f", value);
  }

  String markdown() {
    StringBuilder text = new StringBuilder();
    text.append("| ").append(String.join(" | ", titles)).append(" |\n");
    text.append("|").append("---|".repeat(titles.size())).append("\n");
    for (List<String> line : lines) {
      text.append("| ")
          .append(line.stream().map(cell -> cell.replace("|", "\\|")).collect(joining(" | ")))
          .append(" |\n");
    }
    return text.toString();
  }

  String html() {
    StringBuilder text =
        new StringBuilder("<div class=\"scroll\"><table class=\"wide\">\n<thead><tr>");
    titles.forEach(title -> text.append(cell("th", title)));
    text.append("</tr></thead>\n<tbody>\n");
    for (List<String> line : lines) {
      boolean ours = line.stream().anyMatch(cell -> cell.startsWith("zero-rename"));
      text.append(ours ? "<tr class=\"ours\">" : "<tr>");
      for (int i = 0; i < line.size(); i++) {
        text.append(cell(i == 0 ? "th" : "td", line.get(i)));
      }
      text.append("</tr>\n");
    }
    return text.append("</tbody></table></div>\n").toString();
  }

  private static String cell(String tag, String text) {
    boolean words = !text.isEmpty() && !Character.isDigit(text.charAt(0)) && text.length() > 3;
    return "<%s%s>%s</%s>".formatted(tag, words ? " class=\"words\"" : "", Page.escape(text), tag);
  }
}
