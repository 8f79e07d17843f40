package io.zerorename.cli;

import io.zerorename.cli.LoggedJob.State;
import io.zerorename.core.commit.RecoveryAdvice;
import io.zerorename.core.document.MalformedDocumentException;
import io.zerorename.core.log.CommitLog;
import io.zerorename.core.log.EndNote;
import io.zerorename.core.log.EntryKind;
import io.zerorename.core.log.EntryState;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.log.Marker;
import io.zerorename.core.log.RunId;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.Path;

/**
 * Reports what the jobs that wrote to a destination have decided and completed, as long as the log
 * keeps it. It changes nothing.
 *
 * @param log of the destination
 * @param tail all of it
 */
record JobHistory(CommitLog log, LogTail tail, Path destination) {
  /**
   * The jobs that have not ended, those of which files are lost, and the latest others; the latest
   * first. Three requests per job at most.
   *
   * @param ended how many others to report
   */
  List<LoggedJob> read(int ended) throws IOException {
    List<LoggedJob> jobs = new ArrayList<>();
    int shown = 0;
    for (long number : latestFirst(tail)) {
      boolean done = tail.isEnded(number);
      if (done && shown >= ended && tail.state(number) != EntryState.DAMAGED) {
        continue;
      }
      Optional<LoggedJob> job = read(number);
      if (job.isPresent()) {
        jobs.add(job.get());
        shown += done ? 1 : 0;
      }
    }
    jobs.sort(Comparator.comparing(LoggedJob::when).reversed());
    return List.copyOf(jobs);
  }

  static List<Long> latestFirst(LogTail tail) {
    return tail.numbers().stream().sorted(Comparator.reverseOrder()).toList();
  }

  /** The job of an entry; empty where that was deleted as old meanwhile. */
  private Optional<LoggedJob> read(long number) throws IOException {
    Optional<String> id = tail.marker(number).map(Marker::jobId);
    Optional<String> run = Optional.empty();
    State state;
    Optional<String> description = Optional.empty();
    Optional<EndNote> totals = Optional.empty();
    Optional<String> problem = Optional.empty();
    String recover = "zerorename recover " + destination;
    try {
      Optional<LogEntry> entry = log.read(number, tail);
      if (entry.isEmpty()) {
        return Optional.empty();
      }
      id = Optional.of(entry.get().job().id());
      run = entry.get().job().run().map(RunId::id);
      description = Optional.of(entry.get().job().description());
      recover = RecoveryAdvice.of(entry.get().job());
      state = state(entry.get());
      totals = state == State.ABORTED ? Optional.empty() : totals(entry.get(), state);
    } catch (MalformedDocumentException e) {
      state = State.ofUnreadable(tail.state(number));
      problem = Optional.of(String.valueOf(e.getMessage()));
    }
    // What cannot be read does not name its files.
    Optional<List<Path>> lost =
        problem.isPresent()
            ? Optional.empty()
            : Optional.of(totals.map(EndNote::lost).orElse(List.of()));
    return Optional.of(
        new LoggedJob(
            number,
            id,
            run,
            state,
            tail.written(number),
            Math.max(0, Duration.between(tail.written(number), tail.listed()).toSeconds()),
            description,
            totals.map(EndNote::files),
            totals.map(EndNote::bytes),
            totals.map(EndNote::replaced),
            lost,
            problem,
            LoggedJob.next(state, lost, recover)));
  }

  private State state(LogEntry entry) {
    if (entry.kind() == EntryKind.VOID) {
      return State.ABORTED;
    }
    EntryState state = tail.state(entry.number());
    return state.isEnded() && tail.isGivenUp(entry.number()) ? State.GIVEN_UP : State.of(state);
  }

  /**
   * What a marker says, or else the plan. Of an entry without lost files that has ended, neither
   * may say anything: its plan is deleted after days, while an older entry keeps its own in the
   * log.
   */
  private Optional<EndNote> totals(LogEntry entry, State state) throws IOException {
    Optional<EndNote> note =
        log.notes(entry.number(), tail).stream()
            .filter(it -> !it.equals(EndNote.NOTHING))
            .findFirst();
    if (note.isPresent()) {
      return note;
    }
    try {
      return Optional.of(EndNote.of(log.plan(entry), List.of()));
    } catch (MalformedDocumentException e) {
      if (state == State.COMPLETE || state == State.SUPERSEDED) {
        return Optional.empty();
      }
      throw e;
    }
  }
}
