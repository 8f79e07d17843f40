package io.zerorename.demo;

import io.zerorename.report.Cost;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * All that one run of the demo found out.
 *
 * @param engine that ran the statement
 * @param machine what it ran on, for people who compare reports
 * @param sql the statement that was measured, with a placeholder for the table
 * @param rowsEqual whether the check of rows held
 * @param statsEqual whether the check of the metastore held, where there is one
 * @param cost of a run on an S3 that is not on this machine
 * @param measurements as it comes, with the remedy of the engine, with the committer
 */
record Report(
    Instant time,
    DemoOptions options,
    EngineFacts engine,
    Map<String, String> machine,
    String sql,
    List<Measurement> measurements,
    boolean rowsEqual,
    Optional<Boolean> statsEqual,
    List<Check> checks,
    Optional<Cost> cost) {

  Report {
    measurements = List.copyOf(measurements);
    checks = List.copyOf(checks);
  }

  boolean passed() {
    return checks.stream().allMatch(Check::passed);
  }

  Measurement stock() {
    return measurements.get(0);
  }

  /** With the remedy of the engine. */
  Measurement remedy() {
    return measurements.get(1);
  }

  Measurement ours() {
    return measurements.get(2);
  }

  /**
   * report.json. Scripts rely on the keys {@code stock}, {@code stockScratch} (with Spark {@code
   * stockV2}), {@code zerorename}, {@code rowsEqual} and {@code statsEqual} (not with Spark), and
   * in each way on {@code seconds}, {@code files}, {@code rows}, {@code bytes}, {@code requests},
   * {@code requestsTotal} and {@code copyRequests}; there may be more.
   */
  Map<String, Object> json() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("ways", measurements.stream().map(it -> it.way().key()).toList());
    for (Measurement measurement : measurements) {
      json.put(measurement.way().key(), measurement.json(engine.phases().keySet()));
    }
    json.put("rowsEqual", rowsEqual);
    statsEqual.ifPresent(equal -> json.put("statsEqual", equal));
    engine.withoutStatistics().ifPresent(reason -> json.put("withoutStatistics", reason));
    json.put("passed", passed());
    json.put("checks", checks);
    json.put("scale", options.scale());
    json.put("partitions", options.partitions);
    json.put("fileMb", options.fileMegabytes);
    json.put("tasks", options.tasks);
    json.put("merge", options.merge);
    json.put("format", options.format);
    json.put("engine", options.engine);
    json.put("engineTitle", engine.title());
    Map<String, String> phases = new LinkedHashMap<>();
    engine.phases().forEach((phase, words) -> phases.put(phase.key(), words));
    json.put("phases", phases);
    json.put("latencyMs", options.latencyMillis);
    cost.ifPresent(it -> json.put("cost", it));
    json.put("sql", sql);
    json.put("time", time);
    json.put("machine", machine);
    return json;
  }
}
