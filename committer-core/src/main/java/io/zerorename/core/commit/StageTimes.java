package io.zerorename.core.commit;

import io.zerorename.core.commit.CommitReport.Stage;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

/** Measures the stages of one commit. */
final class StageTimes {
  /** A stage that returns something. */
  @FunctionalInterface
  interface Work<T> {
    T run() throws IOException;
  }

  /** A stage that returns nothing. */
  @FunctionalInterface
  interface Step {
    void run() throws IOException;
  }

  private final Map<Stage, Duration> times = new EnumMap<>(Stage.class);

  <T> T measure(Stage stage, Work<T> work) throws IOException {
    long start = System.nanoTime();
    try {
      return work.run();
    } finally {
      times.put(stage, Duration.ofNanos(System.nanoTime() - start));
    }
  }

  void measure(Stage stage, Step step) throws IOException {
    measure(
        stage,
        () -> {
          step.run();
          return null;
        });
  }

  Map<Stage, Duration> all() {
    return times;
  }
}
