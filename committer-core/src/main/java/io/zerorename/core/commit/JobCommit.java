package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.commit.CommitReport.Stage;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.job.RunningCommit;
import io.zerorename.core.job.UploadSweep;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.DirectorySet;
import io.zerorename.core.log.EndNote;
import io.zerorename.core.log.Ending;
import io.zerorename.core.log.EntryDraft;
import io.zerorename.core.log.EntryKind;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.log.PlanWriter;
import io.zerorename.core.metrics.CommitterMetrics;
import io.zerorename.core.metrics.Metric;
import io.zerorename.core.parallel.Uninterrupted;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.records.NotWrittenException;
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
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a job's output visible: all of it, or, up to the decision, nothing.
 *
 * <ol>
 *   <li>read the log: which entries an overwrite has to follow;
 *   <li>load the manifests of the chosen task attempts, as many at once as there are threads;
 *   <li>plan: their files, and the exact old objects that they replace; the plan is written down as
 *       it grows;
 *   <li>decide: the job's entry gets the next free number of the log;
 *   <li>execute the entry: {@link ExecuteEntry};
 *   <li>clean up: abort the uploads of attempts that were not chosen.
 * </ol>
 *
 * A failure before the decision is a {@link CommitFailedException}; the caller then runs {@link
 * JobAbort}. A failure after it is a {@link CommitStateUnknownException} or a {@link
 * CommitDamagedException}; nothing may be deleted then. A commit of a job that is decided already
 * resumes that entry, so it may be repeated.
 *
 * <p>When the engine has done what it has to do after the commit, it calls {@link
 * OpenCommit#finish}. Until then the entry has not ended: if the process dies, recovery resumes it.
 */
public final class JobCommit {
  private static final Logger LOG = LoggerFactory.getLogger(JobCommit.class);

  /**
   * How long after the listing of old files they are taken to be what was listed, and to have been
   * touched by no other process.
   */
  private static final Duration ALONE = Duration.ofSeconds(30);

  /** Entries are deleted after seven days: what had decided an older job could be gone. */
  private static final Duration OLDEST_JOB = Duration.ofDays(6);

  /** More directories are named by the roots of the job. */
  private static final int LONGEST_SCOPE = 500;

  /** So many windows in which no small file could be written end a commit. */
  private static final int IDLE_WINDOWS = 3;

  private final ObjectStores stores;
  private final JobDirectory job;
  private final CommitLog log;
  private final CommitSettings settings;
  private final CommitProgress progress;
  private CompletedEtags etags = new CompletedEtags(0);

  /**
   * A commit of the job to which the directory belongs.
   *
   * @param log of the job's destination
   */
  public JobCommit(
      ObjectStores stores,
      JobDirectory job,
      CommitLog log,
      CommitSettings settings,
      CommitProgress progress) {
    this.stores = settings.throttled(stores);
    this.job = requireNonNull(job, "job");
    this.log = requireNonNull(log, "log");
    this.settings = requireNonNull(settings, "settings");
    this.progress = requireNonNull(progress, "progress");
  }

  /**
   * Has its report tell ETags.
   *
   * @param limit of how many files, the first ones by path
   */
  public JobCommit notingEtags(int limit) {
    etags = new CompletedEtags(limit);
    return this;
  }

  /**
   * @throws CommitFailedException nothing is visible, nothing was deleted
   * @throws CommitStateUnknownException files may be visible, nothing may be deleted
   * @throws CommitDamagedException some files are lost, the others visible
   */
  public CommitReport run(CommitRequest request)
      throws CommitFailedException, CommitStateUnknownException, CommitDamagedException {
    CommitterMetrics.publish();
    StageTimes times = new StageTimes();
    RunningCommit running = RunningCommit.begin(request.job());
    boolean open = false;
    try (Workers workers = new Workers(settings.threads())) {
      Decided decided = decide(request, workers, times);
      if (decided.ended().isPresent()) {
        return CommitReport.finishedBefore(decided.ended().get());
      }
      CommitReport report = execute(decided, workers, times, running);
      open = true;
      count(report);
      return report;
    } catch (CommitFailedException e) {
      CommitterMetrics.add(Metric.COMMITS_FAILED, 1);
      throw e;
    } catch (CommitStateUnknownException e) {
      CommitterMetrics.add(Metric.COMMITS_UNKNOWN, 1);
      throw e;
    } catch (CommitDamagedException e) {
      CommitterMetrics.add(Metric.COMMITS_DAMAGED, 1);
      throw e;
    } finally {
      if (!open) {
        running.close();
      }
    }
  }

  private static void count(CommitReport report) {
    CommitterMetrics.add(Metric.COMMITS, 1);
    CommitterMetrics.add(Metric.FILES, report.files());
    CommitterMetrics.add(Metric.BYTES, report.bytes());
    CommitterMetrics.add(Metric.FILES_REPLACED, report.replaced());
    CommitterMetrics.add(Metric.COMMIT_MILLIS, report.duration().toMillis());
  }

  /**
   * A job that is decided.
   *
   * @param target the entry that decides it
   * @param byOther another process or call has written that, and may have executed some of it
   * @param ended set where nothing is left to do
   * @param tail what was read of the log
   * @param behind numbers of entries that had not ended before
   * @param listed when the listing of old files began, by the clock of the log
   */
  private record Decided(
      LogEntry target,
      CommitPlan plan,
      boolean byOther,
      Optional<EndNote> ended,
      LogTail tail,
      List<Long> behind,
      Instant listed) {}

  /** Whether what was listed is surely what is there. */
  private boolean isFresh(Decided decided) throws IOException {
    return !decided.byOther() && log.now().isBefore(decided.listed().plus(ALONE));
  }

  private Decided decide(CommitRequest request, Workers workers, StageTimes times)
      throws CommitFailedException, CommitStateUnknownException {
    try {
      Optional<ListingPrefetch.Listed> ahead = request.ahead().await();
      LogTail tail =
          ahead.isPresent()
              ? ahead.get().tail()
              : times.measure(Stage.READ_LOG, () -> readLog(request));
      refuseOld(request);
      Optional<LogEntry> standing = log.find(job.jobId(), tail);
      return standing.isPresent()
          ? decidedBefore(request, standing.get())
          : decide(request, tail, ahead, workers, times);
    } catch (CommitFailedException | CommitStateUnknownException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      throw failed(request, e);
    }
  }

  /** Decides a job of which no entry was found. */
  private Decided decide(
      CommitRequest request,
      LogTail tail,
      Optional<ListingPrefetch.Listed> ahead,
      Workers workers,
      StageTimes times)
      throws IOException {
    EntryDraft draft;
    CommitPlan plan;
    Instant listed;
    PlanWriter writer = log.draft(request.job());
    try {
      refuseForeignRecords(request);
      refuseBesideOpenEntries(request, tail);
      PlanStage planning =
          new PlanStage(
              stores,
              request,
              new SmallFiles(
                  stores,
                  job,
                  new DeadlineProbe(stores, log, job.shared()),
                  settings.inlineLimit()),
              writer);
      times.measure(
          Stage.LOAD_MANIFESTS,
          () ->
              request.manifests().forEach(workers, manifest -> planning.addAll(manifest.files())));
      Set<Path> replaced = planning.replaced();
      Optional<ListingPrefetch.Listed> known = ahead.filter(it -> request.ahead().isOf(replaced));
      DirectorySet directories = new DirectorySet(replaced);
      SortedSet<Long> follows =
          known.isPresent() ? known.get().follows() : log.following(directories, tail);
      listed = known.isPresent() ? known.get().begun() : log.now();
      times.measure(Stage.PLAN, () -> planning.addReplaced(known, workers));
      times.measure(Stage.WRITE_PLAN, writer::finish);
      draft = draft(request, planning, writer, directories, follows);
      plan = log.planOf(draft, writer);
      request.before().run();
    } catch (ExistingFileException e) {
      drop(writer, e);
      // Two committers of one job may run at once, as of two sinks with one directory in a DAG.
      return decidedMeanwhile(request, e);
    } catch (IOException | RuntimeException e) {
      drop(writer, e);
      throw e;
    }
    LogEntry entry;
    try {
      // A cancelled query must not leave it open whether it was decided.
      entry = times.measure(Stage.DECIDE, () -> Uninterrupted.call(() -> log.decide(draft, tail)));
    } catch (NotWrittenException e) {
      drop(writer, e);
      // While this process slept, another attempt of the job may have committed it.
      return decidedMeanwhile(request, e);
    } catch (IOException | RuntimeException e) {
      entry = settle(request, tail, e);
    }
    if (entry.writeId().equals(draft.writeId())) {
      return new Decided(entry, plan, false, Optional.empty(), tail, tail.unfinished(), listed);
    }
    drop(writer, null);
    return decidedBefore(request, entry);
  }

  /** After the log was listed: before that the process may sleep until entries are deleted. */
  private static void refuseOld(CommitRequest request) throws IOException {
    if (request.begun().filter(it -> it.isBefore(Instant.now().minus(OLDEST_JOB))).isPresent()) {
      throw new IOException(
          "it began at "
              + request.begun().get()
              + ". Entries of the commit log are kept for seven days, so that it is not known whether"
              + " an earlier attempt of it was committed. Look at the data before you run it again.");
    }
  }

  private LogTail readLog(CommitRequest request) throws IOException {
    // An operator, or an earlier attempt of the job, may have decided it since it began.
    return log.tailSince(request.begun().orElseGet(() -> Instant.now().minus(OLDEST_JOB)));
  }

  /** Names that the job's engine has given could be those of files that are yet to appear. */
  private void refuseBesideOpenEntries(CommitRequest request, LogTail tail) throws IOException {
    for (long number : request.job().plainNames() ? tail.unfinished() : List.<Long>of()) {
      Optional<LogEntry> entry = log.read(number);
      if (entry.filter(it -> it.kind() != EntryKind.VOID).isPresent()) {
        throw new IOException(
            entry.get().job().description()
                + " was committed there as entry "
                + number
                + " and is not complete, and files of both may have the same names. If its process"
                + " has gone, complete it by: "
                + RecoverCommand.of(entry.get().job()));
      }
    }
  }

  private void refuseForeignRecords(CommitRequest request) throws IOException {
    if (!request.job().id().equals(job.jobId())) {
      throw new IOException(
          "the request is for job " + request.job().id() + " and " + job.path() + " is another's");
    }
  }

  private static EntryDraft draft(
      CommitRequest request,
      PlanStage planning,
      PlanWriter writer,
      DirectorySet replaces,
      SortedSet<Long> follows) {
    List<Path> written = planning.written();
    return EntryDraft.deciding(
        replaces.isEmpty() ? EntryKind.ADD : EntryKind.REPLACE,
        writer,
        written.size() > LONGEST_SCOPE ? request.job().roots() : written,
        replaces,
        follows,
        WriteLease.LENGTH);
  }

  /** What no entry names means nothing; what is left of it is deleted after days. */
  private void drop(PlanWriter writer, Exception failure) {
    try {
      log.delete(writer.written().stream().flatMap(chunk -> chunk.documents()).toList());
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

  /** What another process has decided since this one read the log. */
  private Decided decidedMeanwhile(CommitRequest request, Exception failure)
      throws CommitFailedException, CommitStateUnknownException {
    Optional<LogEntry> standing;
    try {
      standing = log.find(job.jobId(), readLog(request));
      if (standing.isEmpty()) {
        refuseOld(request);
      }
    } catch (IOException | RuntimeException e) {
      failure.addSuppressed(e);
      throw unknown(request, failure);
    }
    return decidedBefore(request, standing.orElseThrow(() -> failed(request, failure)));
  }

  /**
   * After an attempt to decide of which it is not known whether it took effect, or will yet. To
   * decide the contrary settles that, and prevents it where it did not.
   */
  private LogEntry settle(CommitRequest request, LogTail tail, Exception failure)
      throws CommitFailedException, CommitStateUnknownException {
    LogEntry standing;
    try {
      standing = Uninterrupted.call(() -> log.decideAgainst(request.job(), tail));
    } catch (IOException | RuntimeException e) {
      failure.addSuppressed(e);
      throw unknown(request, failure);
    }
    if (standing.kind() == EntryKind.VOID) {
      throw failed(request, failure);
    }
    return standing;
  }

  private Decided decidedBefore(CommitRequest request, LogEntry entry)
      throws CommitFailedException, CommitStateUnknownException {
    if (entry.kind() == EntryKind.VOID) {
      throw failed(
          request,
          new IOException("the job was aborted, see " + log.location(entry.number()) + "."));
    }
    try {
      LogTail now = log.tailDownTo(entry.number());
      if (!now.isDone(entry.number())) {
        CommitPlan plan = log.plan(entry);
        new PlanChecks(request.job()).check(plan);
        return new Decided(entry, plan, true, Optional.empty(), now, List.of(), now.listed());
      }
      EndNote end =
          log.ends(entry.number(), now).stream()
              // One that says that a later entry has superseded it says nothing else.
              .max(
                  Comparator.<EndNote>comparingInt(note -> note.lost().size())
                      .thenComparingInt(EndNote::files))
              .orElse(EndNote.NOTHING);
      if (!end.lost().isEmpty()
          || now.markersOf(entry.number()).stream()
              .anyMatch(marker -> marker.ending() == Ending.DAMAGED)) {
        throw incomplete(request, end);
      }
      return new Decided(
          entry, log.nothing(request.job()), true, Optional.of(end), now, List.of(), now.listed());
    } catch (CommitStateUnknownException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      throw unknown(request, e);
    }
  }

  private static CommitStateUnknownException incomplete(CommitRequest request, EndNote end) {
    return new CommitStateUnknownException(
        request.job().description()
            + " was committed without some of its files, which are lost"
            + (end.lost().isEmpty() ? "" : ": " + end.lost())
            + ". The others are visible. Look at the data before you run it again.",
        null);
  }

  private CommitStateUnknownException unknown(CommitRequest request, Exception failure) {
    return new CommitStateUnknownException(
        request.job().description()
            + ": it is unknown whether it is committed, or what is left to do: "
            + ErrorText.of(failure)
            + " Nothing was deleted. When "
            + log.location()
            + " can be read again: "
            + RecoverCommand.of(request.job())
            + " completes it if it was committed.",
        failure);
  }

  private static CommitFailedException failed(CommitRequest request, Exception cause) {
    return new CommitFailedException(
        request.job().description()
            + " was not committed: "
            + ErrorText.of(cause)
            + " Nothing of it is visible and no old file was deleted; run it again once the cause is"
            + " fixed.",
        cause);
  }

  /** Everything after the decision. */
  private CommitReport execute(
      Decided decided, Workers workers, StageTimes times, RunningCommit running)
      throws CommitStateUnknownException, CommitDamagedException {
    CommitPlan plan = decided.plan();
    ExecuteEntry work =
        new ExecuteEntry(stores, log, decided.tail(), settings, etags, new KeyFingerprints());
    try {
      return Uninterrupted.call(
          () -> {
            OpenCommit commit = execute(work, decided, workers, times, running);
            int aborted = times.measure(Stage.CLEAN_UP, () -> cleanUp(plan, workers));
            return CommitReport.of(
                commit, aborted, decided.byOther(), decided.behind(), times.all(), etags.all());
          },
          progress.interval(),
          () -> progress.tell(work.visibleFiles(), plan.fileCount()));
    } catch (CommitDamagedException | CommitStateUnknownException e) {
      throw e;
    } catch (TakeOver.LeftException e) {
      throw new CommitStateUnknownException(
          RecoverCommand.afterInterruption(
              decided.target(), e.getMessage(), RecoverCommand.of(plan.job())),
          e);
    } catch (IOException | RuntimeException e) {
      throw new CommitStateUnknownException(
          plan.description()
              + " is committed, but could not be completed: "
              + ErrorText.of(e)
              + (work.visibleFiles() < plan.fileCount()
                  ? " "
                      + work.visibleFiles()
                      + " of its "
                      + plan.fileCount()
                      + " files are visible, and no old file was deleted."
                  : " All of its "
                      + plan.fileCount()
                      + " files are visible, and old ones that they replace may be, so that both are"
                      + " read.")
              + " Do not simply run it again: rows could be"
              + " there twice. The next job that writes there completes it, or: "
              + RecoverCommand.of(plan.job())
              + " (see "
              + log.location(decided.target().number())
              + ").",
          e);
    }
  }

  private OpenCommit execute(
      ExecuteEntry work, Decided decided, Workers workers, StageTimes times, RunningCommit running)
      throws IOException {
    LogEntry target = decided.target();
    CommitPlan plan = decided.plan();
    LogEntry entry = decided.byOther() ? resume(target, plan, workers) : target;
    int idle = 0;
    while (true) {
      ExecuteEntry.Result result;
      long before = work.writtenFiles();
      try {
        result = work.run(entry, target, plan, () -> isFresh(decided), workers, times);
      } catch (LeaseExpiredException e) {
        idle = work.writtenFiles() > before ? 0 : idle + 1;
        if (idle == IDLE_WINDOWS) {
          throw e;
        }
        LOG.info("{} goes on with a new window: {}", target.description(), e.getMessage());
        // Another process may have executed the entry, and deleted contents that are in memory.
        plan.release();
        plan = log.plan(log.read(target.number()).orElse(target));
        entry = resume(target, plan, workers);
        continue;
      }
      if (!result.lost().isEmpty()) {
        if (!target.kind().replaces()) {
          log.end(entry, Ending.DAMAGED, EndNote.of(plan, result.lost()));
        }
        throw new CommitDamagedException(
            plan,
            result.lost(),
            target.kind().replaces()
                ? Optional.of(RecoverCommand.of(plan.job()))
                : Optional.empty());
      }
      if (result.givenUp()) {
        if (entry.number() != target.number()) {
          log.end(entry, Ending.LEFT, EndNote.NOTHING);
        }
        throw new CommitStateUnknownException(
            target.description()
                + " was committed, and then given up by an operator (recover --give-up): what was"
                + " visible of it then stays, the rest never will be. Look at the data before you"
                + " run it again.",
            null);
      }
      return new OpenCommit(log, entry, target, plan, result, settings.threads(), running);
    }
  }

  private LogEntry resume(LogEntry target, CommitPlan plan, Workers workers) throws IOException {
    return new TakeOver(stores, log)
        .begin(target, plan, log.tailDownTo(target.number()), false, workers);
  }

  /** The job is committed whatever happens here, so a failure is logged and goes no further. */
  private int cleanUp(CommitPlan plan, Workers workers) {
    try {
      UploadSweep.Result sweep = job.sweep(stores, plan).run(workers);
      job.finish(sweep);
      return sweep.aborted();
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "{} is committed. Uploads of attempts that were not chosen could not all be aborted and go"
              + " on costing storage; a later job tries again (see {}).",
          plan.description(),
          job.path(),
          e);
      return 0;
    }
  }
}
