package io.zerorename.cli;

import static java.util.Objects.requireNonNull;

import io.zerorename.cli.LoggedJob.State;
import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.EndNote;
import io.zerorename.core.log.EntryKind;
import io.zerorename.core.log.EntryState;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.log.Marker;
import io.zerorename.core.manifest.MalformedManifestException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
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
record JobHistory(CommitLog log, Path destination, List<JobDirectory> begun) {
  JobHistory {
    requireNonNull(log, "log");
    begun = List.copyOf(begun);
  }

  /**
   * The jobs that have not ended, those of which files are lost, and the latest others; the latest
   * first. One listing of the log, and three requests per job at most.
   *
   * @param ended how many others to report
   * @return empty where there is no log, and no job that has begun
   */
  Optional<List<LoggedJob>> read(int ended) throws IOException {
    LogTail tail = log.tailDownTo(1);
    if (tail.highest() == 0 && begun.isEmpty()) {
      return Optional.empty();
    }
    Set<String> decided = new HashSet<>();
    List<LoggedJob> jobs = new ArrayList<>();
    int shown = 0;
    for (long number : latestFirst(tail)) {
      tail.marker(number).map(Marker::jobId).ifPresent(decided::add);
      boolean done = tail.isEnded(number);
      if (done && shown >= ended && tail.state(number) != EntryState.DAMAGED) {
        continue;
      }
      Optional<LoggedJob> job = read(number, tail);
      if (job.isPresent()) {
        decided.add(job.get().id());
        jobs.add(job.get());
        shown += done ? 1 : 0;
      }
    }
    for (JobDirectory job : begun) {
      if (!decided.contains(job.jobId())) {
        jobs.add(
            new LoggedJob(
                destination,
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
    return Optional.of(List.copyOf(jobs));
  }

  static List<Long> latestFirst(LogTail tail) {
    return tail.numbers().stream().sorted(Comparator.reverseOrder()).toList();
  }

  /** The job of an entry; empty where that was deleted as old meanwhile. */
  Optional<LoggedJob> read(long number, LogTail tail) throws IOException {
    String id = "entry " + number;
    State state;
    Optional<String> description = Optional.empty();
    Optional<EndNote> totals = Optional.empty();
    Optional<String> problem = Optional.empty();
    try {
      Optional<LogEntry> entry = log.read(number, tail);
      if (entry.isEmpty()) {
        return Optional.empty();
      }
      state = state(entry.get(), tail);
      totals = state == State.ABORTED ? Optional.empty() : totals(entry.get(), state, tail);
      id = entry.get().job().id();
      description = Optional.of(entry.get().job().description());
    } catch (MalformedManifestException e) {
      state = unreadable(tail.state(number));
      id = tail.marker(number).map(Marker::jobId).orElse(id);
      problem = Optional.of(String.valueOf(e.getMessage()));
    }
    return Optional.of(
        new LoggedJob(
            destination,
            OptionalLong.of(number),
            id,
            tail.written(number),
            state,
            description,
            totals,
            problem));
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
      default -> State.valueOf(state.name());
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
