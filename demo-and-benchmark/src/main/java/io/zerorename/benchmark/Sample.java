package io.zerorename.benchmark;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Map;
import java.util.TreeMap;

/**
 * What one run of one subject has shown.
 *
 * @param files that it wrote and made visible; of checkpoints the batches or partitions
 * @param bytes in those files
 * @param seconds by part of the run: {@value #TASKS}, {@value #COMMIT}, {@value #TOTAL} in all
 *     suites, and more in some
 * @param requests to S3 by the name of their type in S3's API
 * @param measures everything else, with the unit in the name
 * @param note what a reader must know of this run; empty for nothing
 */
record Sample(
    long files,
    long bytes,
    Map<String, Double> seconds,
    Map<String, Long> requests,
    Map<String, Double> measures,
    String note) {
  static final String TASKS = "tasks";
  static final String COMMIT = "commit";
  static final String TOTAL = "total";

  Sample {
    requests = new TreeMap<>(requests);
    measures = new TreeMap<>(measures);
  }

  /** One of a suite that measures nothing else. */
  Sample(long files, long bytes, Map<String, Double> seconds, Map<String, Long> requests) {
    this(files, bytes, seconds, requests, Map.of(), "");
  }

  @JsonProperty
  long requestsTotal() {
    return requests.values().stream().mapToLong(Long::longValue).sum();
  }
}
