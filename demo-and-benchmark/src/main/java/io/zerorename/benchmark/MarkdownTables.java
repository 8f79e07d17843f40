package io.zerorename.benchmark;

import io.zerorename.benchmark.BenchmarkOptions.Suite;

/** tables.md: what docs/performance/ shows of a run. */
final class MarkdownTables {
  private MarkdownTables() {}

  static String of(Results results) {
    StringBuilder text = new StringBuilder();
    text.append(Words.conditions(results)).append("\n\n### Targets\n\n");
    text.append("| target | wanted | measured | |\n|---|---|---|---|\n");
    for (Target target : Targets.of(results)) {
      text.append(
          "| %s | %s | %s | %s |\n"
              .formatted(
                  target.name(), target.wanted(), target.measured(), target.status().words()));
    }
    for (Suite suite : results.suites()) {
      text.append("\n### ").append(suite.key()).append("\n\n");
      text.append(SuiteTable.of(suite, results).markdown());
    }
    return text.toString();
  }
}
