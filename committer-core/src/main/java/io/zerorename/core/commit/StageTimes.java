package io.zerorename.core.commit;

import io.zerorename.core.store.Failures;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import org.apache.hadoop.util.functional.CallableRaisingIOE;

/** Measures the stages of one commit. */
final class StageTimes {
  private final Map<CommitStage, Duration> times = new EnumMap<>(CommitStage.class);

  <T> T measure(CommitStage stage, CallableRaisingIOE<T> work) throws IOException {
    long start = System.nanoTime();
    try {
      return work.apply();
    } finally {
      times.put(stage, Duration.ofNanos(System.nanoTime() - start));
    }
  }

  void measure(CommitStage stage, Failures.Step step) throws IOException {
    measure(
        stage,
        () -> {
          step.run();
          return null;
        });
  }

  Map<CommitStage, Duration> all() {
    return times;
  }
}
