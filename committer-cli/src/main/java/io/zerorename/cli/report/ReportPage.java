package io.zerorename.cli.report;

import static java.util.stream.Collectors.joining;

import io.zerorename.cli.command.Units;
import io.zerorename.report.html.BarChart;
import io.zerorename.report.html.BarChart.Bar;
import io.zerorename.report.html.BarChart.Layout;
import io.zerorename.report.html.BarChart.Segment;
import io.zerorename.report.html.HtmlText;
import io.zerorename.report.html.Page;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;

/** A job's report as one page that needs no other file. */
final class ReportPage {
  private static final int FILES = 100;
  private static final int BARS = 20;

  private final CommitRecord record;
  private final ReportSummary summary;

  ReportPage(CommitRecord record) {
    this.record = record;
    this.summary = new ReportSummary(record);
  }

  String build() throws IOException {
    return new Page("report", ReportPage.class, "report.html")
        .put("headline", HtmlText.escape(summary.title()))
        .put(
            "subline",
            HtmlText.escape(
                "Job " + record.jobId() + ", " + record.date() + " on " + record.host()))
        .put("verdict-class", record.success() ? "good" : "bad")
        .put("verdict", HtmlText.escape(record.state()))
        .put("tiles", tiles())
        .put("stages", chart("Time by stage", summary.stages(), "phase-commit", this::seconds))
        .put("requests", chart("Requests by type", summary.requests(), "part", HtmlText::count))
        .put("sizes", sizes())
        .put("metrics", rows(record.metrics()))
        .put("diagnostics", diagnostics())
        .put("source", HtmlText.escape(record.source().toString()))
        .build();
  }

  private String seconds(long millis) {
    return ReportSummary.seconds(millis) + " s";
  }

  private String tiles() {
    return summary.facts().entrySet().stream()
        .map(
            fact ->
                "<div class=\"tile\"><h3>"
                    + HtmlText.escape(fact.getKey())
                    + "</h3><p class=\"big\">"
                    + HtmlText.escape(fact.getValue())
                    + "</p></div>\n")
        .collect(joining());
  }

  private static String chart(
      String title, Map<String, Long> values, String color, LongFunction<String> text) {
    if (values.isEmpty()) {
      return "";
    }
    List<Bar> bars =
        values.entrySet().stream()
            .map(
                entry ->
                    new Bar(
                        entry.getKey(),
                        List.of(
                            new Segment(
                                title, entry.getValue(), color, text.apply(entry.getValue()))),
                        text.apply(entry.getValue())))
            .toList();
    return section(title, BarChart.of(title, Layout.DENSE, bars));
  }

  private String sizes() {
    List<Bar> bars =
        record.objects().stream()
            .filter(object -> object.size().isPresent())
            .sorted(
                Comparator.comparingLong(
                        (CommitRecord.WrittenObject object) -> object.size().getAsLong())
                    .reversed())
            .limit(BARS)
            .map(
                object -> {
                  String size = Units.bytes(object.size().getAsLong());
                  return new Bar(
                      shortened(object.path().getName()),
                      List.of(
                          new Segment(
                              object.path().getName(), object.size().getAsLong(), "put", size)),
                      size);
                })
            .toList();
    String chart = bars.isEmpty() ? "" : BarChart.of("Largest named files", Layout.DENSE, bars);
    String names =
        record.files().stream()
            .limit(FILES)
            .map(HtmlText::escape)
            .collect(joining("\n", "<pre>", "</pre>"));
    return record.files().isEmpty()
        ? ""
        : section(
            "Files",
            chart
                + "<details><summary>The first "
                + Math.min(FILES, record.files().size())
                + " names</summary>"
                + names
                + "</details>\n");
  }

  private static String shortened(String name) {
    return name.length() <= 22
        ? name
        : name.substring(0, 11) + "…" + name.substring(name.length() - 10);
  }

  private static String rows(Map<String, Long> numbers) {
    return numbers.entrySet().stream()
        .map(
            entry ->
                "<tr><th>"
                    + HtmlText.escape(entry.getKey())
                    + "</th><td>"
                    + HtmlText.count(entry.getValue())
                    + "</td></tr>\n")
        .collect(joining());
  }

  private String diagnostics() {
    return record.diagnostics().entrySet().stream()
        .map(
            entry ->
                section(entry.getKey(), "<pre>" + HtmlText.escape(entry.getValue()) + "</pre>\n"))
        .collect(joining());
  }

  private static String section(String title, String html) {
    return "<section><h2>" + HtmlText.escape(title) + "</h2>\n" + html + "</section>\n";
  }
}
