package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.EntryKind;
import io.zerorename.core.log.EntryState;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.RepeatableBody;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.CallableRaisingIOE;

/**
 * Executes an entry of the log, stage by stage: {@link CompleteStage}; {@link FinalizeFollowed} and
 * {@link DeleteReplaced}; markers of emptied directories. Every step may be repeated, by any
 * process, and by several at a time. The protocol page has the steps, "Executing".
 */
public final class ExecuteEntry {
  private final ObjectStores stores;
  private final CommitLog log;
  private final LogTail tail;
  private final CommitSettings settings;
  private final CompletedEtags etags;
  private final LongAdder visible = new LongAdder();

  private final FingerprintSet seen;
  private volatile boolean replacing;

  /**
   * @param tail what was read of the log, which is not read again
   * @param etags gets the ETag of each object that is completed
   * @param seen identities of files of followed entries that have been visible, which cannot appear
   *     again, although another program may have deleted them since
   */
  public ExecuteEntry(
      ObjectStores stores,
      CommitLog log,
      LogTail tail,
      CommitSettings settings,
      CompletedEtags etags,
      FingerprintSet seen) {
    this.stores = requireNonNull(stores, "stores");
    this.log = requireNonNull(log, "log");
    this.tail = requireNonNull(tail, "tail");
    this.settings = requireNonNull(settings, "settings");
    this.etags = requireNonNull(etags, "etags");
    this.seen = requireNonNull(seen, "seen");
  }

  /** How many files of the plan are visible by now. */
  long visibleFiles() {
    return visible.sum();
  }

  /**
   * How an execution went.
   *
   * @param lost files that never will be visible
   * @param superseded followed entries of which nothing is left
   */
  public record Result(Outcome outcome, List<Path> lost, List<LogEntry> superseded) {
    private static Result of(Outcome outcome) {
      return new Result(outcome, List.of(), List.of());
    }

    public Result {
      lost = List.copyOf(lost);
      superseded = List.copyOf(superseded);
    }
  }

  /** How far an execution has come. */
  public enum Outcome {
    /** The engine's part is left, and the marker. */
    EXECUTED,
    /** Another process has ended the entry. */
    ENDED_BY_OTHERS,
    /** Files are gone, and a later entry that replaces them has to end before this one. */
    BEHIND_LATER,
    /** Files of an overwrite are lost, so that nothing was deleted. */
    HALTED
  }

  /** Whether an execution may have deleted something. */
  boolean hasReplaced() {
    return replacing;
  }

  /**
   * @param entry which decides the job of the plan
   * @param fresh whether what is there is surely what was planned with
   * @param giveUp whether uploads that are pending are aborted, and what is lost then does not
   *     matter; an operator has said so in the log
   */
  public Result run(
      LogEntry entry,
      CommitPlan plan,
      CallableRaisingIOE<Boolean> fresh,
      boolean giveUp,
      Workers workers,
      StageTimes times)
      throws IOException {
    if (tail.state(entry.number()) == EntryState.METASTORE_OPEN) {
      return Result.of(Outcome.EXECUTED);
    }
    Execution execution =
        new Execution(
            stores,
            log,
            settings,
            entry,
            plan,
            fresh,
            new UploadCompletion(stores, etags),
            workers);
    CompleteStage.Result files =
        times.measure(
            CommitStage.COMPLETE, () -> new CompleteStage(execution, visible).run(giveUp));
    List<Path> lost = files.lost();
    boolean replaces = entry.kind() == EntryKind.REPLACE;
    if (files.end() == CompleteStage.End.ENDED_BY_OTHERS) {
      return Result.of(Outcome.ENDED_BY_OTHERS);
    }
    if (files.end() == CompleteStage.End.BEHIND_LATER) {
      return Result.of(Outcome.BEHIND_LATER);
    }
    if (replaces && !lost.isEmpty() && !giveUp) {
      return new Result(Outcome.HALTED, lost, List.of());
    }
    replacing = true;
    List<LogEntry> superseded =
        times.measure(
            CommitStage.REPLACE, () -> replace(execution, replaces || lost.isEmpty(), giveUp));
    times.measure(CommitStage.PUBLISH, () -> keepDirectories(execution));
    return new Result(Outcome.EXECUTED, lost, superseded);
  }

  /**
   * @param old whether the old objects are deleted; not those that are named one by one by an entry
   *     that has lost files, which is not executed again without them
   * @param giveUp whether followed entries that have ended and cannot be read are left out
   */
  private List<LogEntry> replace(Execution execution, boolean old, boolean giveUp)
      throws IOException {
    FinalizeFollowed.Result followed = new FinalizeFollowed(execution, tail, seen, giveUp).run();
    DeleteReplaced deletion = new DeleteReplaced(stores);
    if (old) {
      deletion.run(execution.plan().replacedByChunk(), execution.fresh(), execution.workers());
    }
    deletion.delete(followed.plans(), execution.workers());
    followed.plans().forEach(FollowedPlan::release);
    return followed.superseded();
  }

  /**
   * Writes a directory marker where an overwrite leaves no object, because S3A takes a directory
   * without any object for absent. One request per directory.
   */
  private void keepDirectories(Execution execution) throws IOException {
    RemoteIterator<List<Path>> chunks = execution.plan().markersByChunk();
    while (chunks.hasNext()) {
      execution
          .workers()
          .forEach(
              chunks.next(),
              it ->
                  stores
                      .forPath(it)
                      .putObject(
                          ObjectKeys.prefixOf(it), RepeatableBody.of(new byte[0]), Map.of()));
    }
  }
}
