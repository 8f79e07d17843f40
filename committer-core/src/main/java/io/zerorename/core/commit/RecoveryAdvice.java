package io.zerorename.core.commit;

import static java.util.stream.Collectors.joining;

import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.store.ObjectKeys;
import org.apache.hadoop.fs.Path;

/** The command that repairs a commit, for messages. */
public final class RecoveryAdvice {
  private RecoveryAdvice() {}

  /** The command line for the job, with the roots that do not lie below its destination. */
  public static String of(OutputJob job) {
    return "zerorename recover "
        + job.roots().stream()
            .filter(root -> !ObjectKeys.isAtOrBelow(root, job.destination()))
            .map(root -> "--also " + root + " ")
            .collect(joining())
        + job.destination();
  }

  /** The command line for a commit at a destination that must not be completed, in a sentence. */
  public static String toGiveUp(Path destination) {
    return "zerorename status "
        + destination
        + " shows the id of its job; end it by: zerorename recover --give-up --without-metastore"
        + " --job <id> "
        + destination;
  }

  /** The message of an entry that no process resumes by itself, and why. */
  public static String afterInterruption(LogEntry entry, String reason) {
    return ("ZR-1130: %s was committed as entry %s and interrupted. It is not completed"
            + " automatically: %s Look at the data, then run: %s")
        .formatted(entry.job().description(), entry.number(), reason, of(entry.job()));
  }
}
