package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.parallel.Pauses;
import io.zerorename.core.store.PutDeadlines;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits until none of the processes that execute an entry can PUT a small file any more: each has
 * ended without doubt, or its write lease is over.
 */
final class WriteLeaseWait {
  private static final Logger LOG = LoggerFactory.getLogger(WriteLeaseWait.class);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

  private final CommitLog log;
  private final Pauses.Sleep sleep;
  private final Map<Long, Optional<LogEntry>> read = new HashMap<>();

  /**
   * @param sleep between two checks
   */
  WriteLeaseWait(CommitLog log, Pauses.Sleep sleep) {
    this.log = requireNonNull(log, "log");
    this.sleep = requireNonNull(sleep, "sleep");
  }

  /**
   * Waits. One request and one for each entry that has not ended, every few seconds.
   *
   * @param target the entry that they execute
   * @param below the number below which they count
   */
  void await(long target, long below) throws IOException {
    boolean logged = false;
    while (true) {
      Optional<Instant> until = latestEnd(target, below, log.tailDownTo(target));
      Instant now = log.now();
      if (until.isEmpty() || now.isAfter(until.get())) {
        return;
      }
      if (!logged) {
        LOG.info(
            "Another process may write small files of entry {} until {}, which is waited for",
            log.location(target),
            until.get());
        logged = true;
      }
      Duration rest = Duration.between(now, until.get()).plusMillis(1);
      sleep.pause(
          rest.compareTo(LONGEST_PAUSE) < 0 ? rest : LONGEST_PAUSE,
          "Interrupted while small files of another commit were waited for");
    }
  }

  /** Until when one of the executors may write; empty where none can. */
  private Optional<Instant> latestEnd(long target, long below, LogTail tail) throws IOException {
    Optional<Instant> latest = Optional.empty();
    for (long number : tail.numbers()) {
      if (number < target || number >= below || tail.isEndedForCertain(number)) {
        continue;
      }
      Optional<Instant> end =
          read(number)
              .filter(it -> it.target() == target)
              .flatMap(LogEntry::leaseEnd)
              .map(it -> it.plus(PutDeadlines.SETTLED));
      if (latest.isEmpty() || end.filter(latest.get()::isBefore).isPresent()) {
        latest = end;
      }
    }
    return latest;
  }

  private Optional<LogEntry> read(long number) throws IOException {
    Optional<LogEntry> known = read.get(number);
    if (known == null) {
      known = log.read(number);
      read.put(number, known);
    }
    return known;
  }
}
