package io.zerorename.testing.hive;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.hive.ql.QueryDisplay;
import org.apache.hadoop.hive.ql.QueryDisplay.Phase;
import org.apache.hadoop.hive.ql.QueryDisplay.TaskDisplay;

/**
 * When Hive ran the tasks of one statement, as its web interface shows it, in whole milliseconds.
 *
 * @param tasks those that began and ended, in the order in which they began
 * @param ends when the steps that Hive's performance logger names ended
 */
public record StatementTimes(List<Task> tasks, Map<String, Instant> ends) {
  /** The times of a statement that ran no task. */
  public static final StatementTimes NONE = new StatementTimes(List.of(), Map.of());

  /**
   * A task of Hive's plan.
   *
   * @param name as the task calls itself, such as {@code MOVE}
   * @param type the name of Hive's stage type, such as {@code MAPRED}
   */
  public record Task(String name, String type, Instant begin, Instant end) {
    public Duration duration() {
      return Duration.between(begin, end);
    }
  }

  public StatementTimes {
    tasks = List.copyOf(tasks);
    ends = Map.copyOf(ends);
  }

  /** When a step ended for the last time. */
  public Optional<Instant> endOf(String step) {
    return Optional.ofNullable(ends.get(step));
  }

  static StatementTimes of(QueryDisplay display) {
    List<Task> tasks =
        display.getTaskDisplays().stream()
            .filter(task -> task.getBeginTime() != null && task.getEndTime() != null)
            .map(StatementTimes::task)
            .sorted((a, b) -> a.begin().compareTo(b.begin()))
            .toList();
    Map<String, Long> ends = display.getPerfLogEnds(Phase.EXECUTION);
    return new StatementTimes(
        tasks,
        ends == null
            ? Map.of()
            : ends.entrySet().stream()
                .collect(
                    java.util.stream.Collectors.toMap(
                        Map.Entry::getKey, entry -> Instant.ofEpochMilli(entry.getValue()))));
  }

  private static Task task(TaskDisplay task) {
    return new Task(
        task.getName(),
        task.getTaskType().name(),
        Instant.ofEpochMilli(task.getBeginTime()),
        Instant.ofEpochMilli(task.getEndTime()));
  }
}
