package io.zerorename.core.commit;

import io.zerorename.core.log.CommitLog;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Stream;

/**
 * When the listing of old files began, by each clock. A process that is paused behind an answer of
 * the store takes that for new, and so the store's clock for as far behind. The machine's two
 * clocks go on: one of them may be set back, the other may stand still while the machine sleeps.
 *
 * @param store by the clock of the log
 * @param machine by this machine's
 * @param nanos of {@link System#nanoTime}
 */
record ListingTime(Instant store, Instant machine, long nanos) {
  static ListingTime now(CommitLog log) throws IOException {
    return new ListingTime(log.now(), Instant.now(), System.nanoTime());
  }

  /** Whether less than a time has passed since, by every clock. */
  boolean isWithin(Duration time, CommitLog log) throws IOException {
    return Stream.of(
            Duration.between(store, log.now()),
            Duration.between(machine, Instant.now()),
            Duration.ofNanos(System.nanoTime() - nanos))
        .allMatch(passed -> passed.compareTo(time) < 0);
  }
}
