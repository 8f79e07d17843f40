package io.zerorename.core.commit;

import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.EndNote;
import io.zerorename.core.log.EntryKind;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import org.apache.hadoop.fs.Path;

/** Stage {@link CommitStage#COMPLETE}: makes the files of an entry visible. */
final class CompleteStage {
  private final Execution execution;
  private final CommitPlan plan;
  private final LongAdder visible;
  private final Queue<PendingUpload> absent = new ConcurrentLinkedQueue<>();

  /**
   * @param visible counts the files that are visible
   */
  CompleteStage(Execution execution, LongAdder visible) {
    this.execution = execution;
    this.plan = execution.plan();
    this.visible = visible;
  }

  /**
   * What has become of the files.
   *
   * @param lost those that will never be visible, and that no later entry replaces; in order
   */
  record Result(End end, List<Path> lost) {
    private static Result of(End end) {
      return new Result(end, List.of());
    }
  }

  enum End {
    /** Each is there, or replaced, or lost. */
    SETTLED,
    /** Another process has ended the entry. */
    ENDED_BY_OTHERS,
    /** Some are gone, and a later entry that replaces them has to end before this one. */
    BEHIND_LATER
  }

  /**
   * @param giveUp whether uploads that are pending are aborted
   */
  Result run(boolean giveUp) throws IOException {
    FingerprintSet there =
        plan.job().plainNames() && !giveUp && !execution.fresh().apply()
            ? CommittedFiles.visible(plan, execution.stores(), execution.workers())
            : new FingerprintSet();
    execution
        .workers()
        .forEach(
            plan.uploads(),
            plan.fileCount(),
            upload -> {
              if (there.contains(upload.destination().toString())
                  || (giveUp ? isThereWithout(upload) : isThere(upload))) {
                visible.increment();
              }
            });
    return absent.isEmpty() ? Result.of(End.SETTLED) : withoutReplaced();
  }

  private boolean isThere(PendingUpload upload) throws IOException {
    boolean isThere = execution.completion().run(upload);
    if (!isThere) {
      absent.add(upload);
    }
    return isThere;
  }

  /** After an abort. Its answer says little: MinIO gives the same to that of a completed upload. */
  private boolean isThereWithout(PendingUpload upload) throws IOException {
    execution.completion().abort(upload);
    boolean isThere = CommittedFiles.isThere(upload, execution.stores());
    if (!isThere) {
      absent.add(upload);
    }
    return isThere;
  }

  private Result withoutReplaced() throws IOException {
    LaterEntries before = LaterEntries.than(execution.entry().number(), execution.log());
    if (before.isEnded()) {
      return Result.of(End.ENDED_BY_OTHERS);
    }
    Collection<PendingUpload> awaited = new ArrayList<>(absent);
    awaited.removeIf(byDirectory(before::haveSettled));
    Set<Path> lostBefore = lostBefore(before.tail());
    Collection<PendingUpload> gone =
        new ArrayList<>(
            awaited.stream().filter(it -> lostBefore.contains(it.destination())).toList());
    awaited.removeAll(gone);
    gone.addAll(execution.await(awaited, rest -> withoutSettled(rest, before)));
    LaterEntries later = awaited.isEmpty() ? before : before.again(execution.log());
    if (later.isEnded()) {
      return Result.of(End.ENDED_BY_OTHERS);
    }
    gone.removeIf(byDirectory(later::haveReplaced));
    if (execution.entry().kind() == EntryKind.REPLACE
        && gone.stream().anyMatch(byDirectory(later::replace))) {
      // What it replaces is all that readers have before the later entry has ended.
      return Result.of(End.BEHIND_LATER);
    }
    gone.removeIf(byDirectory(later::replace));
    return new Result(End.SETTLED, gone.stream().map(PendingUpload::destination).sorted().toList());
  }

  /** What a process has waited for that has left the entry: an upload that is gone stays so. */
  private Set<Path> lostBefore(LogTail tail) throws IOException {
    Set<Path> lost = new HashSet<>();
    for (EndNote note : execution.log().notes(execution.entry().number(), tail)) {
      lost.addAll(note.lost());
    }
    return lost;
  }

  /** While some are waited for, a later entry may settle them, or another process end the entry. */
  private List<PendingUpload> withoutSettled(List<PendingUpload> awaited, LaterEntries before)
      throws IOException {
    LaterEntries later = before.again(execution.log());
    return later.isEnded()
        ? List.of()
        : awaited.stream().filter(byDirectory(later::haveSettled).negate()).toList();
  }

  /** Many files lie in few directories. */
  private static Predicate<PendingUpload> byDirectory(Predicate<Path> test) {
    Map<Path, Boolean> known = new HashMap<>();
    return file -> known.computeIfAbsent(file.destination().getParent(), test::test);
  }
}
