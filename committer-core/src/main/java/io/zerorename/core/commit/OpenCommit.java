package io.zerorename.core.commit;

import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.EndNote;
import io.zerorename.core.log.EntryState;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.OpenEntry;
import io.zerorename.core.parallel.Uninterrupted;
import io.zerorename.core.parallel.Workers;
import java.io.IOException;
import java.util.function.Predicate;
import org.apache.hadoop.fs.Path;

/**
 * A commit whose files are all in place, but for those that are lost. Its engine does what it has
 * to do, and then ends it. Until then the entry counts as not ended: if the process dies, another
 * executes it.
 *
 * @param settings for the notes of the entries that it has superseded, for which a client waits
 */
public record OpenCommit(OpenEntry open, EntryExecutor.Result result, CommitSettings settings) {
  /** The entry that has decided the job. */
  public LogEntry entry() {
    return open.entry();
  }

  public CommitPlan plan() {
    return open.plan();
  }

  /** Whether files of it are lost. */
  public boolean isDamaged() {
    return !result.lost().isEmpty();
  }

  /**
   * Which of its directories later entries replace, by now: what a commit registers of these in the
   * metastore is the later one's business. One request, and one for each entry that may replace
   * something.
   */
  public Predicate<Path> replacedLater() throws IOException {
    return LaterEntries.than(entry(), open.log())::isEndedOrReplaced;
  }

  /**
   * Notes that nothing is left to do, the engine's part included. One request, which an interrupt
   * of the caller does not stop.
   *
   * @throws IOException where it could not be noted; everything was done all the same, and another
   *     process finds that out
   */
  public void end() throws IOException {
    mark(isDamaged() ? EntryState.DAMAGED : EntryState.COMPLETE);
  }

  /** The same, where partitions have yet to be registered in the metastore. */
  public void endWithoutMetastore() throws IOException {
    mark(EntryState.METASTORE_OPEN);
  }

  private void mark(EntryState state) throws IOException {
    Uninterrupted.call(
        () -> {
          CommitLog log = open.log();
          log.mark(entry(), state, EndNote.of(plan(), result.lost()));
          Workers workers = settings.workers();
          workers.forEach(
              result.superseded(), it -> log.mark(it, EntryState.SUPERSEDED, EndNote.NOTHING));
          return null;
        });
  }
}
