package io.zerorename.core.log;

import java.io.IOException;

/** An entry that a process executes, with its plan. Meanwhile another process may end it. */
public record OpenEntry(CommitLog log, LogEntry entry, CommitPlan plan) {
  /** Whether it is open at a moment after the call began. One request. */
  public boolean isOpen() throws IOException {
    return !log.tailDownTo(entry.number()).isEnded(entry.number());
  }
}
