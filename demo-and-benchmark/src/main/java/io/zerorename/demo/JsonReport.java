package io.zerorename.demo;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.zerorename.report.CommandLine;
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

  static String of(Report report) throws JsonProcessingException {
    Map<String, Object> json = new LinkedHashMap<>();
    for (Measurement measurement : report.measurements()) {
      json.put(measurement.way().key(), way(measurement, report.engine().phases().keySet()));
    }
    json.put("rowsEqual", report.rowsEqual());
    report.statsEqual().ifPresent(equal -> json.put("statsEqual", equal));
    report.engine().withoutStatistics().ifPresent(reason -> json.put("withoutStatistics", reason));
    json.put("passed", report.passed());
    json.put(
        "checks",
        report.checks().stream()
            .map(
                check ->
                    Map.of(
                        "name", check.name(), "passed", check.passed(), "detail", check.detail()))
            .toList());
    DemoOptions options = report.options();
    json.put("scale", options.scale());
    json.put("partitions", options.partitions());
    json.put("fileMb", options.fileMegabytes());
    json.put("tasks", options.tasks());
    json.put("merge", options.merge());
    json.put("format", CommandLine.name(options.format()));
    json.put("engine", CommandLine.name(options.engine()));
    json.put("latencyMs", options.latencyMillis());
    report.cost().ifPresent(cost -> json.put("cost", cost.json()));
    json.put("sql", report.sql());
    json.put("time", report.time().toString());
    json.put("machine", report.machine());
    return new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValueAsString(json)
        + "\n";
  }

  private static Map<String, Object> way(Measurement measurement, Set<Phase> shown) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("seconds", measurement.seconds());
    Map<String, Double> phases = new LinkedHashMap<>();
    Map<String, Object> requestsByPhase = new LinkedHashMap<>();
    for (Phase phase : shown) {
      phases.put(phase.key(), measurement.seconds(phase));
      requestsByPhase.put(phase.key(), measurement.requestsByPhase().getOrDefault(phase, Map.of()));
    }
    json.put("phases", phases);
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
