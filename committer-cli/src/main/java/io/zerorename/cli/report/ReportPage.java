package io.zerorename.cli.report;

import static java.util.stream.Collectors.joining;

import io.zerorename.cli.command.Units;
import io.zerorename.cli.report.JobReportFile.WrittenObject;
import io.zerorename.report.html.Page;
import java.io.IOException;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongFunction;

/** A job's report as one page that needs no other file. */
record ReportPage(JobReportFile record, ReportSummary summary) {
  private static final int NAMES = 100;
  private static final int BARS = 20;

  ReportPage(JobReportFile record) {
    this(record, new ReportSummary(record));
  }

  String build() throws IOException {
    return new Page("report", ReportPage.class, "report.html")
        .put("verdict-class", record.success() ? "good" : "bad")
        .put("verdict", Page.escape(record.state()))
        .put("destination", Page.escape(summary.destination()))
        .put("duration", summary.facts().getOrDefault("commit", "unknown"))
        .put("headline", Page.escape(summary.title()))
        .put("subline", Page.escape(record.date() + " on " + record.host()))
        .put("tiles", tiles())
        .put(
            "stages",
            section(
                "Time by stage",
                bars(summary.stages(), "phase-commit", ms -> ReportSummary.seconds(ms) + " s")))
        .put(
            "requests", section("Requests by type", bars(summary.requests(), "part", Units::count)))
        .put("files", section("Files", files()))
        .put("metrics", metrics())
        .put("diagnostics", diagnostics())
        .put("source", Page.escape(record.source().toString()))
        .build();
  }

  private String tiles() {
    return summary.facts().entrySet().stream()
        .map(
            fact ->
                "<div class=\"tile\"><h3>%s</h3><p class=\"big\">%s</p></div>\n"
                    .formatted(Page.escape(fact.getKey()), Page.escape(fact.getValue())))
        .collect(joining());
  }

  /** A chart: a row per value, to one scale. */
  private static String bars(Map<String, Long> values, String color, LongFunction<String> text) {
    if (values.isEmpty()) {
      return "";
    }
    long longest = Math.max(1, Collections.max(values.values()));
    return values.entrySet().stream()
        .map(
            entry ->
                ("<tr><th>%s</th><td class=\"bar\"><i style=\"width:%s%%;"
                        + "background:var(--%s)\"></i></td><td>%s</td></tr>\n")
                    .formatted(
                        Page.escape(entry.getKey()),
                        100 * entry.getValue() / longest,
                        color,
                        text.apply(entry.getValue())))
        .collect(joining("", "<table>\n", "</table>\n"));
  }

  private String files() {
    if (record.files().isEmpty()) {
      return "";
    }
    Map<String, Long> largest = new LinkedHashMap<>();
    record.objects().stream()
        .filter(object -> object.size().isPresent())
        .sorted(
            Comparator.comparingLong((WrittenObject object) -> object.size().getAsLong())
                .reversed())
        .limit(BARS)
        .forEach(object -> largest.put(object.path().toUri().getPath(), object.size().getAsLong()));
    return bars(largest, "put", Units::bytes)
        + record.files().stream()
            .limit(NAMES)
            .map(Page::escape)
            .collect(
                joining(
                    "\n",
                    "<details><summary>The first %s names</summary><pre>"
                        .formatted(Math.min(NAMES, record.files().size())),
                    "</pre></details>\n"));
  }

  private String metrics() {
    return record.metrics().entrySet().stream()
        .map(
            entry ->
                "<tr><th>%s</th><td>%s</td></tr>\n"
                    .formatted(Page.escape(entry.getKey()), Units.count(entry.getValue())))
        .collect(joining());
  }

  private String diagnostics() {
    return record.diagnostics().entrySet().stream()
        .map(entry -> section(entry.getKey(), "<pre>" + Page.escape(entry.getValue()) + "</pre>\n"))
        .collect(joining());
  }

  private static String section(String title, String html) {
    return html.isEmpty()
        ? ""
        : "<section><h2>%s</h2>\n%s</section>\n".formatted(Page.escape(title), html);
  }
}
