package io.zerorename.testing.hive;

import io.zerorename.testing.hive.StatementTimes.Task;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Which phase a statement was in at which time, from the begin and end of its tasks; what lies
 * between Hive's tasks is {@link Phase#REST}.
 *
 * <p>Tez names the end of its DAG, so that closing the job counts as {@link Phase#COMMIT}.
 * MapReduce does not, and there it counts as {@link Phase#TASKS}.
 */
public final class Timeline {
  private static final String DAG = "TezRunDag";

  /** From begin, inclusive, to end, exclusive. */
  private record Span(Phase phase, Instant begin, Instant end) {}

  private final List<Span> spans = new ArrayList<>();

  /** From the times of one statement of Hive's. */
  public Timeline(StatementTimes times) {
    for (Task task : times.tasks()) {
      switch (task.type()) {
        case "MAPRED" -> addJob(task, times.endOf(DAG));
        case "STATS", "COLUMNSTATS" -> add(Phase.STATISTICS, task.begin(), task.end());
        case "MOVE" ->
            add(
                task.name().startsWith("ZERO-RENAME") ? Phase.COMMIT : Phase.MOVE,
                task.begin(),
                task.end());
        default -> {
          // DEPENDENCY_COLLECTION and the like do nothing.
        }
      }
    }
  }

  /**
   * Of a statement that commits when all of its tasks have ended.
   *
   * @param begin of the first task
   * @param tasksEnd of the last task
   */
  public Timeline(Instant begin, Instant tasksEnd, Instant end) {
    add(Phase.TASKS, begin, tasksEnd);
    add(Phase.COMMIT, tasksEnd, end);
  }

  private void addJob(Task job, Optional<Instant> dagEnd) {
    Instant tasksEnd =
        dagEnd.filter(end -> end.isAfter(job.begin()) && end.isBefore(job.end())).orElse(job.end());
    add(Phase.TASKS, job.begin(), tasksEnd);
    add(Phase.COMMIT, tasksEnd, job.end());
  }

  private void add(Phase phase, Instant begin, Instant end) {
    spans.add(new Span(phase, begin, end));
  }

  /** The phase at an instant. */
  public Phase at(Instant instant) {
    return spans.stream()
        .filter(span -> !instant.isBefore(span.begin()) && instant.isBefore(span.end()))
        .map(Span::phase)
        .findFirst()
        .orElse(Phase.REST);
  }

  /**
   * How long each phase took.
   *
   * @param wall the whole statement
   */
  public Map<Phase, Duration> durations(Duration wall) {
    Map<Phase, Duration> durations = new EnumMap<>(Phase.class);
    for (Phase phase : Phase.values()) {
      durations.put(phase, Duration.ZERO);
    }
    Duration rest = wall;
    for (Span span : spans) {
      Duration duration = Duration.between(span.begin(), span.end());
      durations.merge(span.phase(), duration, Duration::plus);
      rest = rest.minus(duration);
    }
    durations.put(Phase.REST, rest.isNegative() ? Duration.ZERO : rest);
    return Collections.unmodifiableMap(durations);
  }

  /** For how long the metastore was at work in some of the phases. */
  public Duration inMetastore(Set<Phase> phases, List<MetastoreCalls.Call> calls) {
    return spans.stream()
        .filter(span -> phases.contains(span.phase()))
        .map(span -> MetastoreCalls.within(span.begin(), span.end(), calls))
        .reduce(Duration.ZERO, Duration::plus);
  }
}
