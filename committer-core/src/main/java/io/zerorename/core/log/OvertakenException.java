package io.zerorename.core.log;

import java.io.IOException;

/**
 * A job whose files keep the names that its engine gave them has lost its number to another: their
 * names could be the same. It decides nothing.
 */
public final class OvertakenException extends IOException {
  private static final long serialVersionUID = 1L;

  OvertakenException(OutputJob job, LogEntry by) {
    super(
        by.job().description()
            + " has been committed to "
            + job.destination()
            + " at the same time, as entry "
            + by.number()
            + ".");
  }
}
