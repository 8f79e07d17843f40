package io.zerorename.benchmark;

import io.zerorename.benchmark.BenchmarkOptions.Suite;
import io.zerorename.benchmark.Results.CaseKey;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The medians and the targets, for a terminal. */
final class ConsoleSummary {
  private static final String ROW = "  %-24s %10s %10s %10s %12s%n";

  private ConsoleSummary() {}

  static String of(Results results) {
    StringBuilder text = new StringBuilder();
    for (Map.Entry<CaseKey, List<Group>> each : results.cases().entrySet()) {
      CaseKey key = each.getKey();
      text.append(
          "%n%s %s %s%n"
              .formatted(
                  key.suite().key(), key.caseName(), results.options().pace(key.latencyMillis())));
      text.append(
          ROW.formatted(
              "", "tasks", "commit", "total", key.suite() == Suite.UPLOAD ? "MB/s" : "requests"));
      for (Group group : each.getValue()) {
        text.append(
            ROW.formatted(
                group.title(),
                seconds(group, Sample.TASKS),
                seconds(group, Sample.COMMIT),
                seconds(group, Sample.TOTAL),
                String.format(
                    Locale.ROOT,
                    "%,.0f",
                    key.suite() == Suite.UPLOAD
                        ? group.measure(UploadExperiment.RATE).median()
                        : group.requests().median())));
      }
    }
    text.append("\nTargets\n");
    for (Target target : Targets.of(results)) {
      text.append(
          "  %-12s %s: %s, wanted %s%n"
              .formatted(
                  target.status().words(), target.name(), target.measured(), target.wanted()));
    }
    return text.toString();
  }

  private static String seconds(Group group, String part) {
    return String.format(Locale.ROOT, "%.2f", group.seconds(part).median());
  }
}
