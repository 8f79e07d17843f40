package io.zerorename.benchmark;

import static java.util.stream.Collectors.joining;

import io.zerorename.report.Cost;
import io.zerorename.report.S3Prices;
import io.zerorename.report.SlowServer;
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
    List<Row> rows,
    Optional<Cost> cost) {
  Results {
    rows = List.copyOf(rows);
  }

  private List<SuiteTable> tables() {
    return rows.stream()
        .map(Row::suite)
        .distinct()
        .map(suite -> SuiteTable.of(suite, rows))
        .toList();
  }

  /** report.json, for Jackson. */
  Map<String, Object> json() {
    Map<String, Object> conditions = new LinkedHashMap<>();
    conditions.put("rounds", options.rounds);
    conditions.put("latenciesMs", options.latencies);
    conditions.put("copyMegabytesPerSecond", SlowServer.COPY_RATE);
    conditions.put("uploadMegabytesPerSecond", SlowServer.UPLOAD_RATE);
    conditions.put("quick", options.quick);
    options.endpoint().ifPresent(it -> conditions.put("endpoint", it.url().toString()));
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("time", time);
    json.put("machine", machine);
    json.put("conditions", conditions);
    json.put("words", conditions());
    cost.ifPresent(it -> json.put("cost", it));
    json.put("prices", S3Prices.LISTED);
    json.put("tables", tables());
    json.put("rows", rows);
    return json;
  }

  /** tables.md, to paste into pages, and what a terminal shows. */
  String markdown() {
    return tables().stream()
        .map(table -> "\n### " + table.suite() + "\n\n" + table.markdown())
        .collect(joining("", conditions() + "\n", ""));
  }

  /** Where, when, with which versions and how slow a server it was measured. */
  private String conditions() {
    return ("%s UTC, up to %d rounds in turns, medians with least and most. Hadoop %s, Hive %s,"
            + " Tez %s, Java %s on %s, %s processors%s; zero-rename %s. %s")
        .formatted(
            time.toString().substring(0, 16).replace('T', ' '),
            options.rounds,
            machine.get("hadoop"),
            machine.get("hive"),
            machine.get("tez"),
            machine.get("java"),
            machine.get("system"),
            machine.get("processors"),
            options.endpoint().isPresent() ? "" : ", which also run the S3 server",
            machine.get("zeroRename"),
            model() + cost.map(it -> " " + it.text()).orElse(""));
  }

  private String model() {
    return options.endpoint().isPresent()
        ? "Requests go to %s through a gateway on this machine, which counts them and adds well below a millisecond."
            .formatted(options.endpoint().get().url())
        : "Where a delay is given, each request waits for that long, a copy by the server takes its size at %d MB/s, and each connection uploads at up to %d MB/s. At 0 ms nothing is added. The suite upload sends %d MB in each run."
            .formatted(SlowServer.COPY_RATE, SlowServer.UPLOAD_RATE, options.uploadMegabytes);
  }
}
