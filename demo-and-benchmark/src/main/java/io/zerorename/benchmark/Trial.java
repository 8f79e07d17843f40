package io.zerorename.benchmark;

import io.zerorename.report.SlowServer;
import java.io.IOException;

/**
 * One subject in one case, which can be measured again and again.
 *
 * @param caseName what is written, such as {@code T20xF50-100KB}
 * @param subject what writes it, by its name in the report
 * @param isTypical whether it is measured without a delay too, where others are measured with one
 * @param isLong whether a quick run leaves it out
 * @param estimatedRequests that a run sends to S3, by experience
 */
record Trial(
    String caseName,
    String subject,
    boolean isTypical,
    boolean isLong,
    double estimatedRequests,
    Run run) {
  /** What is measured. */
  @FunctionalInterface
  interface Run {
    /**
     * Measures once.
     *
     * @param server as slow as the case says
     * @param round from 1; what a round has written is not in the way of the next
     */
    Sample run(SlowServer server, int round) throws IOException, InterruptedException;
  }
}
