package io.zerorename.core.commit;

import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.EndNote;
import io.zerorename.core.log.Ending;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectStores;
import java.io.IOException;
import java.time.Instant;
import java.util.Optional;

/** Begins to execute an entry that another process, or this one, has not completed. */
public record TakeOver(ObjectStores stores, CommitLog log) {
  /** The entry has to be left to an operator; nothing was changed. */
  public static final class NeedsOperatorException extends IOException {
    private NeedsOperatorException(String reason) {
      super(reason);
    }
  }

  /**
   * Writes a RESUME. It is followed by a check whether writers that do not use the log have changed
   * what the entry changes, unless all of its files are in place.
   *
   * @param byOperator nothing is left to an operator then
   * @return the RESUME
   */
  public LogEntry begin(
      LogEntry target, CommitPlan plan, LogTail tail, boolean byOperator, Workers workers)
      throws IOException {
    boolean careful = !byOperator && !tail.isInPlace(target.number());
    Instant written = tail.written(target.number());
    LogEntry own = log.resume(target, tail);
    if (careful) {
      Optional<String> foreign =
          new ForeignChanges(stores, log).find(target, plan, written, workers);
      if (foreign.isPresent()) {
        log.end(own, Ending.LEFT, EndNote.NOTHING);
        throw new NeedsOperatorException(foreign.get());
      }
    }
    return own;
  }
}
