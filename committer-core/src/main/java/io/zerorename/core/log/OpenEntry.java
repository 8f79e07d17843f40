package io.zerorename.core.log;

import java.io.IOException;

/**
 * An entry of a log that a process executes, with its plan. Another process may end it meanwhile.
 */
public record OpenEntry(CommitLog log, LogEntry entry, CommitPlan plan) {
  /**
   * Whether it is open at a moment after the call began. One request, or one more if another may
   * have its number.
   */
  public boolean isOpen() throws IOException {
    LogTail now = log.tailDownTo(entry.number());
    return !now.isEnded(entry.number()) && !log.isOfAnother(entry, now);
  }
}
