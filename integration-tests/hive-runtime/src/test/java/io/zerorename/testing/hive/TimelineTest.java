package io.zerorename.testing.hive;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.hive.StatementTimes.Task;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TimelineTest {
  private static final Instant START = Instant.parse("2026-11-21T08:00:00Z");

  @Test
  void closingATezJobCountsAsCommit() {
    Timeline timeline =
        new Timeline(
            new StatementTimes(
                List.of(task("TEZ", "MAPRED", 1, 7), task("MOVE", "MOVE", 7, 9)),
                Map.of("TezRunDag", at(5))));

    assertThat(timeline.durations(Duration.ofSeconds(10)))
        .containsEntry(Phase.TASKS, Duration.ofSeconds(4))
        .containsEntry(Phase.COMMIT, Duration.ofSeconds(2))
        .containsEntry(Phase.MOVE, Duration.ofSeconds(2))
        .containsEntry(Phase.STATISTICS, Duration.ZERO)
        .containsEntry(Phase.REST, Duration.ofSeconds(2));
    assertThat(timeline.at(at(6))).isEqualTo(Phase.COMMIT);
    assertThat(timeline.at(at(7))).isEqualTo(Phase.MOVE);
    assertThat(timeline.at(at(0))).isEqualTo(Phase.REST);
  }

  @Test
  void theCommittersTaskIsNoMove() {
    Timeline timeline =
        new Timeline(
            new StatementTimes(
                List.of(
                    task("MAPRED", "MAPRED", 0, 3),
                    task("ZERO-RENAME-COMMIT", "MOVE", 3, 4),
                    task("MOVE", "MOVE", 4, 5),
                    task("STATS", "STATS", 5, 7)),
                Map.of()));

    assertThat(timeline.durations(Duration.ofSeconds(7)))
        .containsEntry(Phase.TASKS, Duration.ofSeconds(3))
        .containsEntry(Phase.COMMIT, Duration.ofSeconds(1))
        .containsEntry(Phase.MOVE, Duration.ofSeconds(1))
        .containsEntry(Phase.STATISTICS, Duration.ofSeconds(2))
        .containsEntry(Phase.REST, Duration.ZERO);
  }

  @Test
  void whatComesBeforeTheFirstTaskIsRest() {
    Timeline timeline = new Timeline(at(2), at(5), at(9));

    assertThat(timeline.durations(Duration.ofSeconds(9)))
        .containsEntry(Phase.TASKS, Duration.ofSeconds(3))
        .containsEntry(Phase.COMMIT, Duration.ofSeconds(4))
        .containsEntry(Phase.REST, Duration.ofSeconds(2));
    assertThat(timeline.at(at(1))).isEqualTo(Phase.REST);
    assertThat(timeline.at(at(5))).isEqualTo(Phase.COMMIT);
  }

  private static Task task(String name, String type, int begin, int end) {
    return new Task(name, type, at(begin), at(end));
  }

  private static Instant at(int second) {
    return START.plusSeconds(second);
  }
}
