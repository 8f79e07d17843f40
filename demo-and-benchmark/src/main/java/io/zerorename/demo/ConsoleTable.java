package io.zerorename.demo;

import io.zerorename.testing.hive.Phase;
import io.zerorename.testing.hive.Subject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;

/** The runs side by side, for a terminal. */
final class ConsoleTable {
  private static final String ROW = "%-26s %12s %14s %12s   %8s  %s%n";

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
    text.append(
        String.format(
            Locale.ROOT,
            ROW,
            "",
            Subject.STOCK.title(),
            Subject.STOCK_SCRATCH.title(),
            Subject.ZERO_RENAME.title(),
            "stock",
            "scratch"));
    text.append(String.format(Locale.ROOT, ROW, "", "", "", "", "to ours", "to ours"));
    decimal("seconds", Measurement::seconds);
    for (Phase phase : Phase.values()) {
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
    double stock = value.applyAsDouble(report.of(Subject.STOCK));
    double scratch = value.applyAsDouble(report.of(Subject.STOCK_SCRATCH));
    double ours = value.applyAsDouble(report.of(Subject.ZERO_RENAME));
    text.append(
        String.format(
                Locale.ROOT,
                ROW,
                name,
                String.format(Locale.ROOT, format, stock),
                String.format(Locale.ROOT, format, scratch),
                String.format(Locale.ROOT, format, ours),
                Report.ratio(stock, ours),
                Report.ratio(scratch, ours))
            .stripTrailing());
    text.append('\n');
  }

  private void line(String line) {
    text.append(line).append('\n');
  }
}
