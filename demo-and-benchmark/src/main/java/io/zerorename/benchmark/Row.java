package io.zerorename.benchmark;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.zerorename.benchmark.BenchmarkOptions.Suite;

/**
 * One run, as it stands in report.json.
 *
 * @param caseName what was written, such as {@code T20xF50-100KB}
 * @param subject what wrote it
 * @param title the subject's name for a person
 * @param latencyMillis that were added to each request
 * @param round from 1
 * @param dollars for the requests
 */
record Row(
    Suite suite,
    @JsonProperty("case") String caseName,
    String subject,
    String title,
    @JsonProperty("latencyMs") int latencyMillis,
    int round,
    @JsonUnwrapped Sample sample,
    double dollars) {}
