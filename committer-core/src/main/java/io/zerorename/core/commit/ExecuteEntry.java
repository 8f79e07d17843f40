package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.commit.CommitReport.Stage;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.log.BytesGoneException;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.DirectorySet;
import io.zerorename.core.log.EntryKind;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.log.OldObject;
import io.zerorename.core.manifest.MalformedManifestException;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.store.PartBody;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.upload.InlineFile;
import io.zerorename.core.upload.OutputFile;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.util.functional.RemoteIterators;

/**
 * Executes an entry of the log: makes its files visible, brings files of the entries to an end that
 * it follows, deletes what it replaces, keeps emptied directories in existence. Every step may be
 * repeated, by any process under an entry of its own. The protocol page has the steps, "Executing".
 */
public final class ExecuteEntry {
  private final ObjectStores stores;
  private final CommitLog log;
  private final LogTail tail;
  private final CommitSettings settings;
  private final CompletedEtags etags;
  private final LongAdder visible = new LongAdder();

  /** Small files that this process has written, in whatever window. */
  private final KeyFingerprints written = new KeyFingerprints();

  /** Identities of files of followed entries that have been visible. */
  private final KeyFingerprints seen;

  /**
   * @param tail what was read of the log, which is not read again
   * @param etags gets the ETag of each object that is completed
   * @param seen identities of files of followed entries that have been visible, and that another
   *     program may have deleted since
   */
  public ExecuteEntry(
      ObjectStores stores,
      CommitLog log,
      LogTail tail,
      CommitSettings settings,
      CompletedEtags etags,
      KeyFingerprints seen) {
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
   * @param givenUp whether an operator has given the entry up meanwhile, so that it was left
   * @param doubtful whether one of the PUTs may still take effect
   * @param superseded followed entries of which nothing is left
   */
  public record Result(
      List<Path> lost, boolean givenUp, boolean doubtful, List<LogEntry> superseded) {}

  /** How many small files this process has written, in all runs. */
  int writtenFiles() {
    return written.size();
  }

  /**
   * @param entry of this process, which nobody else executes
   * @param target the entry that decides the job: the same, or the one that is resumed or given up
   * @param plan of the target
   * @param fresh whether what is there is surely what was planned with
   * @throws LeaseExpiredException where small files are left, which need an entry with a new window
   */
  public Result run(
      LogEntry entry,
      LogEntry target,
      CommitPlan plan,
      DeleteReplaced.Freshness fresh,
      Workers workers,
      StageTimes times)
      throws IOException {
    visible.reset();
    Execution execution = new Execution(entry, target, plan, fresh, workers);
    boolean givenUp = !times.measure(Stage.COMPLETE, execution::makeVisible);
    if (givenUp || !execution.lost.isEmpty()) {
      // Its marker will say that nothing can come any more.
      execution.writes.awaitCertain(settings.sleep());
    }
    // Where a file is lost, an operator decides whether the old ones are deleted.
    if (givenUp
        || (!execution.lost.isEmpty() && target.kind().replaces() && !execution.givesUp())) {
      return new Result(execution.lost, givenUp, execution.writes.isDoubtful(), List.of());
    }
    FollowedFiles.Result followed = times.measure(Stage.REPLACE, execution::replace);
    times.measure(Stage.PUBLISH, execution::keepDirectories);
    return new Result(execution.lost, false, execution.writes.isDoubtful(), followed.entries());
  }

  private final class Execution {
    final List<Path> lost = new ArrayList<>();
    final SmallFileWrites writes;
    private final LogEntry entry;
    private final LogEntry target;
    private final CommitPlan plan;
    private final DeleteReplaced.Freshness fresh;
    private final Workers workers;
    private final UploadCompletion completion;
    private final CompletionWait completionWait;

    /** Directories that are the business of a later entry. */
    private DirectorySet left = DirectorySet.none();

    Execution(
        LogEntry entry,
        LogEntry target,
        CommitPlan plan,
        DeleteReplaced.Freshness fresh,
        Workers workers) {
      this.entry = entry;
      this.target = target;
      this.plan = plan;
      this.fresh = fresh;
      this.workers = workers;
      this.writes = new SmallFileWrites(stores, log, settings, entry);
      this.completion = new UploadCompletion(stores, settings, etags);
      this.completionWait = new CompletionWait(settings.settling(), log::now, settings.sleep());
    }

    private boolean isOwn() {
      return entry.number() == target.number();
    }

    private boolean givesUp() {
      return entry.kind() == EntryKind.GIVEUP;
    }

    /**
     * Small files first, while the window is open.
     *
     * @return false where the entry was given up meanwhile
     */
    boolean makeVisible() throws IOException {
      KeyFingerprints there =
          plan.job().plainNames() && !(isOwn() && fresh.holds())
              ? CommittedFiles.visible(plan, stores, workers)
              : new KeyFingerprints();
      if (isOwn()) {
        writeOwn(there);
      } else {
        LaterEntries later = LaterEntries.than(target.number(), log);
        if (later.givenUp() && !givesUp()) {
          return false;
        }
        if (later.isCut() || later.tail().isInPlace(target.number())) {
          // It makes nothing visible, and what later entries replace is theirs.
          left =
              later.isCut()
                  ? new DirectorySet(plan.job().roots())
                  : later.replacedBefore(Long.MAX_VALUE);
          return true;
        }
        left = later.replacedBefore(entry.number());
        if (!writeOfAnother(there)) {
          return false;
        }
      }
      complete(there);
      return true;
    }

    private void writeOwn(KeyFingerprints there) throws IOException {
      workers.forEach(
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
     * The files that no entry between replaces.
     *
     * @return false where the entry was given up meanwhile
     */
    private boolean writeOfAnother(KeyFingerprints there) throws IOException {
      Queue<InlineFile> unwritable = new ConcurrentLinkedQueue<>();
      Queue<InlineFile> over = new ConcurrentLinkedQueue<>();
      workers.forEach(
          plan.inlined(),
          plan.inlinedCount(),
          file -> {
            if (isLeft(file)) {
              return;
            }
            String place = file.destination().toString();
            if (written.contains(place) || there.contains(place) || writes.isThere(file)) {
              visible.increment();
            } else if (givesUp()) {
              unwritable.add(file);
            } else {
              write(file, over, unwritable);
            }
          });
      // They have been in place, and a later entry has replaced them.
      if (!over.isEmpty()) {
        // Or they were given up: that is announced before the contents are deleted.
        LaterEntries since = LaterEntries.than(target.number(), log);
        if (since.givenUp()) {
          return false;
        }
        over.forEach(file -> leave(file, since));
      }
      if (!unwritable.isEmpty()) {
        if (givesUp()) {
          log.delete(target.contents());
        }
        new EntryExecutors(log, settings.sleep()).await(target.number(), entry.number());
        List<InlineFile> absent = new ArrayList<>();
        for (InlineFile file : unwritable) {
          if (!writes.isThere(file)) {
            absent.add(file);
          }
        }
        lose(absent);
      }
      return true;
    }

    private void write(InlineFile file, Collection<InlineFile> over, Collection<InlineFile> bad)
        throws IOException {
      try {
        writes.read(file);
      } catch (BytesGoneException e) {
        over.add(file);
        return;
      } catch (MalformedManifestException e) {
        bad.add(file);
        return;
      }
      write(file);
      visible.increment();
    }

    private void write(InlineFile file) throws IOException {
      writes.write(file);
      written.add(file.destination().toString());
    }

    private void complete(KeyFingerprints there) throws IOException {
      Queue<PendingUpload> absent = new ConcurrentLinkedQueue<>();
      Queue<PendingUpload> aborted = new ConcurrentLinkedQueue<>();
      workers.forEach(
          plan.uploads(),
          plan.fileCount() - plan.inlinedCount(),
          upload -> {
            if (isLeft(upload)) {
              return;
            }
            if (there.contains(upload.destination().toString())
                || (givesUp() ? isThere(upload) : completion.run(upload))) {
              visible.increment();
            } else if (givesUp() && abort(upload)) {
              aborted.add(upload);
            } else {
              absent.add(upload);
            }
          });
      lose(aborted);
      if (absent.isEmpty()) {
        return;
      }
      LaterEntries later = LaterEntries.than(target.number(), log);
      List<PendingUpload> missing = new ArrayList<>();
      for (PendingUpload upload : absent) {
        if (later.replace(upload.destination().getParent())) {
          leave(upload, later);
        } else {
          missing.add(upload);
        }
      }
      // Where this process alone has sent requests, and has an answer to each, nothing can come.
      boolean alone = isOwn() && fresh.holds() && !completion.isUncertain() && !later.resumed();
      lose(alone ? missing : completionWait.await(missing, completion, workers));
      lost.sort(null);
    }

    private boolean isThere(PendingUpload upload) throws IOException {
      return stores
          .forPath(upload.destination())
          .headObject(upload.key())
          .filter(upload::isIdentityOf)
          .isPresent();
    }

    /** An operator ends the entry without what is not there. Returns false where it was absent. */
    private boolean abort(PendingUpload upload) throws IOException {
      try {
        stores.forPath(upload.destination()).abortUpload(upload.key(), upload.uploadId());
        return true;
      } catch (StoreException e) {
        if (e.kind() != StoreException.Kind.NO_SUCH_UPLOAD) {
          throw e;
        }
        return false;
      }
    }

    /** But for those that a later entry replaces; one may have come while they were waited for. */
    private void lose(Collection<? extends OutputFile> files) throws IOException {
      if (files.isEmpty()) {
        return;
      }
      LaterEntries later = LaterEntries.than(target.number(), log);
      for (OutputFile file : files) {
        if (later.replace(file.destination().getParent())) {
          leave(file, later);
        } else {
          lost.add(file.destination());
        }
      }
    }

    private boolean isLeft(OutputFile file) {
      return !left.isEmpty() && left.contains(file.destination().getParent());
    }

    private void leave(OutputFile file, LaterEntries later) {
      left = left.and(later.replacedWith(file.destination().getParent()));
    }

    /** Deletes the contents of small files as well: without them nobody can write those again. */
    FollowedFiles.Result replace() throws IOException {
      FollowedFiles.Result followed =
          new FollowedFiles(log, tail, completion, completionWait, settings.sleep())
              .run(target, plan, left, seen, isOwn(), workers);
      DeleteReplaced deletion = new DeleteReplaced(stores);
      deletion.run(replaced(), lost.isEmpty() ? contents() : List.of(), this::isFresh, workers);
      deletion.delete(followed.plans());
      followed.plans().forEach(FollowedFiles.Followed::release);
      return followed;
    }

    private boolean isFresh() throws IOException {
      return isOwn() && fresh.holds();
    }

    private List<Path> contents() {
      return target.contents().stream().map(log::locate).toList();
    }

    private RemoteIterator<List<OldObject>> replaced() {
      return RemoteIterators.mappingRemoteIterator(
          plan.replacedByChunk(),
          part -> part.stream().filter(it -> !left.contains(it.directory())).toList());
    }

    /**
     * Writes a directory marker where an overwrite leaves no object, because S3A takes a directory
     * without any object for absent. One request per directory.
     */
    void keepDirectories() throws IOException {
      for (RemoteIterator<List<Path>> parts = plan.markersByChunk(); parts.hasNext(); ) {
        workers.forEach(
            parts.next().stream().filter(it -> !left.contains(it)).toList(),
            it ->
                stores
                    .forPath(it)
                    .putObject(ObjectKeys.prefixOf(it), PartBody.of(new byte[0]), Map.of()));
      }
    }
  }
}
