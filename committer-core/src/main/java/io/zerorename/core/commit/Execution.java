package io.zerorename.core.commit;

import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.DirectorySet;
import io.zerorename.core.log.EntryKind;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectStores;
import io.zerorename.core.upload.OutputFile;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.CallableRaisingIOE;

/** One execution of an entry: what its stages share. {@link ExecuteEntry} explains it. */
final class Execution {
  final ObjectStores stores;
  final CommitLog log;
  final CommitSettings settings;
  final LogEntry entry;
  final LogEntry target;
  final CommitPlan plan;
  final Workers workers;
  final UploadCompletion completion;

  /** Files that will never be visible, in order. */
  final List<Path> lost = new ArrayList<>();

  private final CallableRaisingIOE<Boolean> fresh;
  private DirectorySet ceded = DirectorySet.none();

  Execution(
      ObjectStores stores,
      CommitLog log,
      CommitSettings settings,
      CompletedEtags etags,
      LogEntry entry,
      LogEntry target,
      CommitPlan plan,
      CallableRaisingIOE<Boolean> fresh,
      Workers workers) {
    this.stores = stores;
    this.log = log;
    this.settings = settings;
    this.entry = entry;
    this.target = target;
    this.plan = plan;
    this.fresh = fresh;
    this.workers = workers;
    this.completion = new UploadCompletion(stores, settings, etags);
  }

  /** Whether this process has decided the job, and executes its own entry. */
  boolean isOwn() {
    return entry.number() == target.number();
  }

  boolean forceCloses() {
    return entry.kind() == EntryKind.GIVEUP;
  }

  /** Whether what is there is surely what was planned with. */
  boolean isFresh() throws IOException {
    return isOwn() && fresh.apply();
  }

  /** The entries after the target, as the log shows them now. */
  LaterEntries laterEntries() throws IOException {
    return LaterEntries.than(target.number(), log);
  }

  /** Directories in which nothing is touched, because a later entry replaces them. */
  DirectorySet ceded() {
    return ceded;
  }

  /** Leaves some directories to the later entries that replace them. */
  void cede(Collection<Path> directories) {
    ceded = ceded.and(directories);
  }

  boolean isCeded(Path directory) {
    return !ceded.isEmpty() && ceded.contains(directory);
  }

  boolean isCeded(OutputFile file) {
    return isCeded(file.destination().getParent());
  }

  /** Waits for absent files as long as a Complete may take, and returns those that are lost. */
  Collection<PendingUpload> await(Collection<PendingUpload> absent) throws IOException {
    return new CompletionWait(settings.settling(), settings.sleep())
        .await(absent, completion, workers);
  }

  /**
   * Takes files for lost, but for those that a later entry replaces, which are ceded to it.
   *
   * @param files that are absent and can never appear
   */
  void lose(Collection<? extends OutputFile> files) throws IOException {
    if (!files.isEmpty()) {
      withoutReplaced(files, laterEntries()).forEach(file -> lost.add(file.destination()));
      lost.sort(null);
    }
  }

  /** Cedes the directories of files that later entries replace, and returns the other files. */
  <T extends OutputFile> List<T> withoutReplaced(Collection<T> files, LaterEntries later) {
    List<T> rest = new ArrayList<>();
    Set<Path> replaced = new HashSet<>();
    for (T file : files) {
      Path directory = file.destination().getParent();
      if (replaced.contains(directory) || later.replace(directory)) {
        replaced.add(directory);
      } else {
        rest.add(file);
      }
    }
    cede(later.replacedWith(replaced));
    return rest;
  }
}
