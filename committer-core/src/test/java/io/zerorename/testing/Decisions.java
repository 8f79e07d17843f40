package io.zerorename.testing;

import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import java.io.IOException;

/** Decides jobs as a job commit does, whatever others have decided meanwhile. */
public final class Decisions {
  private Decisions() {}

  public static LogEntry decide(CommitLog log, LogEntry draft, LogTail tail) throws IOException {
    return log.decideWhile(met -> true, draft, tail).orElseThrow();
  }
}
