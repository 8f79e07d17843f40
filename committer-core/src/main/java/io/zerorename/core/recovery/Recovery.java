package io.zerorename.core.recovery;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.EndNote;
import io.zerorename.core.log.EntryKind;
import io.zerorename.core.log.EntryState;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.manifest.MalformedManifestException;
import io.zerorename.core.parallel.Pauses;
import io.zerorename.core.store.ErrorText;
import io.zerorename.core.store.ObjectStores;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Executes the entries of a destination's log that have not ended. It works from the {@link
 * CommitLog} and the store alone, may be repeated, and may run beside another recovery or beside
 * the process that has decided the entry.
 */
public final class Recovery {

  /** Between two looks at the log behind commits that others execute. */
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(4);

  /** How long a process that has read an entry before may execute it, which nothing can stop. */
  private static final Duration LONGEST_UNSTOPPED = Duration.ofMinutes(21);

  private final CommitLog log;
  private final RecoverEntry recover;

  /**
   * A recovery at one destination.
   *
   * @param log of that destination
   */
  public Recovery(ObjectStores stores, CommitLog log, CommitSettings settings, JobEngine engine) {
    this.log = requireNonNull(log, "log");
    this.recover = new RecoverEntry(stores, log, settings, engine);
  }

  /**
   * The ids of the jobs whose entries have not ended, in the order of their numbers. One request,
   * and one for each of them.
   */
  public List<String> open() throws IOException {
    List<String> jobs = new ArrayList<>();
    LogTail tail = log.tail();
    for (Found found : find(tail)) {
      found.entry().ifPresent(entry -> jobs.add(entry.job().id()));
    }
    return List.copyOf(jobs);
  }

  /**
   * An entry that has not ended.
   *
   * @param entry empty where it cannot be read
   */
  private record Found(long number, Optional<LogEntry> entry, Optional<IOException> failure) {}

  private List<Found> find(LogTail tail) throws IOException {
    List<Found> found = new ArrayList<>();
    for (long number : tail.open()) {
      try {
        Optional<LogEntry> entry = log.read(number, tail);
        if (entry.filter(it -> it.kind() == EntryKind.VOID).isPresent()) {
          // Its writer was interrupted before it noted that; nothing is left to do for it.
          log.mark(entry.get(), EntryState.COMPLETE, EndNote.NOTHING);
        } else if (entry.isPresent()) {
          found.add(new Found(number, entry, Optional.empty()));
        }
      } catch (MalformedManifestException e) {
        found.add(new Found(number, Optional.empty(), Optional.of(e)));
      }
    }
    return List.copyOf(found);
  }

  /** What a recovery does with an entry. */
  private enum Manner {
    /** What could bring back what others have removed is left to an operator. */
    CAREFUL,
    /** An operator has checked the data. */
    BY_OPERATOR,
    /** And ends what cannot be completed. */
    GIVING_UP
  }

  /**
   * Executes every entry that has not ended, but for those that are left to an operator. One
   * listing where there is none.
   *
   * @param grace how old an entry is at least, unless a process has left it: before, its own may be
   *     at work on it, which two need not do
   * @return what was found, in the order of the numbers
   */
  public List<Recovered> run(Duration grace) throws IOException {
    return run(grace, Manner.CAREFUL);
  }

  /**
   * Like {@link #run}, for a statement that must not meet commits which others are still executing:
   * it waits for their end, or until they are old enough and are executed here, for the grace
   * period at most. What is decided meanwhile is not waited for: a statement must not starve behind
   * steady writers. One request at least every few seconds.
   *
   * @param waitsFor gets each commit that is waited for
   * @return what was found, without the commits that have ended meanwhile
   */
  public List<Recovered> runBehind(Duration grace, Consumer<Recovered.UnderWay> waitsFor)
      throws IOException {
    List<Recovered> results = new ArrayList<>();
    Map<Long, Recovered.UnderWay> awaited = new TreeMap<>();
    for (Recovered result : run(grace)) {
      if (result instanceof Recovered.UnderWay commit) {
        awaited.put(commit.number(), commit);
        waitsFor.accept(commit);
      } else {
        results.add(result);
      }
    }
    long begun = System.nanoTime();
    Duration pause = LONGEST_PAUSE.dividedBy(8);
    Set<Long> dueBefore = new HashSet<>();
    while (!awaited.isEmpty()) {
      Pauses.pause(pause, "Interrupted while earlier commits were waited for");
      pause = pause.equals(LONGEST_PAUSE) ? pause : pause.multipliedBy(2);
      LogTail tail = log.tail();
      awaited.keySet().removeIf(tail::isEnded);
      boolean over = System.nanoTime() - begun >= grace.toNanos();
      Set<Long> due = new HashSet<>(awaited.keySet());
      due.removeIf(number -> !over && mayBeUnderWay(number, tail, grace));
      if (over || due.stream().anyMatch(dueBefore::add)) {
        for (Recovered result : run(grace)) {
          if (due.contains(result.number())
              && (over || !(result instanceof Recovered.UnderWay))
              && awaited.remove(result.number()) != null) {
            results.add(result);
          }
        }
      }
      if (over) {
        return results;
      }
    }
    return results;
  }

  /** Executes every entry that has not ended, at once: an operator has checked the data. */
  public List<Recovered> resumeAll() throws IOException {
    return run(Duration.ZERO, Manner.BY_OPERATOR);
  }

  /**
   * Like {@link #resumeAll}, and ends entries of which files are lost or whose records were
   * changed: what is visible stays, and no job meets them again.
   */
  public List<Recovered> giveUp() throws IOException {
    return run(Duration.ZERO, Manner.GIVING_UP);
  }

  /**
   * What {@link #resumeAll} would do with each entry that has not ended. It changes nothing. One
   * listing, one request for each such entry, and one for each chunk of its plan.
   */
  public List<PlannedRecovery> preview() throws IOException {
    LogTail tail = log.tail();
    List<PlannedRecovery> planned = new ArrayList<>();
    for (long number : tail.open()) {
      try {
        Optional<LogEntry> entry = log.read(number, tail);
        if (entry.filter(LogEntry::hasPlan).isPresent()) {
          planned.add(preview(entry.get(), tail));
        }
      } catch (MalformedManifestException e) {
        planned.add(
            PlannedRecovery.none(
                number, "", "a job", PlannedRecovery.Step.UNREADABLE, ErrorText.of(e)));
      }
    }
    return List.copyOf(planned);
  }

  private PlannedRecovery preview(LogEntry target, LogTail tail) throws IOException {
    long number = target.number();
    String id = target.job().id();
    String description = target.job().description();
    CommitPlan plan = log.plan(target);
    try {
      recover.check(plan);
      return new PlannedRecovery(
          number,
          id,
          description,
          tail.state(number) == EntryState.METASTORE_OPEN && !recover.hasMetastore()
              ? PlannedRecovery.Step.LEAVE_TO_HIVE
              : PlannedRecovery.Step.COMPLETE,
          "",
          plan.fileCount(),
          plan.replacedCount());
    } catch (RecoverEntry.NotAllowedException e) {
      return PlannedRecovery.none(
          number, id, description, PlannedRecovery.Step.REFUSE, ErrorText.of(e));
    } finally {
      plan.release();
    }
  }

  private List<Recovered> run(Duration grace, Manner manner) throws IOException {
    LogTail tail = log.tail();
    List<Recovered> results = new ArrayList<>();
    // Each needs later ones to end before.
    Deque<Found> behind = new ArrayDeque<>();
    boolean first = true;
    for (Found found : find(tail)) {
      // While one was executed, another may have ended.
      List<Recovered> ofOne =
          one(found, first ? tail : log.tailDownTo(found.number()), grace, manner);
      first = false;
      if (ofOne.stream().anyMatch(Recovery::isBehind)) {
        behind.addFirst(found);
      } else {
        results.addAll(ofOne);
      }
    }
    for (Found found : behind) {
      List<Recovered> ofOne = one(found, log.tailDownTo(found.number()), grace, manner);
      Optional<Recovered> left =
          manner == Manner.CAREFUL && ofOne.stream().anyMatch(Recovery::isBehind)
              ? recover.leaveBehind(found.entry().orElseThrow())
              : Optional.empty();
      results.addAll(left.map(List::of).orElse(ofOne));
    }
    results.sort(Comparator.comparingLong(Recovered::number));
    return List.copyOf(results);
  }

  /** Nothing where it has ended. */
  private List<Recovered> one(Found found, LogTail tail, Duration grace, Manner manner)
      throws IOException {
    if (tail.isEnded(found.number())) {
      return List.of();
    }
    Recovered result = recover(found, tail, grace, manner);
    if (manner == Manner.GIVING_UP
        && result instanceof Recovered.Damaged damaged
        && !damaged.ended()) {
      return List.of(result, giveUp(found, log.tail()));
    }
    return manner == Manner.GIVING_UP && isUnreadable(result)
        ? List.of(result, giveUpByName(found, tail))
        : List.of(result);
  }

  private static boolean isUnreadable(Recovered result) {
    return result instanceof Recovered.Failed failed && failed.isUnreadable();
  }

  /** Whether a later entry had to be executed before. */
  private static boolean isBehind(Recovered result) {
    return result instanceof Recovered.Failed failed
        && failed.cause() instanceof RecoverEntry.BehindLaterException;
  }

  private Recovered recover(Found found, LogTail tail, Duration grace, Manner manner) {
    try {
      if (found.failure().isPresent()) {
        throw found.failure().get();
      }
      LogEntry target = found.entry().orElseThrow();
      EntryState state = tail.state(target.number());
      if (!grace.isZero() && mayBeUnderWay(target.number(), tail, grace)) {
        return new Recovered.UnderWay(target, tail.written(target.number()));
      }
      if (manner == Manner.CAREFUL && state == EntryState.LEFT) {
        return leftBefore(target, tail);
      }
      if (state == EntryState.METASTORE_OPEN && !recover.hasMetastore()) {
        return new Recovered.MetastoreOpen(target, log.plan(target));
      }
      if (tail.isGivenUp(target.number())) {
        // The process that has begun it was interrupted.
        return recover.giveUp(target, tail);
      }
      return recover.run(target, tail, manner != Manner.CAREFUL);
    } catch (IOException | RuntimeException e) {
      return failed(found, e);
    }
  }

  /**
   * A process that has marked an entry as left, or open for the metastore, is not at work on it.
   */
  private static boolean mayBeUnderWay(long number, LogTail tail, Duration grace) {
    EntryState state = tail.state(number);
    return (state == EntryState.OPEN || state == EntryState.GIVEN_UP)
        && !tail.isOlderThan(number, grace);
  }

  /** What was lost then is still lost. */
  private Recovered leftBefore(LogEntry target, LogTail tail) throws IOException {
    for (EndNote note : log.notes(target.number(), tail)) {
      if (!note.lost().isEmpty()) {
        return new Recovered.Damaged(target, note.lost(), false);
      }
    }
    return new Recovered.Left(target, "an earlier attempt has left it.");
  }

  /** Before the first change. */
  private Recovered.Failed failed(Found found, Exception e) {
    return recover.failed(found.number(), found.entry(), RecoverEntry.NOTHING_DELETED, e);
  }

  private Recovered giveUp(Found found, LogTail tail) {
    try {
      return recover.giveUp(found.entry().orElseThrow(), tail);
    } catch (IOException | RuntimeException e) {
      return failed(found, e);
    }
  }

  /**
   * Of an entry whose records cannot be read nothing can be aborted. Nothing stops a process that
   * has read them before, so it ends a while after the first try, when none can be executing it.
   */
  private Recovered giveUpByName(Found found, LogTail tail) {
    try {
      if (!tail.wasGivenUpBefore(found.number(), LONGEST_UNSTOPPED)) {
        log.markUnreadable(found.number(), found.entry(), tail, EntryState.GIVEN_UP);
        throw new IOException(
            ("ZR-1313: None of its uploads can be aborted here, and a process that has read its"
                    + " records before may be executing it. Run the command again %s minutes after"
                    + " the first time.")
                .formatted(LONGEST_UNSTOPPED.toMinutes() + 1));
      }
      log.markUnreadable(found.number(), found.entry(), tail, EntryState.DAMAGED);
      return new Recovered.GivenUp(
          found.number(), found.entry().map(it -> it.job().id()).orElse(""), List.of());
    } catch (IOException | RuntimeException e) {
      return failed(found, e);
    }
  }

  /**
   * Ends the entry of one job as it is, whether or not it could be completed.
   *
   * @return what became of it; empty where the job has none that has not ended
   */
  public Optional<Recovered> giveUp(String jobId) throws IOException {
    LogTail tail = log.tail();
    for (Found found : find(tail)) {
      if (found.entry().filter(it -> it.job().id().equals(jobId)).isPresent()) {
        Recovered result = giveUp(found, tail);
        return Optional.of(isUnreadable(result) ? giveUpByName(found, tail) : result);
      }
    }
    return Optional.empty();
  }
}
