package io.zerorename.demo;

import io.zerorename.report.TextTable;
import io.zerorename.testing.hive.Phase;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;

/** The runs side by side, for a terminal. */
final class ConsoleTable {
  private final Report report;
  private final List<List<String>> lines = new ArrayList<>();

  private ConsoleTable(Report report) {
    this.report = report;
  }

  static String of(Report report) {
    return new ConsoleTable(report).build();
  }

  private String build() {
    List<String> titles = new ArrayList<>(List.of(""));
    report.measurements().forEach(it -> titles.add(it.way().title()));
    for (Measurement other : List.of(report.stock(), report.remedy())) {
      titles.add(other.way().shortTitle() + " / zero-rename");
    }
    line("seconds", "%.1f", Measurement::seconds);
    for (Phase phase : report.engine().phases().keySet()) {
      line("  " + phase.key(), "%.1f", measurement -> measurement.seconds(phase));
    }
    line("S3 requests", "%,.0f", measurement -> measurement.requests().total());
    TreeSet<String> types = new TreeSet<>();
    report.measurements().forEach(it -> types.addAll(it.requests().byApiName().keySet()));
    for (String type : types) {
      line("  " + type, "%,.0f", it -> it.requests().byApiName().getOrDefault(type, 0L));
    }
    line("requests per file", "%.1f", Measurement::requestsPerFile);
    line("COPY requests", "%,.0f", measurement -> measurement.requests().copies());
    line("bytes copied by server", "%,.0f", measurement -> measurement.requests().bytesCopied());
    line("files", "%,.0f", measurement -> measurement.files().size());
    line("rows", "%,.0f", Measurement::rows);
    line("bytes", "%,.0f", Measurement::bytes);
    StringBuilder text = new StringBuilder("\n" + TextTable.of(titles, lines) + "\n");
    for (Check check : report.checks()) {
      text.append(check.passed() ? "  ok    " : "  FAILED ")
          .append(check.name() + ": " + check.detail() + "\n");
    }
    report.engine().withoutStatistics().ifPresent(it -> text.append("  -      " + it + "\n"));
    return text.toString();
  }

  private void line(String name, String format, ToDoubleFunction<Measurement> value) {
    List<String> cells = new ArrayList<>(List.of(name));
    for (Measurement measurement : report.measurements()) {
      cells.add(String.format(Locale.ROOT, format, value.applyAsDouble(measurement)));
    }
    for (Measurement other : List.of(report.stock(), report.remedy())) {
      cells.add(ratio(value.applyAsDouble(other), value.applyAsDouble(report.ours())));
    }
    lines.add(cells);
  }

  /** How many times more than zero-rename; "-" where one of the two has none. */
  private static String ratio(double value, double ours) {
    return ours == 0 || value == 0 ? "-" : String.format(Locale.ROOT, "%.1fx", value / ours);
  }
}
