package io.zerorename.core.commit;

import io.zerorename.core.commit.CommitReport.Stage;
import io.zerorename.core.parallel.Uninterrupted;
import io.zerorename.core.store.Failures;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

/** Measures the stages of one commit. */
public final class StageTimes {
  private final Map<Stage, Duration> times = new EnumMap<>(Stage.class);

  <T> T measure(Stage stage, Uninterrupted.Work<T> work) throws IOException {
    long start = System.nanoTime();
    try {
      return work.run();
    } finally {
      times.put(stage, Duration.ofNanos(System.nanoTime() - start));
    }
  }

  void measure(Stage stage, Failures.Step step) throws IOException {
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
