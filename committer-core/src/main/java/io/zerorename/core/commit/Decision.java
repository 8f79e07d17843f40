package io.zerorename.core.commit;

import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.job.JobRecords;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.DirectorySet;
import io.zerorename.core.log.EndNote;
import io.zerorename.core.log.EntryDraft;
import io.zerorename.core.log.EntryKind;
import io.zerorename.core.log.EntryState;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.log.PlanWriter;
import io.zerorename.core.parallel.Uninterrupted;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.recordstore.NotWrittenException;
import io.zerorename.core.store.ErrorText;
import io.zerorename.core.store.ObjectStores;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The stages of a job commit up to its decision: finds the entry that has decided the job, or plans
 * the job and writes its entry.
 */
record Decision(
    ObjectStores stores,
    JobRecords job,
    CommitLog log,
    CommitSettings settings,
    CommitRequest request,
    StageTimes times) {
  private static final Logger LOG = LoggerFactory.getLogger(Decision.class);

  /** Entries are deleted after seven days: what had decided an older job could be gone. */
  static final Duration OLDEST_JOB = Duration.ofDays(6);

  /** More directories are named by the roots of the job. */
  private static final int LONGEST_SCOPE = 500;

  /** The job is decided. */
  sealed interface Outcome {}

  /** Nothing is left to do for it. */
  record Ended(long number, EndNote note) implements Outcome {}

  /**
   * Its entry is to be executed.
   *
   * @param entry that decides it
   * @param decidedBefore whether another process or call has written that, and may have executed
   *     some of it
   * @param tail what was read of the log
   * @param openEntries numbers of earlier entries that have not ended
   * @param listed when this call began to list old files; empty where another has written the entry
   */
  record Decided(
      LogEntry entry,
      CommitPlan plan,
      boolean decidedBefore,
      LogTail tail,
      List<Long> openEntries,
      Optional<ListingTime> listed)
      implements Outcome {}

  Outcome run(Workers workers) throws CommitFailedException, CommitStateUnknownException {
    try {
      LogTail tail = times.measure(CommitStage.READ_LOG, this::readLog);
      refuseOld();
      Optional<LogEntry> existing = log.find(job.jobId(), tail);
      return existing.isPresent() ? decidedBefore(existing.get()) : decide(tail, workers);
    } catch (CommitFailedException | CommitStateUnknownException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      if (request.isSole()) {
        throw failed(e);
      }
      // The log is not known: another attempt may have decided the job.
      throw unknown(e);
    }
  }

  private LogTail readLog() throws IOException {
    // An operator, or an earlier attempt of the job, may have decided it since it began.
    return log.tailSince(request.begun().orElseGet(() -> Instant.now().minus(OLDEST_JOB)));
  }

  /** After the log was listed: before that the process may sleep until entries are deleted. */
  private void refuseOld() throws CommitFailedException {
    if (request.begun().filter(it -> it.isBefore(Instant.now().minus(OLDEST_JOB))).isPresent()) {
      throw new CommitFailedException(
          ("ZR-1107: %s: this attempt committed nothing and deleted nothing. It began at %s, more"
                  + " than six days ago. Entries of the commit log are deleted after seven, so that"
                  + " an earlier attempt may have been committed without a trace. Look for its rows"
                  + " in %s. Only if they are absent, run it again as a new job.")
              .formatted(
                  request.job().description(), request.begun().get(), request.job().destination()),
          null);
    }
  }

  /** Decides a job of which no entry was found. */
  private Outcome decide(LogTail tail, Workers workers) throws IOException {
    PlanWriter writer = log.draft(request.job());
    SmallFiles smallFiles = new SmallFiles(stores, job, settings.inlineLimit());
    Planned planned;
    try {
      refuseForeignRecords();
      refuseBesideOpenEntries(tail);
      planned = plan(writer, smallFiles, tail, workers);
      request.beforeDecision().run();
    } catch (IOException | RuntimeException e) {
      if (request.isSole() && !(e instanceof PlanStage.ContestedException)) {
        drop(writer, smallFiles, workers, e);
        throw e;
      }
      // Another committer may have decided the job, and taken what this one needed.
      return decidedMeanwhile(writer, smallFiles, workers, e);
    }
    EntryDraft draft = planned.draft();
    LogEntry entry;
    try {
      // A cancelled query must not leave it open whether it was decided.
      entry =
          times.measure(
              CommitStage.DECIDE, () -> Uninterrupted.call(() -> log.decide(draft, tail)));
    } catch (NotWrittenException e) {
      // While this process slept, another attempt of the job may have committed it.
      return decidedMeanwhile(writer, smallFiles, workers, e);
    } catch (IOException | RuntimeException e) {
      entry = settle(tail, e);
    }
    if (entry.writeId().equals(draft.writeId())) {
      smallFiles.decided();
      CommitPlan plan = log.planOf(draft, writer);
      // Single objects were listed before, by the engine.
      Optional<ListingTime> listed =
          Optional.of(planned.listed()).filter(it -> request.overwrite().objects().isEmpty());
      return new Decided(entry, plan, false, tail, List.copyOf(tail.open()), listed);
    }
    drop(writer, smallFiles, workers, null);
    return decidedBefore(entry);
  }

  /**
   * A plan that is written, and nothing but its entry is missing.
   *
   * @param listed when the listing of old files began
   */
  private record Planned(EntryDraft draft, ListingTime listed) {}

  private Planned plan(PlanWriter writer, SmallFiles smallFiles, LogTail tail, Workers workers)
      throws IOException {
    PlanStage planning = load(writer, smallFiles, workers);
    Set<Path> replaced = planning.replaced();
    DirectorySet directories = new DirectorySet(replaced);
    SortedSet<Long> follows = log.following(directories, tail);
    ListingTime listed = ListingTime.now(log);
    times.measure(CommitStage.PLAN, () -> planning.addReplaced(workers));
    times.measure(
        CommitStage.WRITE_PLAN,
        () -> {
          writer.finish();
          planning.refuseVanished(workers);
        });
    List<Path> written = planning.written();
    EntryDraft draft =
        EntryDraft.deciding(
            replaced.isEmpty() ? EntryKind.ADD : EntryKind.REPLACE,
            writer,
            written.size() > LONGEST_SCOPE ? request.job().roots() : written,
            directories,
            follows);
    return new Planned(draft, listed);
  }

  /** The files of all manifests, each of them an upload. */
  private PlanStage load(PlanWriter writer, SmallFiles smallFiles, Workers workers)
      throws IOException {
    try (smallFiles) {
      PlanStage planning = new PlanStage(stores, request, smallFiles, writer);
      times.measure(
          CommitStage.LOAD_MANIFESTS,
          () ->
              request.manifests().forEach(workers, manifest -> planning.addAll(manifest.files())));
      times.measure(CommitStage.UPLOAD_SMALL_FILES, () -> planning.uploadSmallFiles(workers));
      return planning;
    }
  }

  private void refuseForeignRecords() throws IOException {
    if (!request.job().id().equals(job.jobId())) {
      throw new IOException(
          "ZR-1108: the commit is of job %s, and the records in %s are of another job"
              .formatted(request.job().id(), job.path()));
    }
  }

  /** Names that the job's engine has given could be those of files that are yet to appear. */
  private void refuseBesideOpenEntries(LogTail tail) throws IOException {
    for (long number : request.job().plainNames() ? tail.open() : new TreeSet<Long>()) {
      Optional<LogEntry> entry = log.read(number, tail);
      if (entry.filter(it -> it.kind() != EntryKind.VOID).isPresent()) {
        throw new IOException(
            ("ZR-1109: %s was committed there as entry %s and is not complete, and files of both"
                    + " may have the same names. To complete it: %s")
                .formatted(
                    entry.get().job().description(), number, RecoveryAdvice.of(entry.get().job())));
      }
    }
  }

  /** What no entry names means nothing; what is left of it is deleted after days. */
  private void drop(PlanWriter writer, SmallFiles smallFiles, Workers workers, Exception failure) {
    try {
      smallFiles.drop(workers);
      log.delete(writer.written());
    } catch (IOException | RuntimeException e) {
      if (failure == null) {
        LOG.info("The unused plan of {} cannot be deleted now", log.location(), e);
      } else {
        failure.addSuppressed(e);
      }
    } finally {
      writer.kept().release();
    }
  }

  /**
   * What another process has decided since this one read the log. The documents of the plan are
   * deleted only once it is sure that no entry names them.
   */
  private Outcome decidedMeanwhile(
      PlanWriter writer, SmallFiles smallFiles, Workers workers, Exception failure)
      throws CommitFailedException, CommitStateUnknownException {
    Optional<LogEntry> existing;
    try {
      existing = log.find(job.jobId(), readLog());
      if (existing.isEmpty()) {
        refuseOld();
      }
    } catch (IOException | RuntimeException e) {
      failure.addSuppressed(e);
      writer.kept().release();
      throw unknown(failure);
    }
    if (existing.filter(it -> it.writeId().equals(writer.id())).isPresent()) {
      writer.kept().release();
    } else {
      drop(writer, smallFiles, workers, failure);
    }
    return decidedBefore(existing.orElseThrow(() -> failed(failure)));
  }

  /**
   * After an attempt to decide of which it is not known whether it took effect, or will yet. To
   * decide the contrary settles that, and prevents it where it did not.
   */
  private LogEntry settle(LogTail tail, Exception failure)
      throws CommitFailedException, CommitStateUnknownException {
    LogEntry existing;
    try {
      existing = Uninterrupted.call(() -> log.decideAgainst(request.job(), tail));
    } catch (IOException | RuntimeException e) {
      failure.addSuppressed(e);
      throw unknown(failure);
    }
    if (existing.kind() == EntryKind.VOID) {
      throw failed(failure);
    }
    return existing;
  }

  private Outcome decidedBefore(LogEntry entry)
      throws CommitFailedException, CommitStateUnknownException {
    if (entry.kind() == EntryKind.VOID) {
      throw failed(
          new IOException(
              "ZR-1110: the job was aborted, see " + log.location(entry.number()) + "."));
    }
    try {
      LogTail now = log.tailDownTo(entry.number());
      if (now.isEnded(entry.number())) {
        return new Ended(entry.number(), note(entry, now));
      }
      CommitPlan plan = log.plan(entry);
      new PlanChecks(request.job()).check(plan);
      return new Decided(entry, plan, true, now, List.of(), Optional.empty());
    } catch (CommitStateUnknownException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      throw unknown(e);
    }
  }

  /** What is known of an entry that has ended, unless files of it are lost. */
  EndNote note(LogEntry entry) throws IOException {
    return note(entry, log.tailDownTo(entry.number()));
  }

  private EndNote note(LogEntry entry, LogTail tail) throws IOException {
    EndNote end =
        log.notes(entry.number(), tail).stream()
            // One that says that a later entry has superseded it says nothing else.
            .max(
                Comparator.<EndNote>comparingInt(note -> note.lost().size())
                    .thenComparingInt(EndNote::files))
            .orElse(EndNote.NOTHING);
    if (tail.state(entry.number()) == EntryState.DAMAGED) {
      throw new CommitStateUnknownException(
          ("ZR-1111: %s was committed without some of its files, which are lost%s. The others are"
                  + " visible. Look at the data before you run it again.")
              .formatted(
                  request.job().description(), end.lost().isEmpty() ? "" : ": " + end.lost()),
          null);
    }
    return end;
  }

  private CommitStateUnknownException unknown(Exception failure) {
    return new CommitStateUnknownException(
        ("ZR-1112: %s: it is unknown whether it is committed, or what is left to do: %s This"
                + " attempt deleted nothing. Do not run it again before this is settled: when %s can be read again,"
                + " %s completes it if it was committed.")
            .formatted(
                request.job().description(),
                ErrorText.of(failure),
                log.location(),
                RecoveryAdvice.of(request.job())),
        failure);
  }

  private CommitFailedException failed(Exception cause) {
    return new CommitFailedException(
        ("ZR-1113: %s was not committed: %s Nothing of it is visible and no old file was deleted;"
                + " run it again once the cause is fixed.")
            .formatted(request.job().description(), ErrorText.of(cause)),
        cause);
  }
}
