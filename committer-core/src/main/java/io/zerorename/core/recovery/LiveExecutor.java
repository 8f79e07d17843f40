package io.zerorename.core.recovery;

import io.zerorename.core.job.RunningCommit;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.log.ProcessIdentity;
import io.zerorename.core.manifest.MalformedManifestException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds the process that may be executing an entry, which is then left to it. */
record LiveExecutor(CommitLog log) {
  /** How long a process that nothing stops may have requests under way. */
  static final Duration LONGEST_UNSTOPPED = Duration.ofMinutes(21);

  private static final Logger LOG = LoggerFactory.getLogger(LiveExecutor.class);

  /**
   * The process that may be executing an entry, under that entry or by a RESUME.
   *
   * @param tail in which the entry was found
   * @param grace how long a process of another machine is left alone
   * @return a process in a person's words; empty where none can be at work
   */
  Optional<String> of(LogEntry target, LogTail tail, Duration grace) throws IOException {
    if (RunningCommit.exists(target.job().id())) {
      return Optional.of("this process");
    }
    for (long number : tail.notEnded()) {
      Optional<LogEntry> entry = number == target.number() ? Optional.of(target) : readable(number);
      if (entry.filter(it -> it.target() == target.number()).isPresent()
          && mayRun(entry.get().executor(), tail.written(number), grace)) {
        return Optional.of(entry.get().executor().toString());
      }
    }
    return Optional.empty();
  }

  /**
   * Whether a process may be executing an entry of which nothing can be aborted, so that only time
   * ends what it has under way.
   *
   * @param entry as far as it can be read; one that cannot does not say whose it is
   * @param grace zero where an operator knows that the process is dead
   */
  boolean mayRunUnstopped(long number, Optional<LogEntry> entry, LogTail tail, Duration grace)
      throws IOException {
    if (grace.isZero()) {
      return false;
    }
    Duration longest = grace.compareTo(LONGEST_UNSTOPPED) < 0 ? LONGEST_UNSTOPPED : grace;
    return entry.isPresent()
        ? of(entry.get(), tail, longest).isPresent()
        : !tail.written(number).plus(longest).isBefore(log.now());
  }

  /** An entry that cannot be read does not say whom it executes; two may execute the same. */
  private Optional<LogEntry> readable(long number) throws IOException {
    try {
      return log.read(number);
    } catch (MalformedManifestException e) {
      LOG.debug("Entry {} is passed over", log.location(number), e);
      return Optional.empty();
    }
  }

  private boolean mayRun(ProcessIdentity process, Instant written, Duration grace)
      throws IOException {
    // This process does not work on this job: it asks.
    boolean gone =
        process.equals(ProcessIdentity.current())
            || process.isAlive().filter(alive -> !alive).isPresent();
    return !gone && !grace.isZero() && !written.plus(grace).isBefore(log.now());
  }
}
