package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.log.OldObject;
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
import org.apache.hadoop.util.functional.RemoteIterators;

/**
 * Executes an entry of the log, stage by stage: {@link CompleteStage}; {@link FinalizeFollowed} and
 * {@link DeleteReplaced}; markers of emptied directories. Every step may be repeated, by any
 * process under an entry of its own. The protocol page has the steps, "Executing".
 */
public final class ExecuteEntry {
  private final ObjectStores stores;
  private final CommitLog log;
  private final LogTail tail;
  private final CommitSettings settings;
  private final CompletedEtags etags;
  private final LongAdder visible = new LongAdder();

  private final FingerprintSet seen;

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
   * @param forceClosed whether an operator has force-closed the entry meanwhile, so that it was
   *     left
   * @param superseded followed entries of which nothing is left
   */
  public record Result(List<Path> lost, boolean forceClosed, List<LogEntry> superseded) {}

  /**
   * @param entry of this process, which no other process executes
   * @param target the entry that decides the job: the same, or the one that is resumed or
   *     force-closed
   * @param plan of the target
   * @param fresh whether what is there is surely what was planned with
   */
  public Result run(
      LogEntry entry,
      LogEntry target,
      CommitPlan plan,
      CallableRaisingIOE<Boolean> fresh,
      Workers workers,
      StageTimes times)
      throws IOException {
    Execution execution =
        new Execution(stores, log, settings, etags, entry, target, plan, fresh, workers);
    CompleteStage complete = new CompleteStage(execution, visible);
    boolean forceClosed = !times.measure(CommitStage.COMPLETE, complete::run);
    List<Path> lost = execution.lost;
    // Where a file is lost, an operator decides whether the old ones are deleted.
    boolean damaged = !lost.isEmpty() && target.kind().replaces() && !execution.forceCloses();
    if (forceClosed || damaged) {
      return new Result(lost, forceClosed, List.of());
    }
    List<LogEntry> superseded = times.measure(CommitStage.REPLACE, () -> replace(execution));
    times.measure(CommitStage.PUBLISH, () -> keepDirectories(execution));
    return new Result(lost, false, superseded);
  }

  private List<LogEntry> replace(Execution execution) throws IOException {
    FinalizeFollowed.Result followed = new FinalizeFollowed(execution, tail, seen).run();
    DeleteReplaced deletion = new DeleteReplaced(stores);
    deletion.run(replaced(execution), execution::isFresh, execution.workers);
    deletion.delete(followed.plans(), execution.workers);
    followed.plans().forEach(FollowedPlan::release);
    return followed.superseded();
  }

  private static RemoteIterator<List<OldObject>> replaced(Execution execution) {
    if (!execution.lost.isEmpty() && !execution.target.kind().replaces()) {
      // Such an entry has ended for good, and is not executed again without the lost files.
      return RemoteIterators.remoteIteratorFromIterable(List.of());
    }
    return RemoteIterators.mappingRemoteIterator(
        execution.plan.replacedByChunk(),
        chunk -> chunk.stream().filter(it -> !execution.isCeded(it.directory())).toList());
  }

  /**
   * Writes a directory marker where an overwrite leaves no object, because S3A takes a directory
   * without any object for absent. One request per directory.
   */
  private void keepDirectories(Execution execution) throws IOException {
    RemoteIterator<List<Path>> chunks = execution.plan.markersByChunk();
    while (chunks.hasNext()) {
      execution.workers.forEach(
          chunks.next().stream().filter(it -> !execution.isCeded(it)).toList(),
          it ->
              stores
                  .forPath(it)
                  .putObject(ObjectKeys.prefixOf(it), RepeatableBody.of(new byte[0]), Map.of()));
    }
  }
}
