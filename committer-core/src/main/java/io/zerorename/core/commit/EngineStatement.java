package io.zerorename.core.commit;

import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.DirectorySet;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.log.OpenEntry;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.log.PlanWriter;
import io.zerorename.core.parallel.Uninterrupted;
import io.zerorename.core.store.ObjectStores;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.FunctionRaisingIOE;

/**
 * A statement by which an engine removes or replaces files on its own path, such as TRUNCATE. In
 * the order of the log it is an overwrite, of which the engine deletes the old files: {@link
 * #EngineStatement} reads the log before the engine deletes anything, and {@link #commit} decides
 * afterwards.
 *
 * <p>Its entry is a REPLACE without files. It finalizes the files of earlier entries that the
 * engine could not see or has seen only in part. None is needed where every earlier entry had ended
 * before the engine began, and no later one has come since. The protocol page has this, "Statements
 * of the engine".
 */
public final class EngineStatement {
  private final ObjectStores stores;
  private final CommitLog log;
  private final CommitSettings settings;

  /** What the log showed before the engine began. */
  final LogTail before;

  /** Identities of files of open entries that the engine may see, and delete. */
  private final FingerprintSet seen = new FingerprintSet();

  private final List<Path> scope = new ArrayList<>();

  /**
   * Reads the log, before the engine does anything. One request where nothing is open; for each
   * entry that has not ended one more, its plan, and a HEAD for each of its files.
   *
   * @param within directories in which the engine may remove files, with all that is below them
   */
  public EngineStatement(
      ObjectStores stores, CommitLog log, CommitSettings settings, Collection<Path> within)
      throws IOException {
    this.stores = stores;
    this.log = log;
    this.settings = settings;
    this.before = log.tail();
    for (long number : log.overlapping(before.open(), new DirectorySet(within), before)) {
      noteVisible(number);
    }
  }

  /** Finds out which files of an open entry the engine may see. */
  private void noteVisible(long number) throws IOException {
    Optional<LogEntry> entry = log.read(number, before);
    if (entry.filter(it -> it.kind().commits()).isEmpty()) {
      return;
    }
    Stream.concat(entry.get().scope().stream(), entry.get().replaces().stream())
        .forEach(scope::add);
    settings
        .workers()
        .forEach(
            log.plan(entry.get()).uploads(),
            file -> {
              if (file.isThere(stores)) {
                seen.add(file.identity());
              }
            });
  }

  /**
   * Whether no entry was open before the engine began, and none has come since: then {@link
   * #commit} does nothing, whatever the engine has changed. One request, none where one was open.
   */
  public boolean isAlone() throws IOException {
    return before.open().isEmpty() && log.tail().highest() == before.highest();
  }

  /** The directories that entries may change which were open before the engine began. */
  public List<Path> scope() {
    return List.copyOf(scope);
  }

  /**
   * Decides and executes the statement's entry, after the engine has removed files. One request
   * where none is needed. It waits, like an overwrite, for Completes in progress only.
   *
   * @param job the statement; it must not have been decided
   * @param directories whose files the engine has removed, with all that is below them
   * @param condition checked before each attempt to decide; it is given the jobs that were decided
   *     here since the statement began
   * @return the entry; empty where none is needed, or the condition does not hold any more
   * @throws IOException where it could not be decided or executed. The engine has removed files;
   *     others may appear until the statement is run again
   */
  public Optional<LogEntry> commit(
      OutputJob job,
      Collection<Path> directories,
      FunctionRaisingIOE<List<OutputJob>, Boolean> condition)
      throws IOException {
    DirectorySet replaced = new DirectorySet(directories);
    SortedSet<Long> follows = log.overlapping(before.open(), replaced, before);
    LogTail now = log.tailDownTo(before.highest() + 1, follows);
    for (long number : follows) {
      if (!now.numbers().contains(number)) {
        // What it had written is not known any more; that takes an engine more than a day.
        throw new IOException(
            ("ZR-1115: entry %s was open when the statement began, and has been deleted as old"
                    + " since.")
                .formatted(number));
      }
    }
    follows.addAll(log.overlapping(now.above(before.highest()), replaced, now));
    if (follows.isEmpty()) {
      return Optional.empty();
    }
    PlanWriter plan = log.newPlan(job);
    plan.writeRest();
    LogEntry draft = plan.draft(List.of(), directories, follows);
    return Uninterrupted.call(
        () -> {
          Optional<LogEntry> decided =
              log.decideWhile(met -> condition.apply(since(now, met)), draft, now);
          if (decided.isPresent()) {
            OpenEntry open = new OpenEntry(log, decided.get(), plan.plan());
            EntryExecutor.Result result =
                new EntryExecutor(stores, open, settings)
                    .run(now, false, seen, Optional.empty(), new EnumMap<>(CommitStage.class));
            new OpenCommit(open, result, settings).end();
          }
          return decided;
        });
  }

  /** The jobs of the entries above those that were there before, also of those that were met. */
  private List<OutputJob> since(LogTail now, List<LogEntry> met) throws IOException {
    List<LogEntry> since = new ArrayList<>();
    for (long number : now.above(before.highest())) {
      log.read(number, now).ifPresent(since::add);
    }
    since.addAll(met);
    return since.stream().filter(it -> it.kind().commits()).map(LogEntry::job).toList();
  }
}
