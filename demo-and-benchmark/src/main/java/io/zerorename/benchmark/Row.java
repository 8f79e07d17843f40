package io.zerorename.benchmark;

import io.zerorename.benchmark.BenchmarkOptions.Suite;

/**
 * One run, as it stands in the report.
 *
 * @param caseName what was written, such as {@code T20xF50-100KB}
 * @param subject what wrote it
 * @param round from 1
 */
record Row(
    Suite suite, String caseName, String subject, int latencyMillis, int round, Sample sample) {}
