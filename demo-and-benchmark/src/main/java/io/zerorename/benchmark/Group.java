package io.zerorename.benchmark;

import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/** All rounds of one subject in one case, of which there is one at least. */
record Group(List<Row> rows) {
  Group {
    rows = List.copyOf(rows);
  }

  Row first() {
    return rows.get(0);
  }

  Spread spread(ToDoubleFunction<Row> value) {
    return Spread.of(rows.stream().map(value::applyAsDouble).toList());
  }

  Spread seconds(String part) {
    return spread(row -> row.sample().seconds().getOrDefault(part, 0.0));
  }

  /** Of a measure that every row of the suite has. */
  Spread measure(String name) {
    return spread(row -> row.sample().measures().get(name));
  }

  /** For a run by Hive with our hook: why the statement kept Hive's own path, if it did. */
  Optional<String> fallback() {
    return rows.stream()
        .map(row -> row.sample().note())
        .filter(note -> !note.isEmpty() && !note.contains(HiveExperiment.USED))
        .findFirst();
  }
}
