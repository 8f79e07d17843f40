package io.zerorename.core.commit;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.EndNote;
import io.zerorename.core.log.EntryKind;
import io.zerorename.core.log.EntryState;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.log.RunId;
import io.zerorename.core.parallel.Uninterrupted;
import io.zerorename.core.store.ErrorText;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Finds out what has decided a job: the entry of this process or of another, or none. Without one
 * the job has failed; where that cannot be known, its state is unknown, unless {@link #settle} can
 * decide against it. {@link CommitLog#decideWhile} decides for it.
 */
record FindDecision(CommitLog log, CommitRequest request) {
  /** Entries may be deleted after seven days: what had decided an older job could be gone. */
  static final Duration OLDEST_JOB = Duration.ofDays(6);

  /**
   * A job that is decided.
   *
   * @param entry that decides it
   * @param tail what was read of the log
   * @param plan that is to be executed; empty where the entry has ended, or is of another job
   * @param isOwn whether this call has written the entry; another process or call may have executed
   *     some of it
   * @param listed when this call began to list old files; empty where another has
   */
  record Decided(
      LogEntry entry,
      LogTail tail,
      Optional<CommitPlan> plan,
      boolean isOwn,
      Optional<ListingTime> listed) {
    /** Whether the entry is of another job, which has committed the run of this one. */
    boolean isOfAnother(OutputJob job) {
      return !entry.job().id().equals(job.id());
    }
  }

  LogTail readLog() throws IOException {
    // An operator, or an earlier attempt of the job, may have decided it since it began. Another
    // job may have committed its run at any time.
    return log.tailSince(
        request.job().run().isPresent()
            ? Instant.EPOCH
            : request.begun().orElseGet(() -> Instant.now().minus(OLDEST_JOB)));
  }

  /** The entry that has decided the job, or committed its run, if any. */
  Optional<LogEntry> find(LogTail tail) throws IOException {
    // After the log was listed: before that the process may sleep until entries are deleted.
    refuseOld();
    return log.find(request.job(), tail);
  }

  private void refuseOld() throws IOException {
    Instant oldest = log.now().minus(OLDEST_JOB);
    if (request.begun().filter(it -> it.isBefore(oldest)).isPresent()) {
      throw new CommitFailedException(
          ("ZR-1107: %s: this attempt committed nothing and deleted nothing. It began at %s, more"
                  + " than six days ago. Entries of the commit log may be deleted after seven, so"
                  + " that an earlier attempt may have been committed without a trace. Look for its rows"
                  + " in %s. Only if they are absent, run it again as a new job.")
              .formatted(
                  request.job().description(), request.begun().get(), request.job().destination()),
          null);
    }
  }

  /** Names that the job's engine has given could be those of files that are yet to appear. */
  void refuseBesideOpenEntries(LogTail tail) throws IOException {
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

  /** As {@link CommitLog#decideWhile}; what it meets may be a conflict. */
  LogEntry decide(LogEntry draft, LogTail tail) throws IOException {
    return log.decideWhile(
            met -> {
              List<Long> numbers = met.stream().map(LogEntry::number).toList();
              request.seen().refuse(numbers, draft.replaced(), log, tail);
              return true;
            },
            draft,
            tail)
        .orElseThrow();
  }

  /** What another process has decided since this one read the log. */
  Decided decidedMeanwhile(Exception failure)
      throws CommitFailedException, CommitStateUnknownException {
    Optional<LogEntry> existing;
    try {
      LogTail tail = readLog();
      existing = log.find(request.job(), tail);
      if (existing.isEmpty()) {
        refuseOld();
      }
    } catch (CommitFailedException e) {
      e.addSuppressed(failure);
      throw e;
    } catch (IOException | RuntimeException e) {
      failure.addSuppressed(e);
      throw unknown(failure);
    }
    return decidedBefore(existing.orElseThrow(() -> failed(failure)));
  }

  /**
   * After an attempt to decide of which it is not known whether it took effect, or will yet. To
   * decide the contrary settles that, and prevents it where it did not.
   */
  LogEntry settle(LogTail tail, Exception failure)
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

  /** Takes the entry that another process or call has written. */
  Decided decidedBefore(LogEntry entry) throws CommitFailedException, CommitStateUnknownException {
    if (entry.kind() == EntryKind.VOID) {
      throw failed(
          new IOException(
              "ZR-1110: the job was aborted, see " + log.location(entry.number()) + "."));
    }
    refuseOtherStatement(entry);
    try {
      LogTail now = log.tailDownTo(entry.number());
      Decided decided = new Decided(entry, now, Optional.empty(), false, Optional.empty());
      if (now.isEnded(entry.number()) || decided.isOfAnother(request.job())) {
        return decided;
      }
      CommitPlan plan = log.plan(entry);
      new PlanChecks(request.job()).check(plan);
      return new Decided(entry, now, Optional.of(plan), false, Optional.empty());
    } catch (IOException | RuntimeException e) {
      throw unknown(e);
    }
  }

  /** Success would hide that nothing was written for this one. */
  private void refuseOtherStatement(LogEntry entry) throws CommitFailedException {
    Optional<RunId> run = request.job().run();
    String there = entry.job().run().map(RunId::statement).orElse("");
    if (run.filter(it -> !it.statement().equals(there)).isPresent()) {
      throw failed(
          new IOException(
              ("ZR-1135: %s is \"%s\", and another statement has been committed there under that"
                      + " id, as entry %s (see %s). Give each statement that adds to a table an id of"
                      + " its own.")
                  .formatted(
                      CoreKeys.RUN_ID.name(),
                      run.get().id(),
                      entry.number(),
                      log.location(entry.number()))));
    }
  }

  /** What is known of an entry that has ended, unless files of it are lost. */
  EndNote note(LogEntry entry, LogTail tail) throws IOException {
    EndNote end =
        log.notes(entry.number(), tail).stream()
            // The note of a superseded entry is empty; another marker of it may say more.
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

  CommitStateUnknownException unknown(Exception failure) {
    return new CommitStateUnknownException(
        ("ZR-1112: %s: it is unknown whether it is committed, or what is left to do: %s This"
                + " attempt deleted nothing. Do not run it again before this is settled: when %s can"
                + " be read again, %s completes it if it was committed.")
            .formatted(
                request.job().description(),
                ErrorText.of(failure),
                log.location(),
                RecoveryAdvice.of(request.job())),
        failure);
  }

  CommitFailedException failed(Exception cause) {
    return new CommitFailedException(
        ("ZR-1113: %s was not committed: %s Nothing of it is visible and no old file was deleted;"
                + " run it again once the cause is fixed.")
            .formatted(request.job().description(), ErrorText.of(cause)),
        cause);
  }
}
