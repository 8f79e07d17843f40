package io.zerorename.core.commit;

import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;

/** Stage {@link CommitStage#COMPLETE}: makes the files of an entry visible. */
final class CompleteStage {
  private final Execution execution;
  private final CommitPlan plan;
  private final LongAdder visible;

  /**
   * @param visible counts the files that are visible
   */
  CompleteStage(Execution execution, LongAdder visible) {
    this.execution = execution;
    this.plan = execution.plan;
    this.visible = visible;
  }

  /**
   * @return false where an operator has force-closed the entry meanwhile
   */
  boolean run() throws IOException {
    FingerprintSet there =
        plan.job().plainNames() && !execution.isFresh()
            ? CommittedFiles.visible(plan, execution.stores, execution.workers)
            : new FingerprintSet();
    if (!execution.isOwn()) {
      LaterEntries later = execution.laterEntries();
      if (later.forceClosed() && !execution.forceCloses()) {
        return false;
      }
      if (later.isCut() || later.tail().isInPlace(execution.target.number())) {
        // It makes nothing visible, and what later entries replace is theirs.
        execution.cede(
            later.isCut() ? plan.job().roots() : later.replacedBefore(Long.MAX_VALUE).paths());
        return true;
      }
      execution.cede(later.replacedBefore(execution.entry.number()).paths());
    }
    complete(there);
    return true;
  }

  private void complete(FingerprintSet there) throws IOException {
    Queue<PendingUpload> absent = new ConcurrentLinkedQueue<>();
    Queue<PendingUpload> aborted = new ConcurrentLinkedQueue<>();
    execution.workers.forEach(
        plan.uploads(),
        plan.fileCount(),
        upload -> {
          if (execution.isCeded(upload)) {
            return;
          }
          boolean known = there.contains(upload.destination().toString());
          // The answer alone says little: MinIO answers the abort of a completed upload so, too.
          boolean ended = !known && execution.forceCloses() && execution.completion.abort(upload);
          if (known
              || (execution.forceCloses()
                  ? CommittedFiles.isThere(upload, execution.stores)
                  : execution.completion.run(upload))) {
            visible.increment();
          } else if (ended) {
            aborted.add(upload);
          } else {
            absent.add(upload);
          }
        });
    execution.lose(aborted);
    if (absent.isEmpty()) {
      return;
    }
    LaterEntries later = execution.laterEntries();
    List<PendingUpload> missing = execution.withoutReplaced(absent, later);
    // Where this process alone has sent requests, and has an answer to each, nothing can come.
    boolean alone = execution.isFresh() && !execution.completion.isUncertain() && !later.resumed();
    execution.lose(alone ? missing : execution.await(missing));
  }
}
