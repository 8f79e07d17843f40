package io.zerorename.benchmark;

import java.io.IOException;

/**
 * One subject in one case, which can be measured again and again.
 *
 * @param subject its name in the report
 * @param isLong whether a quick run leaves it out
 * @param estimatedRequests that a run sends to S3, by experience
 */
record Trial(String subject, boolean isLong, double estimatedRequests, Run run) {
  /** What is measured. */
  @FunctionalInterface
  interface Run {
    /**
     * Measures once.
     *
     * @param round from 1; what a round has written is not in the way of the next
     */
    Sample run(int round) throws IOException, InterruptedException;
  }
}
