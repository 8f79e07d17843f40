package io.zerorename.benchmark;

import java.io.IOException;

/** One subject in one case, which can be measured again and again. */
interface Trial {
  /** The subject's name in the report. */
  String subject();

  /** How long {@link #run} takes on two quiet processors, by experience. */
  double estimatedSeconds();

  /** How many requests {@link #run} sends to S3, by experience. */
  double estimatedRequests();

  /**
   * Measures once.
   *
   * @param round from 1; what a round has written is not in the way of the next
   */
  Sample run(int round) throws IOException, InterruptedException;
}
