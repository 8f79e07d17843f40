package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.commit.Recovered.UnderWay;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Recovers open jobs, and waits for those that other processes may be at work on. */
final class AwaitJobs {
  static final Duration FIRST_PAUSE = Duration.ofMillis(250);
  private static final Duration LAST_PAUSE = Duration.ofSeconds(5);

  private final RecoverJob recovery;
  private final CommitLog log;
  private final Pauses.Sleep sleep;

  /**
   * @param sleep between two looks
   */
  AwaitJobs(RecoverJob recovery, CommitLog log, Pauses.Sleep sleep) {
    this.recovery = requireNonNull(recovery, "recovery");
    this.log = requireNonNull(log, "log");
    this.sleep = requireNonNull(sleep, "sleep");
  }

  /**
   * Waits until all are at their end, or the patience is.
   *
   * @return what was found at last, job by job
   */
  List<Recovered> run(List<OpenJob> jobs, Duration patience) throws IOException {
    Instant until = Instant.now().plus(patience);
    Map<String, Recovered> results = new LinkedHashMap<>();
    recovery.runAll(jobs, patience, false).forEach(result -> results.put(result.jobId(), result));
    Duration pause = FIRST_PAUSE;
    while (results.values().stream().anyMatch(UnderWay.class::isInstance)
        && Instant.now().isBefore(until)) {
      sleep.pause(pause, "Interrupted while another commit was waited for");
      pause = pause.multipliedBy(2).compareTo(LAST_PAUSE) < 0 ? pause.multipliedBy(2) : LAST_PAUSE;
      List<OpenJob> waitedFor =
          log.open().stream().filter(open -> results.get(open.id()) instanceof UnderWay).toList();
      // Whoever was at work has come to its end, unless it is found again.
      results.values().removeIf(UnderWay.class::isInstance);
      recovery
          .runAll(waitedFor, patience, false)
          .forEach(result -> results.put(result.jobId(), result));
    }
    return List.copyOf(results.values());
  }
}
