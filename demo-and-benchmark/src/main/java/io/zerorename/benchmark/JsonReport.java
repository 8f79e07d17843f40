package io.zerorename.benchmark;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** report.json. */
final class JsonReport {
  private JsonReport() {}

  static String of(Results results) throws JsonProcessingException {
    BenchmarkOptions options = results.options();
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("time", results.time().toString());
    json.put("machine", results.machine());
    Map<String, Object> conditions = new LinkedHashMap<>();
    conditions.put("rounds", options.rounds());
    conditions.put("latenciesMs", options.latencies().stream().map(options::addedMillis).toList());
    conditions.put("copyMegabytesPerSecond", options.copyRate());
    conditions.put("uploadMegabytesPerSecond", options.uploadRate());
    conditions.put("quick", options.quick());
    options.endpoint().ifPresent(it -> conditions.put("endpoint", it.url().toString()));
    results.cost().ifPresent(cost -> json.put("cost", cost.json()));
    json.put("conditions", conditions);
    json.put(
        "prices",
        Map.of(
            "date", results.prices().date(),
            "region", results.prices().region(),
            "writePerThousand", results.prices().write(),
            "readPerThousand", results.prices().read(),
            "deletePerThousand", results.prices().delete()));
    json.put("targets", Targets.of(results).stream().map(JsonReport::target).toList());
    json.put("rows", rows(results));
    return new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValueAsString(json)
        + "\n";
  }

  private static Map<String, Object> target(Target target) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("name", target.name());
    json.put("wanted", target.wanted());
    json.put("measured", target.measured());
    json.put("status", target.status().words());
    return json;
  }

  private static List<Map<String, Object>> rows(Results results) {
    return results.rows().stream()
        .map(
            row -> {
              Map<String, Object> json = new LinkedHashMap<>();
              json.put("suite", row.suite().key());
              json.put("case", row.caseName());
              json.put("subject", row.subject());
              json.put("latencyMs", results.options().addedMillis(row.latencyMillis()));
              json.put("round", row.round());
              json.put("files", row.sample().files());
              json.put("bytes", row.sample().bytes());
              json.put("seconds", row.sample().seconds());
              json.put("requestsTotal", row.sample().requestsTotal());
              json.put("requests", row.sample().requests());
              json.put("dollars", results.prices().dollars(row.sample().requests()));
              json.put("measures", row.sample().measures());
              json.put("note", row.sample().note());
              return json;
            })
        .toList();
  }
}
