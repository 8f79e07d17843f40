package io.zerorename.benchmark;

import io.zerorename.benchmark.BenchmarkOptions.Suite;
import io.zerorename.report.S3Prices;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/** All rounds of one subject in one case. */
record Group(Suite suite, String caseName, int latencyMillis, String subject, List<Row> rows) {
  Group {
    rows = List.copyOf(rows);
  }

  /** The subject's name for a person. */
  String title() {
    return Words.title(subject);
  }

  Spread spread(ToDoubleFunction<Sample> value) {
    return Spread.of(rows.stream().map(row -> value.applyAsDouble(row.sample())).toList());
  }

  Spread seconds(String part) {
    return spread(sample -> sample.seconds().getOrDefault(part, 0.0));
  }

  Spread requests() {
    return spread(sample -> (double) sample.requestsTotal());
  }

  /** Of a measure that every row of the suite has. */
  Spread measure(String name) {
    return spread(sample -> sample.measures().get(name));
  }

  /** Dollars for the requests of one run. */
  double dollars(S3Prices prices) {
    return spread(sample -> prices.dollars(sample.requests())).median();
  }

  /** For a run by Hive with our hook: why the statement kept Hive's own path, if it did. */
  Optional<String> fallback() {
    return rows.stream()
        .map(row -> row.sample().note())
        .filter(note -> !note.isEmpty() && !note.contains(HiveExperiment.USED))
        .findFirst();
  }
}
