package io.zerorename.benchmark;

import static java.util.stream.Collectors.joining;

import io.zerorename.benchmark.BenchmarkOptions.Suite;
import io.zerorename.benchmark.Results.CaseKey;
import io.zerorename.benchmark.Target.Status;
import io.zerorename.report.BarChart;
import io.zerorename.report.Page;
import io.zerorename.report.S3Prices;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** report.html: one file that needs no other, in the light or dark colours of the browser. */
final class HtmlReport {
  private static final String TEMPLATE = "report.html";

  private final Results results;
  private final List<Target> targets;

  private HtmlReport(Results results) {
    this.results = results;
    this.targets = Targets.of(results);
  }

  static String of(Results results) throws IOException {
    return new HtmlReport(results).build();
  }

  private String build() throws IOException {
    return new Page("benchmark", HtmlReport.class, TEMPLATE)
        .put("headline", headline())
        .put("conditions", Page.escape(Words.conditions(results)))
        .put("targets", targets())
        .put("not-measured", notMeasured())
        .put("suites", results.suites().stream().map(this::suite).collect(joining()))
        .put("prices", Page.escape(prices()))
        .build();
  }

  private long count(Status status) {
    return targets.stream().filter(target -> target.status() == status).count();
  }

  private String headline() {
    long measured = targets.size() - count(Status.NOT_MEASURED);
    return "%d of %d targets met".formatted(count(Status.MET), measured)
        + (measured < targets.size()
            ? ", %d not measured".formatted(count(Status.NOT_MEASURED))
            : "");
  }

  private String targets() {
    return targets.stream()
        .filter(target -> target.status() != Status.NOT_MEASURED)
        .map(
            target ->
                "<tr><th>%s</th><td class=\"words short\">%s</td><td class=\"words\">%s</td><td class=\"words short %s\">%s</td></tr>\n"
                    .formatted(
                        Page.escape(target.name()),
                        Page.escape(target.wanted()),
                        Page.escape(target.measured()),
                        target.status() == Status.MET ? "good" : "bad",
                        target.status().words()))
        .collect(joining());
  }

  private String notMeasured() {
    if (count(Status.NOT_MEASURED) == 0) {
      return "";
    }
    return targets.stream()
        .filter(target -> target.status() == Status.NOT_MEASURED)
        .map(
            target ->
                "<li>%s: %s</li>\n"
                    .formatted(Page.escape(target.name()), Page.escape(target.wanted())))
        .collect(
            joining(
                "",
                "<details><summary>Not measured in this run</summary>\n<ul class=\"said\">\n",
                "</ul></details>\n"));
  }

  private String suite(Suite suite) {
    StringBuilder html = new StringBuilder("<section>\n<h2>");
    html.append(title(suite)).append("</h2>\n<p>");
    html.append(Page.escape(Words.conditions(suite, results.options()))).append("</p>\n");
    html.append(BarChart.legend(Charts.legend(suite)));
    for (Map.Entry<CaseKey, List<Group>> each : results.cases().entrySet()) {
      if (each.getKey().suite() == suite) {
        html.append(part(each.getKey(), each.getValue()));
      }
    }
    html.append("<details><summary>All medians, with least and most</summary>\n");
    html.append(SuiteTable.of(suite, results).html());
    return html.append("</details>\n</section>\n").toString();
  }

  private static String title(Suite suite) {
    return switch (suite) {
      case COMMIT -> "How job commit scales";
      case UPLOAD -> "Upload streams";
      case MAPREDUCE -> "MapReduce jobs";
      case HIVE -> "INSERTs by Hive on Tez";
      case SPARK -> "writes by Spark";
      case CHECKPOINT -> "Checkpoints of Spark";
    };
  }

  private String part(CaseKey key, List<Group> groups) {
    StringBuilder html = new StringBuilder("<details class=\"case\" open><summary>");
    html.append(Page.escape(key.caseName()));
    html.append(
        key.suite() == Suite.UPLOAD
            ? ""
            : " " + Page.escape(results.options().pace(key.latencyMillis())));
    html.append("</summary>\n").append(new Charts(key, groups).html());
    groups.stream()
        .filter(group -> group.subject().startsWith("zero-rename"))
        // One that is measured to show what its users do without.
        .filter(group -> !group.subject().startsWith(CommitterSubject.OURS_UPLOADING))
        .reduce((first, last) -> last)
        .ifPresent(ours -> html.append(words(groups, ours)));
    return html.append("</details>\n").toString();
  }

  private static String words(List<Group> groups, Group ours) {
    String fallback =
        ours.fallback()
            .map(
                reason ->
                    "<p class=\"bad\">zero-rename was not used here: "
                        + Page.escape(reason)
                        + "</p>\n")
            .orElse("");
    return fallback
        + Words.comparisons(groups, ours).stream()
            .map(sentence -> "<li>" + Page.escape(sentence) + "</li>\n")
            .collect(joining("", "<ul class=\"said\">\n", "</ul>\n"));
  }

  private String prices() {
    S3Prices prices = results.prices();
    return "Dollars are for requests alone, at the list prices of %s for S3 Standard in %s: $%s per 1,000 PUT, COPY, POST and LIST, $%s per 1,000 of others, DELETE free."
        .formatted(prices.date(), prices.region(), prices.write(), prices.read());
  }
}
