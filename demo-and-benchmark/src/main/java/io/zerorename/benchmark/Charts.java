package io.zerorename.benchmark;

import io.zerorename.benchmark.BenchmarkOptions.Suite;
import io.zerorename.benchmark.Results.CaseKey;
import io.zerorename.report.BarChart;
import io.zerorename.report.BarChart.Bar;
import io.zerorename.report.BarChart.Layout;
import io.zerorename.report.BarChart.Segment;
import io.zerorename.report.BarChart.Whisker;
import io.zerorename.report.html.Page;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/** The drawings of one case. */
final class Charts {
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
              new Segment(HiveExperiment.REST, 0, "phase-rest", "compilation, start, end"));
      case SPARK ->
          List.of(
              new Segment(Sample.TASKS, 0, "phase-tasks", "planning, tasks write and commit"),
              new Segment(Sample.COMMIT, 0, "phase-commit", "job commit"));
      case CHECKPOINT -> List.of(new Segment(Sample.COMMIT, 0, "phase-commit", ""));
    };
  }

  static String legend(Suite suite) {
    return switch (suite) {
      case COMMIT, UPLOAD, CHECKPOINT -> "";
      case MAPREDUCE, HIVE, SPARK -> BarChart.legend(parts(suite));
    };
  }

  String html() {
    return switch (key.suite()) {
      case COMMIT -> chart("seconds, and the bound", groups, this::againstBound);
      case UPLOAD ->
          chart("MB/s", groups, group -> measure(group, UploadExperiment.RATE, "%.0f"))
              + chart(
                  "processor seconds per GB",
                  groups,
                  group -> measure(group, UploadExperiment.PROCESSOR, "%.2f"))
              + chart(
                  "live memory, MB",
                  groups,
                  group -> measure(group, UploadExperiment.MEMORY, "%.0f"));
      case MAPREDUCE ->
          chart("seconds", groups, this::total)
              + chart(
                  "seconds of job commit, without the committers that rename",
                  groups.stream()
                      .filter(group -> !group.subject().startsWith(CommitterSubject.FILE_OUTPUT))
                      .toList(),
                  group -> single(group, group.seconds(Sample.COMMIT), "%.2f s", "phase-commit"))
              + chart("S3 requests", groups, this::requests);
      case HIVE, SPARK, CHECKPOINT ->
          chart("seconds", groups, this::total) + chart("S3 requests", groups, this::requests);
    };
  }

  private String chart(String title, List<Group> shown, Function<Group, Bar> bar) {
    if (shown.isEmpty()) {
      return "";
    }
    return "<h3>"
        + Page.escape(title)
        + "</h3>\n"
        + BarChart.of(
            key.caseName() + ": " + title, Layout.DENSE, shown.stream().map(bar).toList());
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
    return new Bar(group.subject(), segments, number("%.2f s", total.median()), whisker(total));
  }

  private Bar againstBound(Group group) {
    double bound = group.measure(CommitExperiment.BOUND).median();
    Spread seconds = group.seconds(Sample.COMMIT);
    double over = Math.max(0, seconds.median() - bound);
    return new Bar(
        group.subject(),
        List.of(
            new Segment("the bound", bound, "phase-rest", number("%.2f s", bound)),
            new Segment("above it", over, "phase-commit", number("%.2f s", over))),
        number("%.2f s", seconds.median()),
        whisker(seconds));
  }

  private Bar measure(Group group, String name, String format) {
    return single(group, group.measure(name), format, "phase-tasks");
  }

  private Bar requests(Group group) {
    return single(group, group.requests(), "%,.0f", "phase-move");
  }

  private static Bar single(Group group, Spread spread, String format, String color) {
    String text = number(format, spread.median());
    boolean ours = group.subject().startsWith("zero-rename");
    return new Bar(
        group.subject(),
        List.of(new Segment("", spread.median(), ours ? "accent" : color, text)),
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
