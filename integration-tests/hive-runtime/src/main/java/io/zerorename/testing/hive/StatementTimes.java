package io.zerorename.testing.hive;

import static java.util.stream.Collectors.toMap;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.hive.ql.QueryDisplay;
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

  /**
   * The times of a statement that has ended.
   *
   * @param stepEnds in milliseconds since the epoch
   */
  static StatementTimes of(QueryDisplay display, Map<String, Long> stepEnds) {
    List<Task> tasks =
        display.getTaskDisplays().stream()
            .filter(task -> task.getBeginTime() != null && task.getEndTime() != null)
            .map(StatementTimes::task)
            .sorted(Comparator.comparing(Task::begin))
            .toList();
    return new StatementTimes(
        tasks,
        stepEnds.entrySet().stream()
            .collect(toMap(Map.Entry::getKey, end -> Instant.ofEpochMilli(end.getValue()))));
  }

  private static Task task(TaskDisplay task) {
    return new Task(
        task.getName(),
        task.getTaskType().name(),
        Instant.ofEpochMilli(task.getBeginTime()),
        Instant.ofEpochMilli(task.getEndTime()));
  }
}
