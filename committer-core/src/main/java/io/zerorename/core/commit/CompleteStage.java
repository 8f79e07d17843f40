package io.zerorename.core.commit;

import io.zerorename.core.log.BytesGoneException;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.manifest.MalformedManifestException;
import io.zerorename.core.upload.InlineFile;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;

/**
 * Stage {@link CommitStage#COMPLETE}: makes the files of an entry visible. Small files first, while
 * their write lease lasts.
 */
final class CompleteStage {
  private final Execution execution;
  private final CommitPlan plan;
  private final LongAdder visible;
  private final FingerprintSet written;

  /**
   * @param visible counts the files that are visible
   * @param written small files that this process has written, under whatever lease
   */
  CompleteStage(Execution execution, LongAdder visible, FingerprintSet written) {
    this.execution = execution;
    this.plan = execution.plan;
    this.visible = visible;
    this.written = written;
  }

  /**
   * @return false where an operator has force-closed the entry meanwhile
   * @throws LeaseExpiredException where small files are left, which need an entry with a new lease
   */
  boolean run() throws IOException {
    FingerprintSet there =
        plan.job().plainNames() && !execution.isFresh()
            ? CommittedFiles.visible(plan, execution.stores, execution.workers)
            : new FingerprintSet();
    if (execution.isOwn()) {
      writeOwn(there);
    } else {
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
      if (!writeOfAnother(there)) {
        return false;
      }
    }
    complete(there);
    return true;
  }

  private void writeOwn(FingerprintSet there) throws IOException {
    execution.workers.forEach(
        plan.inlined(),
        plan.inlinedCount(),
        file -> {
          if (!there.contains(file.destination().toString())) {
            write(file);
          }
          visible.increment();
        });
  }

  /**
   * Writes the files that no entry between replaces.
   *
   * @return false where the entry was force-closed meanwhile
   */
  private boolean writeOfAnother(FingerprintSet there) throws IOException {
    Queue<InlineFile> unwritable = new ConcurrentLinkedQueue<>();
    Queue<InlineFile> contentsDeleted = new ConcurrentLinkedQueue<>();
    execution.workers.forEach(
        plan.inlined(),
        plan.inlinedCount(),
        file -> {
          if (execution.isCeded(file)) {
            return;
          }
          String location = file.destination().toString();
          if (written.contains(location)
              || there.contains(location)
              || CommittedFiles.isThereAlone(file, execution.stores)) {
            visible.increment();
          } else if (execution.forceCloses()) {
            unwritable.add(file);
          } else {
            write(file, contentsDeleted, unwritable);
          }
        });
    // Contents are deleted in two cases: a later entry has replaced the files, or an operator gives
    // them up. That is written before the contents are deleted, and so it is checked first.
    if (!contentsDeleted.isEmpty()) {
      LaterEntries since = execution.laterEntries();
      if (since.forceClosed()) {
        return false;
      }
      contentsDeleted.forEach(
          file -> execution.cede(since.replacedWith(file.destination().getParent())));
    }
    if (!unwritable.isEmpty()) {
      loseUnwritable(unwritable);
    }
    return true;
  }

  private void write(
      InlineFile file, Collection<InlineFile> contentsDeleted, Collection<InlineFile> unwritable)
      throws IOException {
    try {
      execution.writes.read(file);
    } catch (BytesGoneException e) {
      contentsDeleted.add(file);
      return;
    } catch (MalformedManifestException e) {
      unwritable.add(file);
      return;
    }
    write(file);
    visible.increment();
  }

  private void write(InlineFile file) throws IOException {
    execution.writes.write(file);
    written.add(file.destination().toString());
  }

  /**
   * Another executor may have the contents in memory, and write them until its write lease is over.
   */
  private void loseUnwritable(Collection<InlineFile> unwritable) throws IOException {
    if (execution.forceCloses()) {
      execution.log.delete(execution.target.contents());
    }
    new WriteLeaseWait(execution.log, execution.settings.sleep())
        .await(execution.target.number(), execution.entry.number());
    List<InlineFile> absent = new ArrayList<>();
    for (InlineFile file : unwritable) {
      if (!CommittedFiles.isThereAlone(file, execution.stores)) {
        absent.add(file);
      }
    }
    execution.lose(absent);
  }

  private void complete(FingerprintSet there) throws IOException {
    Queue<PendingUpload> absent = new ConcurrentLinkedQueue<>();
    Queue<PendingUpload> aborted = new ConcurrentLinkedQueue<>();
    execution.workers.forEach(
        plan.uploads(),
        plan.fileCount() - plan.inlinedCount(),
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
