package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.log.OutputJob;
import io.zerorename.core.recovery.JobEngine;
import io.zerorename.core.recovery.RecoverEntry.Manner;
import io.zerorename.core.recovery.Recovered;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What went wrong with jobs that were decided each by itself, without an order of all. {@link
 * BurdensomeEntriesTest} has the fourth and the fifth, overwrites that waited for INSERTs. The
 * seventh was an error of the store that was taken for its kind: {@code CommitLogsTest}.
 */
@Timeout(600)
class EightFailuresTest extends TimedCommits {
  /** What TRUNCATE, or a program that does not use the log, does. */
  private void removeAll() throws IOException {
    store.deleteObjects(data());
    assertThat(data()).isEmpty();
  }

  @Test
  void t1WhatHadOnlyItsMarkerLeftComesNotBackAfterTruncate() throws IOException {
    job.smallTask("a", "day=1/0", "day=1/1").task("b", "day=1/2");
    job.commitAndDie(Overwrite.none());
    assertThat(data()).hasSize(3);
    removeAll();

    TestJob next = job("job-2").smallTask("a", "day=1/5");
    assertThat(recover()).isInstanceOf(Recovered.Completed.class);
    assertThat(data()).isEmpty();
    insert(next);

    assertThat(data()).containsExactly(next.key("day=1/5"));
    assertThat(recovery().run(NOW)).isEmpty();
    assertThat(recovery().run(Duration.ZERO, Manner.BY_OPERATOR)).isEmpty();
    assertThat(data()).containsExactly(next.key("day=1/5"));
  }

  @Test
  void t2ACrashIsNotResumedPastAForeignOverwrite() throws IOException {
    store.plant(T + "day=1/old", new byte[1]);
    job.task("a", "day=1/0").decideAndDie(Overwrite.none());
    TestJob replacing = job("job-2").task("a", "day=1/0");
    replacing.decideAndDie(Overwrite.directoriesOfFiles());
    store.pass(Duration.ofMinutes(1));
    removeAll();
    store.plant(T + "day=1/foreign", new byte[1]);
    store.pass(Duration.ofDays(3));

    for (int day = 0; day < 2; day++) {
      assertThat(recovery().run(NOW))
          .hasExactlyElementsOfTypes(Recovered.Left.class, Recovered.Left.class);
      assertThat(data()).containsExactly(T + "day=1/foreign");
    }
    TestJob next = job("job-3").task("a", "day=1/5");
    assertThat(insert(next).openEntries()).containsExactly(1L, 2L);
    assertThat(data()).containsExactly(next.key("day=1/5"), T + "day=1/foreign");
  }

  @Test
  void t3ACrashedOverwriteIsNotResumedAfterTruncateAndRunsAgain() throws IOException {
    store.plant(T + "day=1/old", new byte[1]);
    job.task("a", "day=1/0").decideAndDie(Overwrite.directoriesOfFiles());
    removeAll();
    assertThat(recover()).isInstanceOf(Recovered.Left.class);
    assertThat(data()).isEmpty();

    TestJob again = job("job-2").task("a", "day=1/0");
    commit(again, Overwrite.directoriesOfFiles());
    assertThat(recovery().run(NOW)).as("it is superseded").isEmpty();
    assertThat(data()).containsExactly(again.key("day=1/0"));
    assertThat(store.pendingKeys()).isEmpty();
  }

  @Test
  void t6ATableThatWasDroppedAndMadeAgainRefusesNoOverwrite() throws IOException {
    job.task("a", "day=1/0").decideAndDie(Overwrite.none());
    JobEngine ofTheNewTable =
        new Engine() {
          @Override
          public Optional<String> refuses(OutputJob output) {
            return output.id().equals("job-1")
                ? Optional.of("Its table was dropped, and another was made at its location.")
                : Optional.empty();
          }
        };
    store.pass(Duration.ofDays(2));
    assertThat(recovery(ofTheNewTable).run(NOW))
        .singleElement()
        .isInstanceOfSatisfying(
            Recovered.Failed.class,
            failed -> assertThat(failed.message()).contains("Its table was dropped"));
    assertThat(data()).isEmpty();

    TestJob overwrite = job("job-2").task("a", "day=1/0");
    overwrite(overwrite);
    assertThat(waited).isZero();
    assertThat(data()).containsExactly(overwrite.key("day=1/0"));
    assertThat(recovery(ofTheNewTable).run(NOW)).as("it is superseded").isEmpty();
  }
}
