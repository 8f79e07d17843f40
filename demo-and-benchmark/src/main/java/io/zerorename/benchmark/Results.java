package io.zerorename.benchmark;

import static java.util.stream.Collectors.collectingAndThen;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import io.zerorename.benchmark.BenchmarkOptions.Suite;
import io.zerorename.report.Cost;
import io.zerorename.report.S3Prices;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * All that a benchmark has measured.
 *
 * @param machine what it ran on
 * @param rows in the order in which they were measured
 * @param cost of a run on an S3 that is not on this machine
 */
record Results(
    Instant time,
    BenchmarkOptions options,
    Map<String, String> machine,
    S3Prices prices,
    List<Row> rows,
    Optional<Cost> cost) {
  Results {
    rows = List.copyOf(rows);
  }

  /** What belongs to one case, with one delay. */
  record CaseKey(Suite suite, String caseName, int latencyMillis) {}

  /** The rounds of each subject, by case, in the order in which they began. */
  Map<CaseKey, List<Group>> cases() {
    Map<CaseKey, List<Group>> cases = new LinkedHashMap<>();
    rows.stream()
        .collect(
            groupingBy(
                row -> new CaseKey(row.suite(), row.caseName(), row.latencyMillis()),
                LinkedHashMap::new,
                collectingAndThen(toList(), Results::bySubject)))
        .forEach(cases::put);
    return cases;
  }

  private static List<Group> bySubject(List<Row> rows) {
    return rows.stream()
        .collect(groupingBy(Row::subject, LinkedHashMap::new, toList()))
        .values()
        .stream()
        .map(
            rounds -> {
              Row first = rounds.get(0);
              return new Group(
                  first.suite(), first.caseName(), first.latencyMillis(), first.subject(), rounds);
            })
        .toList();
  }

  Optional<Group> find(Suite suite, String caseName, int latencyMillis, String subject) {
    return cases().getOrDefault(new CaseKey(suite, caseName, latencyMillis), List.of()).stream()
        .filter(group -> group.subject().equals(subject))
        .findFirst();
  }

  /** The suites of which there are rows. */
  List<Suite> suites() {
    return rows.stream().map(Row::suite).distinct().toList();
  }
}
