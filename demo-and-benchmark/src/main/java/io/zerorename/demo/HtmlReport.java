package io.zerorename.demo;

import static java.util.stream.Collectors.joining;

import io.zerorename.report.CommandLine;
import io.zerorename.report.HtmlText;
import io.zerorename.report.Page;
import io.zerorename.testing.hive.Phase;
import java.io.IOException;
import java.io.InputStream;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/** report.html: one file that needs no other, in the light or dark colours of the browser. */
final class HtmlReport {
  private static final String TEMPLATE = "report.html";

  private final Report report;
  private final Measurement stock;
  private final Measurement remedy;
  private final Measurement ours;

  private HtmlReport(Report report) {
    this.report = report;
    this.stock = report.stock();
    this.remedy = report.remedy();
    this.ours = report.ours();
  }

  static String of(Report report) throws IOException {
    return new HtmlReport(report).build();
  }

  private String build() throws IOException {
    Page page = new Page("demo", HtmlReport.class, TEMPLATE);
    page.put("headline", headline());
    page.put("subline", subline());
    page.put("verdict", verdict());
    page.put("tiles", tiles());
    Charts charts = new Charts(report);
    page.put("chart-requests", charts.requests());
    page.put("chart-copies", charts.copies());
    page.put("chart-bytes", charts.bytesCopied());
    page.put("chart-seconds", charts.seconds());
    page.put("where", whereOursSpends());
    page.put("titles", titles());
    page.put("table", table());
    page.put("checks", checks());
    Properties words = new Properties();
    try (InputStream in =
        HtmlReport.class.getResourceAsStream(
            report.engine().name().toLowerCase(Locale.ROOT) + ".properties")) {
      words.load(in);
    }
    words.stringPropertyNames().forEach(name -> page.put(name, words.getProperty(name)));
    page.put("sql", Page.escape(report.sql()));
    page.put("setup", setup());
    page.put("limits", limits());
    page.put("files", files());
    page.put("cost", cost());
    page.put("commit-line", Page.escape(String.join("\n", ours.committerLines())));
    return page.build();
  }

  private String headline() {
    return "%s S3 requests become %s, and %s copies become %s"
        .formatted(
            HtmlText.count(stock.requests().total()),
            HtmlText.count(ours.requests().total()),
            HtmlText.count(stock.requests().copies()),
            ours.requests().copies() == 0 ? "none" : HtmlText.count(ours.requests().copies()));
  }

  private String subline() {
    DemoOptions options = report.options();
    return "One INSERT OVERWRITE of %s in %s by %s: %s fewer requests than %s, %s fewer than %s."
        .formatted(
            options.isPartitioned()
                ? HtmlText.count(ours.partitions().size()) + " partitions"
                : "a table without partitions",
            options.format(),
            report.engine().title(),
            times(stock),
            stock.way().title(),
            times(remedy),
            remedy.way().title());
  }

  /** How many times more requests another subject needs. */
  private String times(Measurement other) {
    return Report.ratio((double) other.requests().total(), (double) ours.requests().total())
        .replace("x", "&times;");
  }

  private String verdict() {
    long failed = report.checks().stream().filter(check -> !check.passed()).count();
    return failed == 0
        ? "<p class=\"verdict good\">&#10003; All " + report.checks().size() + " checks held</p>"
        : "<p class=\"verdict bad\">&#10007; "
            + failed
            + " of "
            + report.checks().size()
            + " checks did not hold: do not trust these numbers before you know why</p>";
  }

  private String tiles() {
    return tile("S3 requests per file", "%.1f", Measurement::requestsPerFile)
        + tile("COPY requests", "%,.0f", measurement -> measurement.requests().copies())
        + tile("seconds", "%.1f", Measurement::seconds);
  }

  private String tile(String name, String format, ToDoubleFunction<Measurement> value) {
    List<String> texts = texts(format, value);
    return """
        <div class="tile"><h3>%s</h3>
        <p class="big%s">%s</p>
        <p class="small">%s <b>%s</b></p>
        <p class="small">%s <b>%s</b></p></div>
        """
        .formatted(
            name,
            best(value, texts).contains(texts.get(2)) ? " good" : "",
            texts.get(2),
            stock.way().title(),
            texts.get(0),
            remedy.way().title(),
            texts.get(1));
  }

  private List<String> texts(String format, ToDoubleFunction<Measurement> value) {
    return report.measurements().stream()
        .map(measurement -> number(format, value.applyAsDouble(measurement)))
        .toList();
  }

  /** The least of the values as they are shown; none where all are shown alike. */
  private Set<String> best(ToDoubleFunction<Measurement> value, List<String> texts) {
    double[] values = report.measurements().stream().mapToDouble(value).toArray();
    int least = 0;
    for (int i = 1; i < values.length; i++) {
      least = values[i] < values[least] ? i : least;
    }
    return Set.copyOf(texts).size() == 1 ? Set.of() : Set.of(texts.get(least));
  }

  private String whereOursSpends() {
    StringBuilder rows = new StringBuilder();
    for (Phase phase : report.engine().phases().keySet()) {
      Map<String, Long> types = new TreeMap<>(ours.requestsByPhase().getOrDefault(phase, Map.of()));
      long sum = types.values().stream().mapToLong(Long::longValue).sum();
      rows.append("<tr><th>")
          .append(phase.key())
          .append("</th><td>")
          .append(HtmlText.count(sum))
          .append("</td><td class=\"words\">")
          .append(
              types.entrySet().stream()
                  .map(type -> type.getKey() + "&nbsp;" + HtmlText.count(type.getValue()))
                  .collect(joining(", ")))
          .append("</td><td class=\"words\">")
          .append(
              sum == 0
                  ? ""
                  : phase == Phase.TASKS || phase == Phase.COMMIT
                      ? "the committer"
                      : report.engine().name() + " itself")
          .append("</td></tr>\n");
    }
    return rows.toString();
  }

  private String titles() {
    return Stream.concat(
            report.measurements().stream().map(it -> it.way().title()),
            Stream.of(stock, remedy).map(it -> it.way().title() + " / " + ours.way().title()))
        .map(title -> "<th>" + title + "</th>")
        .collect(joining());
  }

  private String table() {
    StringBuilder rows = new StringBuilder();
    rows.append(row("seconds", "%.1f", Measurement::seconds, "main less"));
    for (Phase phase : report.engine().phases().keySet()) {
      rows.append(row(phase.key(), "%.1f", measurement -> measurement.seconds(phase), "sub less"));
    }
    rows.append(row("S3 requests", "%,.0f", m -> m.requests().total(), "main less"));
    TreeSet<String> types = new TreeSet<>();
    report.measurements().forEach(m -> types.addAll(m.requests().byApiName().keySet()));
    for (String type : types) {
      rows.append(row(type, "%,.0f", m -> m.requests().byApiName().getOrDefault(type, 0L), "sub"));
    }
    rows.append(row("requests per file", "%.1f", Measurement::requestsPerFile, "main less"));
    rows.append(row("COPY requests", "%,.0f", m -> m.requests().copies(), "main less"));
    rows.append(
        row("bytes copied by the server", "%,.0f", m -> m.requests().bytesCopied(), "main less"));
    rows.append(row("bytes uploaded", "%,.0f", m -> m.requests().bytesUploaded(), "main"));
    rows.append(row("files", "%,.0f", m -> m.files().size(), "main"));
    rows.append(row("rows", "%,.0f", Measurement::rows, "main"));
    rows.append(row("bytes in files", "%,.0f", Measurement::bytes, "main"));
    return rows.toString();
  }

  /**
   * A line of the table.
   *
   * @param cssClass with {@code less} where less is better, so that the least has the colour of
   *     success
   */
  private String row(
      String name, String format, ToDoubleFunction<Measurement> value, String cssClass) {
    List<String> texts = texts(format, value);
    Set<String> best = cssClass.endsWith("less") ? best(value, texts) : Set.of();
    StringBuilder row = new StringBuilder("<tr class=\"" + cssClass + "\"><th>" + name + "</th>");
    for (String text : texts) {
      row.append(best.contains(text) ? "<td class=\"good\">" : "<td>").append(text).append("</td>");
    }
    for (Measurement other : List.of(stock, remedy)) {
      row.append("<td>")
          .append(
              Report.ratio(value.applyAsDouble(other), value.applyAsDouble(ours))
                  .replace("x", "&times;"))
          .append("</td>");
    }
    return row.append("</tr>\n").toString();
  }

  private String checks() {
    return report.checks().stream()
            .map(
                check ->
                    "<li class=\"%s\"><b>%s</b><span>%s</span></li>\n"
                        .formatted(
                            check.passed() ? "good" : "bad",
                            Page.escape(check.name()),
                            Page.escape(check.detail())))
            .collect(joining())
        + report
            .engine()
            .withoutStatistics()
            .map(reason -> "<li><span>" + Page.escape(reason) + "</span></li>\n")
            .orElse("");
  }

  private String setup() {
    DemoOptions options = report.options();
    Map<String, String> machine = report.machine();
    return ("TPC-DS %s, format %s, engine %s%s. %s, Java %s on %s, %s processors, %s MB of"
            + " heap. %s UTC.")
        .formatted(
            options.fileMegabytes() == 0
                ? "at scale " + options.scale()
                : "sales, moved to few days for files of some " + options.fileMegabytes() + " MB",
            CommandLine.name(options.format()),
            CommandLine.name(options.engine()),
            tasks(),
            Stream.of("Spark", "Hive", "Tez", "Hadoop")
                .filter(name -> machine.containsKey(name.toLowerCase(Locale.ROOT)))
                .map(name -> name + " " + machine.get(name.toLowerCase(Locale.ROOT)))
                .collect(joining(", ")),
            machine.get("java"),
            Page.escape(String.valueOf(machine.get("system"))),
            machine.get("processors"),
            machine.get("heapMegabytes"),
            DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm", Locale.ROOT)
                .withZone(ZoneOffset.UTC)
                .format(report.time()));
  }

  /** Where it is not one file per partition. */
  private String tasks() {
    DemoOptions options = report.options();
    String files = options.isPartitioned() ? "a file to each partition" : "a file";
    return (options.tasks() == 1 ? "" : ". " + options.tasks() + " tasks wrote " + files + " each")
        + (options.merge() ? ", of which Hive merged the small ones" : "");
  }

  private String limits() {
    if (report.cost().isPresent()) {
      return "Requests went to "
          + Page.escape(report.machine().get("endpoint"))
          + " through a gateway on this machine, which counts them and adds well below a"
          + " millisecond.";
    }
    int latency = report.options().latencyMillis();
    return latency == 0
        ? "The S3 server answers over loopback within a millisecond or two, so the seconds show"
            + " far less than S3 would: there each request takes 10 to 100 ms and a copy takes"
            + " time by its size. Run <code>./demo --latency-ms 30</code> for a model of that. The"
            + " numbers of requests and copies do not depend on it."
        : "A delay of "
            + latency
            + " ms was added to each request and copies ran at 100 MB/s. This is a model, not S3:"
            + " real latency varies, a real server throttles, and reads and writes are not equally"
            + " fast. The numbers of requests and copies do not depend on it.";
  }

  private String cost() {
    return report
        .cost()
        .map(cost -> "<dt>Cost</dt>\n<dd>" + Page.escape(cost.text()) + "</dd>\n")
        .orElse("");
  }

  private String files() {
    return report.options().fileMegabytes() == 0
        ? "<dt>Small files</dt>\n<dd>The files are small, as in the demo&#8217;s few minutes they"
            + " must be. With larger files the copies of the rename path weigh more, and an upload"
            + " has more parts: a file of <i>p</i> parts takes <i>p</i>&nbsp;+&nbsp;2 requests. Run"
            + " <code>./demo --file-mb 8</code> for that.</dd>"
        : "<dt>Few files</dt>\n<dd>The requests that each statement takes, whatever it writes, weigh"
            + " more here than in a run with many files.</dd>";
  }

  private static String number(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }
}
