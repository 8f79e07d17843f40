package io.zerorename.benchmark;

import java.util.List;

/**
 * What several subjects do in turns.
 *
 * @param name such as {@code T20xF50-100KB}
 * @param trials one per subject
 */
record Case(String name, int latencyMillis, List<Trial> trials) {
  Case {
    trials = List.copyOf(trials);
  }
}
