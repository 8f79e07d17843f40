package io.zerorename.core.recovery;

import io.zerorename.core.commit.CommitReport;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.document.MalformedDocumentException;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.EndNote;
import io.zerorename.core.log.EntryState;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.log.RunId;
import io.zerorename.core.recovery.RecoverEntry.Manner;
import io.zerorename.core.store.ErrorText;
import io.zerorename.core.store.ObjectStores;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.hadoop.fs.Path;

/**
 * Executes the entries of a destination's log that have not ended. It works from the {@link
 * CommitLog} and the store alone, may be repeated, and may run beside another recovery or beside
 * the process that has decided the entry.
 *
 * @param log of one destination
 */
public record Recovery(
    ObjectStores stores, CommitLog log, CommitSettings settings, JobEngine engine) {
  /** How long a process that has read an entry before may execute it, which nothing can stop. */
  private static final Duration LONGEST_UNSTOPPED = Duration.ofMinutes(21);

  private RecoverEntry recoverEntry() {
    return new RecoverEntry(stores, log, settings, engine);
  }

  /**
   * The entries that have not ended, by their numbers; empty where one cannot be read. One request,
   * and one for each of them.
   */
  public SortedMap<Long, Optional<LogEntry>> openEntries() throws IOException {
    return open(log.tail());
  }

  private SortedMap<Long, Optional<LogEntry>> open(LogTail tail) throws IOException {
    SortedMap<Long, Optional<LogEntry>> open = new TreeMap<>();
    for (long number : tail.open()) {
      try {
        log.read(number, tail)
            .filter(it -> it.kind().commits())
            .ifPresent(it -> open.put(number, Optional.of(it)));
      } catch (MalformedDocumentException e) {
        // It does not say whose it is.
        open.put(number, Optional.empty());
      }
    }
    return open;
  }

  /**
   * Executes every entry that has not ended, but for those that are left to an operator. One
   * listing where there is none.
   *
   * @param grace how old an entry is at least, unless a process has left it: before, its own may be
   *     at work on it, which two need not do; zero for a statement that must meet no open commit
   * @return what was found, in the order of the numbers
   */
  public List<Recovered> run(Duration grace) throws IOException {
    return run(grace, Manner.CAREFUL);
  }

  /**
   * The same as an operator wants it. Giving up also ends entries of which files are lost or whose
   * records were changed: what is visible stays, and no job meets them again.
   */
  public List<Recovered> run(Duration grace, Manner manner) throws IOException {
    LogTail first = log.tail();
    List<Recovered> results = new ArrayList<>();
    // Each needs later ones to end before.
    Deque<Long> behind = new ArrayDeque<>();
    SortedSet<Long> open = first.open();
    for (long number : open) {
      // While one was executed, another may have ended.
      LogTail tail = number == open.first() ? first : log.tailDownTo(number);
      Optional<Recovered> result = one(number, tail, grace, manner);
      if (result.filter(Recovered.Behind.class::isInstance).isPresent()) {
        behind.addFirst(number);
      } else {
        result.ifPresent(results::add);
      }
    }
    for (long number : behind) {
      Optional<Recovered> result = one(number, log.tailDownTo(number), grace, manner);
      if (manner == Manner.CAREFUL
          && result.isPresent()
          && result.get() instanceof Recovered.Behind stays) {
        results.add(recoverEntry().leaveBehind(stays));
      } else {
        result.ifPresent(results::add);
      }
    }
    results.sort(Comparator.comparingLong(Recovered::number));
    return List.copyOf(results);
  }

  /**
   * The entry that has committed the run of a job, before its tasks write. One request per 1,000
   * records of the log, and one for each entry that has not ended; none for a job without a run.
   */
  public static Optional<LogEntry> findRun(OutputJob job, CommitLog log) throws IOException {
    return job.run().isEmpty()
        ? Optional.empty()
        : log.find(job, log.tailSince(Instant.EPOCH)).filter(it -> it.kind().commits());
  }

  /**
   * What a job does whose run another job has committed, to see to it that all of that is there.
   * Executes the entry, if it has not ended, and looks for each of its files: whoever repeats the
   * run expects its rows. One request per file. Nothing where the job has committed itself.
   *
   * @throws IOException where the entry cannot be completed now, or files of it are gone
   */
  public void completeRun(CommitReport report) throws IOException {
    if (report.repeats().isEmpty()) {
      return;
    }
    LogEntry entry = report.entry();
    Optional<Recovered> open =
        one(entry.number(), log.tailDownTo(entry.number()), Duration.ZERO, Manner.CAREFUL);
    if (open.filter(it -> it instanceof Recovered.Damaged || !it.isExecuted()).isPresent()) {
      throw new IOException(
          ("ZR-1137: The run \"%s\" (%s) was committed before, and is not complete. This attempt has"
                  + " written nothing. Repeat it once the cause is mended: %s")
              .formatted(idOf(entry), CoreKeys.RUN_ID.name(), open.get().message()));
    }
    Queue<Path> gone = new ConcurrentLinkedQueue<>();
    settings
        .workers()
        .forEach(
            log.plan(entry).uploads(),
            file -> {
              if (!file.isThere(stores)) {
                gone.add(file.destination());
              }
            });
    if (!gone.isEmpty()) {
      throw new IOException(
          ("ZR-1138: The run \"%s\" (%s) was committed by job %s at %s as entry %s, and since then"
                  + " files of it (%s) were replaced, deleted or lost, such as %s. This attempt has"
                  + " written nothing. If the rows are to be written again, run it with another id.")
              .formatted(
                  idOf(entry),
                  CoreKeys.RUN_ID.name(),
                  entry.job().id(),
                  report.repeats().get(),
                  entry.number(),
                  gone.size(),
                  gone.peek()));
    }
  }

  private static String idOf(LogEntry entry) {
    return entry.job().run().map(RunId::id).orElse("");
  }

  /**
   * Ends the entry of one job as it is, whether or not it could be completed.
   *
   * @return what became of it; empty where the job has none that has not ended
   */
  public Optional<Recovered> giveUp(String jobId) throws IOException {
    LogTail tail = log.tail();
    return open(tail).values().stream()
        .flatMap(Optional::stream)
        .filter(entry -> entry.job().id().equals(jobId))
        .findFirst()
        .map(entry -> giveUp(entry, tail));
  }

  /** What becomes of an entry; empty where it has ended. */
  private Optional<Recovered> one(long number, LogTail tail, Duration grace, Manner manner)
      throws IOException {
    if (tail.isEnded(number)) {
      return Optional.empty();
    }
    Optional<LogEntry> entry = Optional.empty();
    Recovered result;
    try {
      entry = log.read(number, tail);
      if (entry.isEmpty()) {
        return Optional.empty();
      }
      if (!entry.get().kind().commits()) {
        // Its writer was interrupted before it noted that; nothing is left to do for it.
        log.mark(entry.get(), EntryState.COMPLETE, EndNote.NOTHING);
        return Optional.empty();
      }
      result = recover(entry.get(), tail, grace, manner);
    } catch (MalformedDocumentException e) {
      result = failed(number, entry, e);
    }
    if (manner == Manner.GIVING_UP) {
      if (result instanceof Recovered.Damaged damaged && damaged.state() == EntryState.LEFT) {
        result = giveUp(damaged.entry(), log.tail());
      } else if (result instanceof Recovered.Failed failed) {
        result = byNameIfUnreadable(failed, entry, tail);
      }
    }
    return Optional.of(result);
  }

  private Recovered recover(LogEntry entry, LogTail tail, Duration grace, Manner manner) {
    long number = entry.number();
    EntryState state = tail.state(number);
    try {
      if (!grace.isZero() && mayBeUnderWay(number, tail, grace)) {
        return new Recovered.UnderWay(entry, tail.written(number));
      }
      if (manner == Manner.CAREFUL && state == EntryState.LEFT) {
        // What was lost then is still lost.
        List<Path> lost = log.lost(number, tail);
        return lost.isEmpty()
            ? new Recovered.Left(entry, "an earlier attempt has left it.")
            : new Recovered.Damaged(entry, lost, EntryState.LEFT);
      }
      if (state == EntryState.METASTORE_OPEN && !engine.hasMetastore()) {
        return Recovered.metastoreOpen(entry, log.plan(entry), log.lost(number, tail));
      }
      // Of what is given up the process that has begun it was interrupted.
      Manner first = manner == Manner.CAREFUL ? manner : Manner.BY_OPERATOR;
      return recoverEntry().run(entry, tail, tail.isGivenUp(number) ? Manner.GIVING_UP : first);
    } catch (IOException | RuntimeException e) {
      return failed(number, Optional.of(entry), e);
    }
  }

  /**
   * A process that has marked an entry as left, or open for the metastore, is not at work on it.
   */
  private static boolean mayBeUnderWay(long number, LogTail tail, Duration grace) {
    EntryState state = tail.state(number);
    return (state == EntryState.OPEN || state == EntryState.GIVEN_UP)
        && !tail.written(number).plus(grace).isBefore(tail.listed());
  }

  private Recovered giveUp(LogEntry entry, LogTail tail) {
    try {
      return recoverEntry().run(entry, tail, Manner.GIVING_UP);
    } catch (IOException | RuntimeException e) {
      Optional<LogEntry> known = Optional.of(entry);
      return byNameIfUnreadable(failed(entry.number(), known, e), known, tail);
    }
  }

  /**
   * Of an entry whose records cannot be read nothing can be aborted. Nothing stops a process that
   * has read them before, so it ends a while after the first try, when none can be executing it.
   */
  private Recovered byNameIfUnreadable(
      Recovered.Failed failed, Optional<LogEntry> entry, LogTail tail) {
    long number = failed.number();
    if (!failed.isUnreadable()) {
      return failed;
    }
    try {
      if (!tail.wasGivenUpBefore(number, tail.listed().minus(LONGEST_UNSTOPPED))) {
        log.markUnreadable(number, entry, tail, EntryState.GIVEN_UP);
        throw new IOException(
            ("ZR-1313: None of its uploads can be aborted here, because its records cannot be read:"
                    + " %s A process that has read them before may be executing it. Run the command"
                    + " again %s minutes after the first time.")
                .formatted(ErrorText.of(failed.cause()), LONGEST_UNSTOPPED.toMinutes() + 1));
      }
      log.markUnreadable(number, entry, tail, EntryState.DAMAGED);
      return new Recovered.GivenUp(number, failed.jobId(), List.of());
    } catch (IOException | RuntimeException e) {
      return failed(number, entry, e);
    }
  }

  /** Before the first change. */
  private Recovered.Failed failed(long number, Optional<LogEntry> entry, Exception cause) {
    return recoverEntry().failed(number, entry, RecoverEntry.NOTHING_DELETED, cause);
  }
}
