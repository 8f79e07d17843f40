package io.zerorename.demo;

import io.zerorename.testing.hive.Phase;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * report.json. Scripts rely on the keys {@code stock}, {@code stockScratch} (with Spark {@code
 * stockV2}), {@code zerorename}, {@code rowsEqual} and {@code statsEqual} (not with Spark), and in
 * each way on {@code seconds}, {@code files}, {@code rows}, {@code bytes}, {@code requests}, {@code
 * requestsTotal} and {@code copyRequests}; there may be more.
 */
final class JsonReport {
  private JsonReport() {}

  static Map<String, Object> of(Report report) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("ways", report.measurements().stream().map(it -> it.way().key()).toList());
    for (Measurement measurement : report.measurements()) {
      json.put(measurement.way().key(), way(measurement, report.engine().phases().keySet()));
    }
    json.put("rowsEqual", report.rowsEqual());
    report.statsEqual().ifPresent(equal -> json.put("statsEqual", equal));
    report.engine().withoutStatistics().ifPresent(reason -> json.put("withoutStatistics", reason));
    json.put("passed", report.passed());
    json.put("checks", report.checks());
    DemoOptions options = report.options();
    json.put("scale", options.scale);
    json.put("partitions", options.partitions);
    json.put("fileMb", options.fileMegabytes);
    json.put("tasks", options.tasks);
    json.put("merge", options.merge);
    json.put("format", options.format);
    json.put("engine", options.engine);
    json.put("engineTitle", report.engine().title());
    Map<String, String> phases = new LinkedHashMap<>();
    report.engine().phases().forEach((phase, words) -> phases.put(phase.key(), words));
    json.put("phases", phases);
    json.put("latencyMs", options.latencyMillis);
    report.cost().ifPresent(cost -> json.put("cost", cost));
    json.put("sql", report.sql());
    json.put("time", report.time());
    json.put("machine", report.machine());
    return json;
  }

  private static Map<String, Object> way(Measurement measurement, Set<Phase> shown) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("title", measurement.way().title());
    json.put("seconds", measurement.seconds());
    Map<String, Double> phases = new LinkedHashMap<>();
    Map<String, Object> requestsByPhase = new LinkedHashMap<>();
    for (Phase phase : shown) {
      phases.put(phase.key(), measurement.seconds(phase));
      requestsByPhase.put(phase.key(), measurement.requestsByPhase().getOrDefault(phase, Map.of()));
    }
    json.put("phases", phases);
    json.put("partitions", measurement.partitions().size());
    json.put("files", measurement.files().size());
    json.put("rows", measurement.rows());
    json.put("bytes", measurement.bytes());
    json.put("requests", measurement.requests().byApiName());
    json.put("requestsByPhase", requestsByPhase);
    json.put("requestsTotal", measurement.requests().total());
    json.put("requestsPerFile", measurement.requestsPerFile());
    json.put("copyRequests", measurement.requests().copies());
    json.put("bytesCopied", measurement.requests().bytesCopied());
    json.put("bytesUploaded", measurement.requests().bytesUploaded());
    json.put("bytesDownloaded", measurement.requests().bytesDownloaded());
    json.put("committer", measurement.committerLines());
    return json;
  }
}
