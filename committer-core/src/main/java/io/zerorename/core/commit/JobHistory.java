package io.zerorename.core.commit;

import static java.util.Objects.requireNonNull;

import io.zerorename.core.commit.LoggedJob.State;
import io.zerorename.core.commit.LoggedJob.Totals;
import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.Proposal;
import io.zerorename.core.manifest.MalformedManifestException;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.fs.Path;

/**
 * Tells what the jobs that wrote to a destination have decided and completed, as long as the log
 * keeps it. It changes nothing.
 */
public final class JobHistory {
  private final CommitLog log;
  private final List<JobDirectory> begun;

  /**
   * A history.
   *
   * @param log of the destination
   * @param begun jobs of that log that are known to have begun
   */
  public JobHistory(CommitLog log, List<JobDirectory> begun) {
    this.log = requireNonNull(log, "log");
    this.begun = List.copyOf(begun);
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
   * The jobs, the latest first. Two listings, and a few requests per job.
   *
   * @param limit how many ended jobs to tell of; those that are not at their end are never left out
   */
  public List<LoggedJob> latest(int limit) throws IOException {
    Map<String, Instant> decided = new HashMap<>(log.decisionTimes());
    Map<String, OpenJob> open = new HashMap<>();
    log.open().forEach(it -> open.put(it.id(), it));
    List<LoggedJob> jobs = new ArrayList<>();
    for (OpenJob job : open.values()) {
      jobs.add(read(job.id(), decided.getOrDefault(job.id(), job.since()), Optional.of(job)));
    }
    for (JobDirectory job : begun) {
      if (!open.containsKey(job.jobId()) && !decided.containsKey(job.jobId())) {
        jobs.add(job(job.jobId(), job.lastChange(), State.BEGUN));
      }
    }
    List<String> ended =
        decided.keySet().stream()
            .filter(id -> !open.containsKey(id))
            .sorted(Comparator.comparing(decided::get).reversed())
            .limit(limit)
            .toList();
    for (String id : ended) {
      jobs.add(read(id, decided.get(id), Optional.empty()));
    }
    jobs.sort(Comparator.comparing(LoggedJob::when).reversed());
    return List.copyOf(jobs);
  }

  private LoggedJob read(String id, Instant when, Optional<OpenJob> open) throws IOException {
    try {
      Optional<CommitSummary> end = log.finished(id);
      if (end.isPresent()) {
        return new LoggedJob(
            id,
            when,
            end.get().givenUp() ? State.GIVEN_UP : State.COMPLETE,
            Optional.empty(),
            end.get().givenUp()
                ? Optional.empty()
                : Optional.of(
                    new Totals(end.get().files(), end.get().bytes(), end.get().replaced())),
            List.of(),
            Optional.empty());
      }
      Optional<Decision> decision = log.read(id);
      if (decision.isEmpty()) {
        return proposed(id, when, open);
      }
      return decision.get().commits()
          ? committed(id, when, decision.get().proposal().orElseThrow())
          : job(id, when, State.ABORTED);
    } catch (MalformedManifestException e) {
      return new LoggedJob(
          id,
          when,
          State.UNREADABLE,
          Optional.empty(),
          Optional.empty(),
          List.of(),
          Optional.of(String.valueOf(e.getMessage())));
    }
  }

  private LoggedJob proposed(String id, Instant when, Optional<OpenJob> open) throws IOException {
    List<String> description = new ArrayList<>();
    int[] counts = new int[2];
    long[] bytes = new long[1];
    if (open.isPresent()) {
      log.forEachUndecided(
          open.get(),
          part -> {
            description.add(part.job().description());
            part.files()
                .forEach(
                    file -> {
                      counts[0]++;
                      bytes[0] += file.length();
                    });
            counts[1] += part.replaced().size();
          });
    }
    return new LoggedJob(
        id,
        when,
        State.PROPOSED,
        description.stream().findFirst(),
        Optional.of(new Totals(counts[0], bytes[0], counts[1])),
        List.of(),
        Optional.empty());
  }

  private LoggedJob committed(String id, Instant when, Proposal proposal) throws IOException {
    Optional<CommitPlan> plan = log.unfinished(id, proposal);
    if (plan.isEmpty()) {
      // It came to its end a moment ago.
      return read(id, when, Optional.empty());
    }
    List<Path> lost = log.damage(id).map(Damage::lost).orElse(List.of());
    List<Path> missing =
        lost.isEmpty()
            ? log.missing(id).map(MissingFiles.Note::missing).orElse(List.of())
            : List.of();
    State state = missing.isEmpty() ? State.COMMITTED : State.MISSING;
    return new LoggedJob(
        id,
        when,
        lost.isEmpty() ? state : State.DAMAGED,
        Optional.of(plan.get().description()),
        Optional.of(
            new Totals(plan.get().fileCount(), plan.get().bytes(), plan.get().replacedCount())),
        lost.isEmpty() ? missing : lost,
        Optional.empty());
  }

  private static LoggedJob job(String id, Instant when, State state) {
    return new LoggedJob(
        id, when, state, Optional.empty(), Optional.empty(), List.of(), Optional.empty());
  }
}
