package io.zerorename.demo;

import io.zerorename.testing.hive.Phase;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;

/** The runs side by side, for a terminal. */
final class ConsoleTable {
  private final Report report;
  private final StringBuilder text = new StringBuilder();

  private ConsoleTable(Report report) {
    this.report = report;
  }

  static String of(Report report) {
    return new ConsoleTable(report).build();
  }

  private String build() {
    line("");
    line(
        "",
        report.measurements().stream().map(it -> it.way().title()).toList(),
        List.of(shortTitle(report.stock()), shortTitle(report.remedy())));
    line("", List.of("", "", ""), List.of("/ zero-rename", "/ zero-rename"));
    decimal("seconds", Measurement::seconds);
    for (Phase phase : report.engine().phases().keySet()) {
      decimal("  " + phase.key(), measurement -> measurement.seconds(phase));
    }
    count("S3 requests", measurement -> measurement.requests().total());
    for (String type : requestTypes()) {
      count("  " + type, measurement -> measurement.requests().byApiName().getOrDefault(type, 0L));
    }
    decimal("requests per file", Measurement::requestsPerFile);
    count("COPY requests", measurement -> measurement.requests().copies());
    count("bytes copied by server", measurement -> measurement.requests().bytesCopied());
    count("files", measurement -> measurement.files().size());
    count("rows", Measurement::rows);
    count("bytes", Measurement::bytes);
    line("");
    for (Check check : report.checks()) {
      line((check.passed() ? "  ok    " : "  FAILED ") + check.name() + ": " + check.detail());
    }
    report.engine().withoutStatistics().ifPresent(reason -> line("  -      " + reason));
    return text.toString();
  }

  private List<String> requestTypes() {
    TreeSet<String> types = new TreeSet<>();
    report
        .measurements()
        .forEach(measurement -> types.addAll(measurement.requests().byApiName().keySet()));
    return new ArrayList<>(types);
  }

  private void count(String name, ToDoubleFunction<Measurement> value) {
    row(name, "%,.0f", value);
  }

  private void decimal(String name, ToDoubleFunction<Measurement> value) {
    row(name, "%.1f", value);
  }

  private void row(String name, String format, ToDoubleFunction<Measurement> value) {
    double ours = value.applyAsDouble(report.ours());
    line(
        name,
        report.measurements().stream()
            .map(it -> String.format(Locale.ROOT, format, value.applyAsDouble(it)))
            .toList(),
        List.of(
            Report.ratio(value.applyAsDouble(report.stock()), ours),
            Report.ratio(value.applyAsDouble(report.remedy()), ours)));
  }

  private static String shortTitle(Measurement measurement) {
    return measurement.way().shortTitle();
  }

  private void line(String name, List<String> values, List<String> ratios) {
    StringBuilder line = new StringBuilder(String.format("%-26s", name));
    for (int i = 0; i < values.size(); i++) {
      int width = Math.max(12, report.measurements().get(i).way().title().length());
      line.append(String.format(" %" + width + "s", values.get(i)));
    }
    line.append(String.format("   %13s  %13s", ratios.get(0), ratios.get(1)));
    line(line.toString().stripTrailing());
  }

  private void line(String line) {
    text.append(line).append('\n');
  }
}
