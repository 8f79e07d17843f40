package io.zerorename.benchmark;

import static java.util.stream.Collectors.joining;

import io.zerorename.benchmark.BenchmarkOptions.Suite;
import io.zerorename.benchmark.Results.CaseKey;
import io.zerorename.report.BarChart.Bar;
import io.zerorename.report.BarChart.Chart;
import io.zerorename.report.BarChart.Segment;
import io.zerorename.report.BarChart.Whisker;
import io.zerorename.report.Page;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/** The drawings of one case. */
final class Charts {
  private static final String BOUND = "bound: uploads × delay / threads";
  private static final String ABOVE = "time above the bound";

  private final CaseKey key;
  private final List<Group> groups;

  Charts(CaseKey key, List<Group> groups) {
    this.key = key;
    this.groups = groups;
  }

  /** The parts of a run in the order of time, by suite; their sum is the total. */
  private static List<Segment> parts(Suite suite) {
    return switch (suite) {
      case COMMIT -> List.of(new Segment(Sample.COMMIT, 0, "phase-commit", ""));
      case UPLOAD -> List.of(new Segment(Sample.TASKS, 0, "phase-tasks", ""));
      case MAPREDUCE ->
          List.of(
              new Segment(SimulatedJob.SETUP, 0, "phase-rest", "set-up of the job"),
              new Segment(Sample.TASKS, 0, "phase-tasks", "tasks write and commit"),
              new Segment(Sample.COMMIT, 0, "phase-commit", "job commit"));
      case HIVE ->
          List.of(
              new Segment(Sample.TASKS, 0, "phase-tasks", "tasks write"),
              new Segment(Sample.COMMIT, 0, "phase-commit", "commit and move"),
              new Segment(HiveExperiment.METASTORE, 0, "phase-move", "metastore, meanwhile"),
              new Segment(HiveExperiment.STATISTICS, 0, "phase-statistics", "statistics"),
              new Segment(HiveExperiment.REST, 0, "phase-rest", "all else"));
      case SPARK ->
          List.of(
              new Segment(Sample.TASKS, 0, "phase-tasks", "planning, tasks write and commit"),
              new Segment(Sample.COMMIT, 0, "phase-commit", "job commit"));
      case CHECKPOINT -> List.of(new Segment(Sample.COMMIT, 0, "phase-commit", ""));
    };
  }

  /** What the colours mean, empty where no bar has parts. */
  static List<Segment> legend(Suite suite) {
    return switch (suite) {
      case COMMIT ->
          List.of(
              new Segment(BOUND, 0, "phase-rest", ""), new Segment(ABOVE, 0, "phase-commit", ""));
      case UPLOAD, CHECKPOINT -> List.of();
      case MAPREDUCE, HIVE, SPARK -> parts(suite);
    };
  }

  String html() {
    return all().stream()
        .map(chart -> "<h3>" + Page.escape(chart.title()) + "</h3>\n" + chart.svg())
        .collect(joining());
  }

  List<Chart> all() {
    List<Chart> charts =
        switch (key.suite()) {
          case COMMIT -> List.of(chart("Seconds", this::againstBound));
          case UPLOAD ->
              List.of(
                  chart("MB/s", group -> measure(group, UploadExperiment.RATE, "%.0f")),
                  chart(
                      "Processor seconds per GB",
                      group -> measure(group, UploadExperiment.PROCESSOR, "%.2f")),
                  chart(
                      "Live memory, MB", group -> measure(group, UploadExperiment.MEMORY, "%.0f")));
          case MAPREDUCE ->
              List.of(
                  chart("Seconds", this::total),
                  new Chart(
                      "Seconds of job commit, without the committers that rename",
                      groups.stream()
                          .filter(
                              group -> !group.subject().startsWith(CommitterSubject.FILE_OUTPUT))
                          .map(group -> single(group, group.seconds(Sample.COMMIT), "%.2f s"))
                          .toList()),
                  chart("S3 requests", this::requests));
          case HIVE, SPARK, CHECKPOINT ->
              List.of(chart("Seconds", this::total), chart("S3 requests", this::requests));
        };
    return charts.stream().filter(chart -> !chart.bars().isEmpty()).toList();
  }

  private Chart chart(String title, Function<Group, Bar> bar) {
    return new Chart(title, groups.stream().map(bar).toList());
  }

  private Bar total(Group group) {
    List<Segment> segments =
        parts(key.suite()).stream()
            .map(
                part -> {
                  double seconds = group.seconds(part.name()).median();
                  return new Segment(part.name(), seconds, part.color(), number("%.1f s", seconds));
                })
            .toList();
    Spread total = group.seconds(Sample.TOTAL);
    return new Bar(group.title(), segments, number("%.2f s", total.median()), whisker(total));
  }

  private Bar againstBound(Group group) {
    double bound = group.measure(CommitExperiment.BOUND).median();
    Spread seconds = group.seconds(Sample.COMMIT);
    double over = Math.max(0, seconds.median() - bound);
    return new Bar(
        group.title(),
        List.of(
            new Segment(BOUND, bound, "phase-rest", number("%.2f s", bound)),
            new Segment(ABOVE, over, "phase-commit", number("%.2f s", over))),
        number("%.2f s", seconds.median()),
        whisker(seconds));
  }

  private Bar measure(Group group, String name, String format) {
    return single(group, group.measure(name), format);
  }

  private Bar requests(Group group) {
    return single(group, group.requests(), "%,.0f");
  }

  private static Bar single(Group group, Spread spread, String format) {
    String text = number(format, spread.median());
    return new Bar(
        group.title(),
        List.of(new Segment("", spread.median(), "plain", text)),
        text,
        whisker(spread));
  }

  private static Optional<Whisker> whisker(Spread spread) {
    return spread.count() > 1
        ? Optional.of(new Whisker(spread.least(), spread.most()))
        : Optional.empty();
  }

  private static String number(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }
}
