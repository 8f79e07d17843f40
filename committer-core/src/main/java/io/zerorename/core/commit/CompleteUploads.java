package io.zerorename.core.commit;

import io.zerorename.core.commit.EntryExecutor.Outcome;
import io.zerorename.core.commit.EntryExecutor.Result;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.EntryKind;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.Path;

/**
 * Stage {@link CommitStage#COMPLETE}: makes the files of an entry visible, and finds out what has
 * become of those that stay absent. The protocol page has the table of that, "Executing".
 *
 * @param giveUp whether uploads that are pending are aborted instead
 */
record CompleteUploads(
    ObjectStores stores,
    CommitLog log,
    LogEntry entry,
    CommitPlan plan,
    UploadCompletion completion,
    Workers workers,
    boolean giveUp) {
  /**
   * @param visible counts the files that are in place, or replaced by a later entry
   * @throws IOException where another program's object is in the place of a file
   */
  Result run(LongAdder visible) throws IOException {
    Queue<PendingUpload> absent = new ConcurrentLinkedQueue<>();
    workers.forEach(
        plan.uploads(),
        plan.fileCount(),
        upload -> {
          if (isThere(upload)) {
            visible.increment();
          } else {
            absent.add(upload);
          }
        });
    if (absent.isEmpty()) {
      return Result.of(Outcome.EXECUTED);
    }
    Result result = withAbsent(absent);
    if (result.outcome() == Outcome.EXECUTED) {
      // Another process has completed them meanwhile, or a later entry replaces them.
      visible.add(absent.size() - result.lost().size());
    }
    return result;
  }

  private boolean isThere(PendingUpload upload) throws IOException {
    if (!giveUp) {
      return completion.complete(upload);
    }
    // The answer says little: MinIO gives the same to an abort of a completed upload.
    completion.abort(upload);
    return upload.isThere(stores);
  }

  private Result withAbsent(Collection<PendingUpload> absent) throws IOException {
    LaterEntries before = LaterEntries.than(entry, log);
    if (before.isEnded()) {
      return Result.of(Outcome.ENDED_BY_OTHERS);
    }
    // What a process has waited for that has left the entry: an upload that is gone stays so.
    Set<Path> lostBefore =
        before.isGone() ? Set.of() : Set.copyOf(log.lost(entry.number(), before.tail()));
    Map<Boolean, List<PendingUpload>> unsettled =
        absent.stream()
            .filter(byDirectory(before::isFinalized).negate())
            .collect(Collectors.partitioningBy(it -> lostBefore.contains(it.destination())));
    List<PendingUpload> awaited = unsettled.get(false);
    if (plan.job().plainNames() && !giveUp) {
      workers.forEach(awaited, this::refuseTaken);
    }
    List<PendingUpload> gone = new ArrayList<>(unsettled.get(true));
    gone.addAll(completion.await(awaited, rest -> withoutSettled(rest, before)));
    LaterEntries later = awaited.isEmpty() ? before : before.again(log);
    if (later.isEnded()) {
      return Result.of(Outcome.ENDED_BY_OTHERS);
    }
    gone.removeIf(byDirectory(later::isReplacedForGood));
    boolean replaces = entry.kind() == EntryKind.REPLACE;
    if (replaces && gone.stream().anyMatch(byDirectory(later::isEndedOrReplaced))) {
      // Readers have nothing but the old objects before the later entry has ended: they stay.
      return Result.of(Outcome.BEHIND_LATER);
    }
    gone.removeIf(byDirectory(later::isEndedOrReplaced));
    Outcome outcome = replaces && !gone.isEmpty() && !giveUp ? Outcome.HALTED : Outcome.EXECUTED;
    return new Result(
        outcome, gone.stream().map(PendingUpload::destination).sorted().toList(), List.of());
  }

  private void refuseTaken(PendingUpload upload) throws IOException {
    if (upload.head(stores).filter(it -> !upload.isIdentityOf(it)).isPresent()) {
      throw new IOException(
          ("ZR-1103: since this job began, another program has written %s, and that object was not"
                  + " changed. If it is not wanted, delete it; then complete this commit by"
                  + " zerorename recover.")
              .formatted(upload.destination()));
    }
  }

  /** While some are waited for, a later entry may settle them, or another process end the entry. */
  private List<PendingUpload> withoutSettled(List<PendingUpload> awaited, LaterEntries before)
      throws IOException {
    LaterEntries later = before.again(log);
    return later.isEnded()
        ? List.of()
        : awaited.stream().filter(byDirectory(later::isFinalized).negate()).toList();
  }

  /** Many files lie in few directories. */
  private static Predicate<PendingUpload> byDirectory(Predicate<Path> test) {
    Map<Path, Boolean> known = new HashMap<>();
    return file -> known.computeIfAbsent(file.destination().getParent(), test::test);
  }
}
