package io.zerorename.core.commit;

import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.EntryKind;
import io.zerorename.core.log.EntryState;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.log.OpenEntry;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.RepeatableBody;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.CallableRaisingIOE;

/**
 * Executes one entry of the log, stage by stage: {@link CompleteUploads}; {@link FinalizeFollowed}
 * and {@link DeleteReplaced}; markers of emptied directories. {@link OpenCommit} ends it. The job's
 * own process, a later one, a recovery and an operator who gives an entry up all execute it so:
 * every step may be repeated, by any process, and by several at a time. The protocol page has the
 * steps, "Executing".
 */
public final class EntryExecutor {
  /**
   * How long after the listing of old files they are taken to be what was listed, and to have been
   * touched by no other process.
   */
  private static final Duration ALONE = Duration.ofSeconds(30);

  private final ObjectStores stores;
  private final OpenEntry open;
  private final CommitSettings settings;
  private final Workers workers;
  private final LongAdder visible = new LongAdder();
  private volatile OldFiles oldFiles = OldFiles.KEPT;

  public EntryExecutor(ObjectStores stores, OpenEntry open, CommitSettings settings) {
    this.stores = stores;
    this.open = open;
    this.settings = settings;
    this.workers = settings.workers();
  }

  /** How many files of the plan are visible by now. */
  public long visibleFiles() {
    return visible.sum();
  }

  /** How far it has come as far as this process knows: others may have done more. */
  public String state() {
    int files = open.plan().fileCount();
    return (visible.sum() == files
            ? "All of its files are in place; "
            : visible + " of its " + files + " files are known to be in place; ")
        + switch (oldFiles) {
          case KEPT -> "this process has deleted no old file.";
          case BEING_DELETED -> "old files may be visible beside them.";
          case DELETED -> "what it replaces is deleted.";
        };
  }

  /** What this process knows of the files that the entry replaces. */
  private enum OldFiles {
    KEPT,
    BEING_DELETED,
    DELETED
  }

  /**
   * How an execution went.
   *
   * @param lost files that never will be visible, in order
   * @param superseded followed entries of which nothing is left
   */
  public record Result(Outcome outcome, List<Path> lost, List<LogEntry> superseded) {
    static Result of(Outcome outcome) {
      return new Result(outcome, List.of(), List.of());
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
    /** Files of an overwrite are lost, so that this process has deleted nothing. */
    HALTED
  }

  /**
   * Executes the entry.
   *
   * @param tail what was read of the log, which is not read again
   * @param giveUp whether uploads that are pending are aborted, and what is lost then does not
   *     matter; an operator has said so in the log
   */
  public Result run(LogTail tail, boolean giveUp) throws IOException {
    return run(
        tail, giveUp, new FingerprintSet(), Optional.empty(), new EnumMap<>(CommitStage.class));
  }

  /**
   * The same.
   *
   * @param seen identities of files of followed entries that have been visible, which cannot appear
   *     again, although another program may have deleted them since
   * @param listed when this process began to list the old files; empty where another has
   */
  Result run(
      LogTail tail,
      boolean giveUp,
      FingerprintSet seen,
      Optional<ListingTime> listed,
      Map<CommitStage, Duration> times)
      throws IOException {
    CommitLog log = open.log();
    LogEntry entry = open.entry();
    CommitPlan plan = open.plan();
    if (tail.state(entry.number()) == EntryState.METASTORE_OPEN) {
      List<Path> lost = log.lost(entry.number(), tail);
      visible.add(plan.fileCount() - lost.size());
      oldFiles = deletesOld(lost) ? OldFiles.DELETED : OldFiles.KEPT;
      return new Result(Outcome.EXECUTED, lost, List.of());
    }
    UploadCompletion completion = new UploadCompletion(stores, settings);
    UploadCompletion own =
        plan.job().plainNames() ? completion.ofPlainNames(upload -> false) : completion;
    CallableRaisingIOE<Boolean> fresh =
        () -> listed.isPresent() && listed.get().isWithin(ALONE, log);
    Result files =
        CommitStage.COMPLETE.measure(
            times,
            () -> new CompleteUploads(stores, log, entry, plan, own, workers, giveUp).run(visible));
    if (files.outcome() != Outcome.EXECUTED) {
      return files;
    }
    boolean deletesOld = deletesOld(files.lost());
    List<LogEntry> superseded =
        CommitStage.REPLACE.measure(
            times,
            () -> {
              FinalizeFollowed.Result followed =
                  new FinalizeFollowed(log, tail, entry, completion, workers)
                      .run(plan, seen, giveUp);
              DeleteReplaced deletion = new DeleteReplaced(stores, workers);
              if (deletesOld) {
                oldFiles = OldFiles.BEING_DELETED;
                deletion.run(plan.replacedByChunk(), fresh);
              }
              // A statement that an engine has run itself has written what others may have listed.
              for (CommitPlan its : plan.isEmpty() ? List.<CommitPlan>of() : followed.plans()) {
                deletion.run(followed.replacedByFollowed(its, entry.replaced()), () -> false);
              }
              deletion.deleteFollowed(followed.plans(), entry.replaced());
              return followed.superseded();
            });
    CommitStage.PUBLISH.measure(times, () -> writeMarkers(plan));
    oldFiles = deletesOld ? OldFiles.DELETED : OldFiles.KEPT;
    return new Result(Outcome.EXECUTED, files.lost(), superseded);
  }

  /**
   * Whether it replaces something, and does so. An ADD may replace single objects: they stay where
   * files of it are lost, because it ends without these and no operator is asked before.
   */
  private boolean deletesOld(List<Path> lost) {
    return open.entry().kind() == EntryKind.REPLACE
        || (lost.isEmpty() && open.plan().replacedCount() > 0);
  }

  /**
   * Writes a directory marker where an overwrite leaves no object, because S3A takes a directory
   * without any object for absent. One request per directory.
   */
  private void writeMarkers(CommitPlan plan) throws IOException {
    workers.forEach(
        plan.markers(),
        directory ->
            stores
                .forPath(directory)
                .putObject(
                    ObjectKeys.prefixOf(directory), RepeatableBody.of(new byte[0]), Map.of()));
  }
}
