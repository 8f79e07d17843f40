package io.zerorename.core.recovery;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.job.WorkDirectory;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.EndNote;
import io.zerorename.core.log.EntryKind;
import io.zerorename.core.log.EntryState;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.log.Marker;
import io.zerorename.core.manifest.MalformedManifestException;
import io.zerorename.core.recovery.LoggedJob.State;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.hadoop.fs.Path;

/**
 * Reports what the jobs that wrote to a destination have decided and completed, as long as the log
 * keeps it. It changes nothing.
 *
 * @param log of the destination
 * @param begun jobs of that log that are known to have begun
 */
public record JobHistory(CommitLog log, List<JobDirectory> begun) {
  public JobHistory {
    requireNonNull(log, "log");
    begun = List.copyOf(begun);
  }

  /** The user's jobs that are not at their end, by the directory of their log. */
  public static Map<Path, List<JobDirectory>> begun(WorkDirectory work) throws IOException {
    Map<Path, List<JobDirectory>> begun = new HashMap<>();
    for (Path path : work.jobs()) {
      JobDirectory job = new JobDirectory(work.fileSystem(), path);
      Optional<Path> log = job.isFinished() ? Optional.empty() : job.log();
      log.ifPresent(it -> begun.computeIfAbsent(it, none -> new ArrayList<>()).add(job));
    }
    return begun;
  }

  /**
   * The jobs, the latest first. One listing of the log, and three requests per job at most.
   *
   * @param limit how many ended jobs to report; those that have not ended are never left out
   */
  public List<LoggedJob> latest(int limit) throws IOException {
    return jobs(log.tailDownTo(1), limit, false);
  }

  /**
   * The jobs that have not ended, those of which files are lost, and the latest others; as many
   * requests.
   *
   * @param ended how many others to report
   * @return empty where there is no log, and no job that has begun
   */
  public Optional<List<LoggedJob>> unsettled(int ended) throws IOException {
    LogTail tail = log.tailDownTo(1);
    return tail.highest() == 0 && begun.isEmpty()
        ? Optional.empty()
        : Optional.of(jobs(tail, ended, true));
  }

  /**
   * @param damaged whether those with lost files are reported beyond the limit
   */
  private List<LoggedJob> jobs(LogTail tail, int limit, boolean damaged) throws IOException {
    Set<String> decided = new HashSet<>();
    tail.numbers()
        .forEach(number -> tail.marker(number).map(Marker::jobId).ifPresent(decided::add));
    List<LoggedJob> jobs = new ArrayList<>();
    int ended = 0;
    List<Long> numbers = new ArrayList<>(tail.numbers());
    Collections.reverse(numbers);
    for (long number : numbers) {
      boolean done = tail.isEnded(number);
      if (done && ended >= limit && !(damaged && tail.state(number) == EntryState.DAMAGED)) {
        continue;
      }
      Optional<LoggedJob> job = read(number, tail);
      if (job.isPresent()) {
        decided.add(job.get().id());
        jobs.add(job.get());
        ended += done ? 1 : 0;
      }
    }
    for (JobDirectory job : begun) {
      if (!decided.contains(job.jobId())) {
        jobs.add(
            new LoggedJob(
                OptionalLong.empty(),
                job.jobId(),
                job.lastChange(),
                State.BEGUN,
                Optional.empty(),
                Optional.empty(),
                Optional.empty()));
      }
    }
    jobs.sort(Comparator.comparing(LoggedJob::when).reversed());
    return List.copyOf(jobs);
  }

  /** Empty where the entry was deleted as old meanwhile. */
  private Optional<LoggedJob> read(long number, LogTail tail) throws IOException {
    try {
      Optional<LogEntry> entry = log.read(number, tail);
      if (entry.isEmpty()) {
        return Optional.empty();
      }
      State state = state(entry.get(), tail);
      return Optional.of(
          new LoggedJob(
              OptionalLong.of(number),
              entry.get().job().id(),
              tail.written(number),
              state,
              Optional.of(entry.get().job().description()),
              state == State.ABORTED ? Optional.empty() : totals(entry.get(), state, tail),
              Optional.empty()));
    } catch (MalformedManifestException e) {
      return Optional.of(
          new LoggedJob(
              OptionalLong.of(number),
              tail.marker(number).map(Marker::jobId).orElse("entry " + number),
              tail.written(number),
              unreadable(tail.state(number)),
              Optional.empty(),
              Optional.empty(),
              Optional.of(String.valueOf(e.getMessage()))));
    }
  }

  /** What has ended may have been damaged since. */
  private static State unreadable(EntryState state) {
    return switch (state) {
      case COMPLETE -> State.COMPLETE;
      case SUPERSEDED -> State.SUPERSEDED;
      case DAMAGED -> State.GIVEN_UP;
      default -> State.UNREADABLE;
    };
  }

  private static State state(LogEntry entry, LogTail tail) {
    if (entry.kind() == EntryKind.VOID) {
      return State.ABORTED;
    }
    EntryState state = tail.state(entry.number());
    if (state.isEnded() && tail.isGivenUp(entry.number())) {
      return State.GIVEN_UP;
    }
    return switch (state) {
      case OPEN, GIVEN_UP -> State.COMMITTED;
      case LEFT -> State.LEFT;
      case METASTORE_OPEN -> State.METASTORE_OPEN;
      case SUPERSEDED -> State.SUPERSEDED;
      case DAMAGED -> State.DAMAGED;
      case COMPLETE -> State.COMPLETE;
    };
  }

  /**
   * What a marker says, or else the plan. Of an entry without lost files that has ended, neither
   * may say anything: its plan is deleted after days, while an older entry keeps its own in the
   * log.
   */
  private Optional<EndNote> totals(LogEntry entry, State state, LogTail tail) throws IOException {
    Optional<EndNote> note =
        log.notes(entry.number(), tail).stream()
            .filter(it -> !it.equals(EndNote.NOTHING))
            .findFirst();
    if (note.isPresent()) {
      return note;
    }
    try {
      return Optional.of(EndNote.of(log.plan(entry), List.of()));
    } catch (MalformedManifestException e) {
      if (state == State.COMPLETE || state == State.SUPERSEDED) {
        return Optional.empty();
      }
      throw e;
    }
  }
}
