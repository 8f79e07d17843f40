package io.zerorename.core.recovery;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.commit.RecoveryAdvice;
import io.zerorename.core.job.CommitSettings;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.EndNote;
import io.zerorename.core.log.Ending;
import io.zerorename.core.log.EntryKind;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.manifest.MalformedManifestException;
import io.zerorename.core.parallel.Pauses;
import io.zerorename.core.store.ErrorText;
import io.zerorename.core.store.ObjectStores;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Resumes the entries of a destination's log that other processes have not executed to their end.
 * It works from the {@link CommitLog} and the store alone, may be repeated, and may run beside
 * another recovery or beside the process that it takes for dead.
 */
public final class Recovery {
  private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);
  static final String NOTHING_DELETED = "Nothing that it replaces was deleted.";

  /** Between two looks at the log behind commits that others execute. */
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(4);

  private final CommitLog log;
  private final ResumeEntry resume;
  private final LiveExecutor executors;

  /**
   * A recovery at one destination.
   *
   * @param log of that destination
   */
  public Recovery(ObjectStores stores, CommitLog log, CommitSettings settings, JobEngine engine) {
    this.log = requireNonNull(log, "log");
    this.resume = new ResumeEntry(stores, log, settings, engine);
    this.executors = new LiveExecutor(log);
  }

  /**
   * The ids of the jobs whose entries have not ended, in the order of their numbers. One request,
   * and one for each entry that is not quiet.
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
    Map<Long, Found> found = new TreeMap<>();
    for (long number : tail.notQuiet()) {
      try {
        Optional<LogEntry> entry =
            tail.marker(number).isEmpty() ? log.read(number) : Optional.empty();
        long target = entry.map(LogEntry::target).orElse(tail.target(number));
        if (entry.filter(it -> it.kind() == EntryKind.VOID).isPresent()) {
          // Its writer was interrupted before it noted that; nothing is left to do for it.
          log.end(entry.get(), Ending.COMPLETE, EndNote.NOTHING);
        } else if (entry.isPresent()
            && target != number
            && tail.isDone(target)
            && log.tailDownTo(target).isOver(entry.get())) {
          // A process that resumed another entry was interrupted, and a third has completed that.
          log.end(entry.get(), Ending.LEFT, EndNote.NOTHING);
        } else if (!tail.isDone(target) && !found.containsKey(target)) {
          Optional<LogEntry> decides =
              entry.filter(it -> it.number() == target).isPresent() ? entry : log.read(target);
          if (decides.isPresent()) {
            found.put(target, new Found(target, decides, Optional.empty()));
          }
        }
      } catch (MalformedManifestException e) {
        found.put(number, new Found(number, Optional.empty(), Optional.of(e)));
      }
    }
    return List.copyOf(found.values());
  }

  /** What a recovery does with an entry. */
  private enum Manner {
    /** What could bring back what others have removed is left to an operator. */
    CAREFUL,
    /** An operator has checked the data. */
    BY_OPERATOR,
    /** And ends what cannot be completed. */
    FORCE_CLOSING
  }

  /**
   * Resumes every entry that no process can be executing, but for those that are left to an
   * operator. One listing where there is none.
   *
   * @param grace how long an entry whose executor may be alive is left alone
   * @return what was found, in the order of the numbers
   */
  public List<Recovered> run(Duration grace) throws IOException {
    return run(grace, Manner.CAREFUL);
  }

  /**
   * Like {@link #run}, for a statement that must not meet commits which others are still executing:
   * it waits for their end, or until they have been left alone long enough and are resumed here,
   * for the grace period at most. What is decided meanwhile is not waited for: a statement must not
   * starve behind steady writers. One request at least every few seconds.
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
      awaited.keySet().removeIf(tail::isDone);
      boolean over = System.nanoTime() - begun >= grace.toNanos();
      Set<Long> due = new HashSet<>(awaited.keySet());
      due.removeIf(number -> !over && !tail.isOlderThan(number, grace));
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

  /** Like {@link #run}, and resumes what is left to an operator. */
  public List<Recovered> resumeAll(Duration grace) throws IOException {
    return run(grace, Manner.BY_OPERATOR);
  }

  /**
   * Like {@link #resumeAll}, and ends entries of which files are lost or whose records were
   * changed: what is visible stays, and no job meets them again.
   */
  public List<Recovered> forceClose(Duration grace) throws IOException {
    return run(grace, Manner.FORCE_CLOSING);
  }

  /**
   * What {@link #resumeAll} would do with each entry that has not ended. It changes nothing. One
   * listing, one request for each such entry, and one for each chunk of its plan.
   */
  public List<PlannedRecovery> preview(Duration grace) throws IOException {
    LogTail tail = log.tail();
    Map<Long, PlannedRecovery> planned = new TreeMap<>();
    for (long number : tail.unfinished()) {
      try {
        Optional<LogEntry> entry = log.read(number, tail);
        long target = entry.map(LogEntry::target).orElse(number);
        if (entry.filter(it -> it.kind() != EntryKind.VOID).isPresent()
            && !tail.isDone(target)
            && !planned.containsKey(target)) {
          Optional<LogEntry> decides = target == number ? entry : log.read(target, tail);
          if (decides.isPresent()) {
            planned.put(target, preview(decides.get(), tail, grace));
          }
        }
      } catch (MalformedManifestException e) {
        planned.put(
            number,
            PlannedRecovery.none(
                number, "", "a job", PlannedRecovery.Step.UNREADABLE, ErrorText.of(e)));
      }
    }
    return List.copyOf(planned.values());
  }

  private PlannedRecovery preview(LogEntry target, LogTail tail, Duration grace)
      throws IOException {
    long number = target.number();
    String id = target.job().id();
    String description = target.job().description();
    Optional<String> executor = executors.of(target, tail, grace);
    if (executor.isPresent()) {
      return PlannedRecovery.none(
          number,
          id,
          description,
          PlannedRecovery.Step.LEAVE_ALONE,
          executor.get() + " may still be executing it.");
    }
    CommitPlan plan = log.plan(target);
    try {
      resume.check(plan);
      return new PlannedRecovery(
          number,
          id,
          description,
          tail.isInPlace(number) && !resume.hasMetastore()
              ? PlannedRecovery.Step.LEAVE_TO_HIVE
              : PlannedRecovery.Step.COMPLETE,
          "",
          plan.fileCount(),
          plan.replacedCount());
    } catch (NotAllowedException e) {
      return PlannedRecovery.none(
          number, id, description, PlannedRecovery.Step.REFUSE, ErrorText.of(e));
    } finally {
      plan.release();
    }
  }

  private List<Recovered> run(Duration grace, Manner manner) throws IOException {
    List<Recovered> results = new ArrayList<>();
    LogTail tail = log.tail();
    boolean first = true;
    for (Found found : find(tail)) {
      // While one was resumed, another may have ended.
      LogTail now = first ? tail : log.tailDownTo(found.number());
      first = false;
      if (!now.isDone(found.number())) {
        results.addAll(one(found, now, grace, manner));
      }
    }
    return List.copyOf(results);
  }

  private List<Recovered> one(Found found, LogTail tail, Duration grace, Manner manner)
      throws IOException {
    Recovered result = resume(found, tail, grace, manner);
    if (manner != Manner.FORCE_CLOSING) {
      return List.of(result);
    }
    if (result instanceof Recovered.Left
        || (result instanceof Recovered.Damaged damaged && !damaged.ended())) {
      return List.of(result, forceClose(found, log.tail()));
    }
    if (result instanceof Recovered.Failed failed && failed.isUnreadable()) {
      return List.of(result, forceCloseByName(found, tail, grace));
    }
    return List.of(result);
  }

  private Recovered resume(Found found, LogTail tail, Duration grace, Manner manner) {
    try {
      if (found.failure().isPresent()) {
        throw found.failure().get();
      }
      LogEntry target = found.entry().orElseThrow();
      Optional<String> executor = executors.of(target, tail, grace);
      if (executor.isPresent()) {
        return new Recovered.UnderWay(target, tail.written(target.number()), executor.get());
      }
      if (manner == Manner.CAREFUL && tail.isLeft(target.number())) {
        return leftBefore(target, tail);
      }
      if (tail.isInPlace(target.number()) && !resume.hasMetastore()) {
        return new Recovered.MetastoreOpen(target, log.plan(target));
      }
      return resume.run(target, tail, manner != Manner.CAREFUL);
    } catch (IOException | RuntimeException e) {
      return failed(found, e);
    }
  }

  /** What was lost then is still lost. */
  private Recovered leftBefore(LogEntry target, LogTail tail) throws IOException {
    String command = RecoveryAdvice.of(target.job());
    for (EndNote note : log.ends(target.number(), tail)) {
      if (!note.lost().isEmpty()) {
        return new Recovered.Damaged(target, note.lost(), false, command);
      }
    }
    return new Recovered.Left(target, "an earlier attempt has left it.", command);
  }

  private Recovered.Failed failed(Found found, Exception e) {
    Optional<ResumeEntry.FailedException> begun =
        e instanceof ResumeEntry.FailedException failed ? Optional.of(failed) : Optional.empty();
    Exception cause = begun.map(ResumeEntry.FailedException::reason).orElse(e);
    LOG.warn("ZR-1305: Entry {} cannot be completed now", log.location(found.number()), cause);
    return new Recovered.Failed(
        found.number(),
        found.entry().map(it -> it.job().id()).orElse(""),
        ("ZR-1306: %s was committed as entry %s (%s) and interrupted, and cannot be completed now:"
                + " %s %s")
            .formatted(
                found.entry().map(it -> it.job().description()).orElse("A job"),
                found.number(),
                log.location(found.number()),
                ErrorText.of(cause),
                begun.map(ResumeEntry.FailedException::state).orElse(NOTHING_DELETED)),
        cause);
  }

  private Recovered forceClose(Found found, LogTail tail) {
    try {
      return resume.forceClose(found.entry().orElseThrow(), tail);
    } catch (IOException | RuntimeException e) {
      return failed(found, e);
    }
  }

  /**
   * Of an entry whose plan cannot be read, or must not be executed here, nothing can be aborted.
   * Nothing would stop a process that executes it, so none may be at it.
   */
  private Recovered forceCloseByName(Found found, LogTail tail, Duration grace) {
    try {
      if (executors.mayRunUnstopped(found.number(), found.entry(), tail, grace)) {
        throw new IOException(
            ("ZR-1313: None of its uploads can be aborted here, so it is not force-closed before"
                    + " its process can have nothing under way, %s minutes after it began. If that"
                    + " process is dead, add --now.")
                .formatted(LiveExecutor.LONGEST_UNSTOPPED.toMinutes() + 1));
      }
      log.endUnreadable(found.number(), found.entry(), tail);
      return new Recovered.ForceClosed(
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
  public Optional<Recovered> forceClose(String jobId, Duration grace) throws IOException {
    LogTail tail = log.tail();
    for (Found found : find(tail)) {
      if (found.entry().filter(it -> it.job().id().equals(jobId)).isPresent()) {
        LogEntry target = found.entry().get();
        Optional<String> executor = executors.of(target, tail, grace);
        return Optional.of(
            executor.isPresent()
                ? new Recovered.UnderWay(target, tail.written(target.number()), executor.get())
                : forceCloseWhole(found, tail, grace));
      }
    }
    return Optional.empty();
  }

  private Recovered forceCloseWhole(Found found, LogTail tail, Duration grace) {
    Recovered result = forceClose(found, tail);
    // What must not be executed here is ended by its name only, and nothing of it is touched;
    // and what cannot be, because a later entry, which has ended, was damaged.
    return result instanceof Recovered.Failed failed
            && (failed.isUnreadable()
                || failed.cause() instanceof NotAllowedException
                || failed.cause().getCause() instanceof MalformedManifestException)
        ? forceCloseByName(found, tail, grace)
        : result;
  }
}
