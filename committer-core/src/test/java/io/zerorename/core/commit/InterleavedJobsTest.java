package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.commit.JobsScript.Outcome;
import io.zerorename.core.commit.JobsScript.Role;
import io.zerorename.core.log.EntryKind;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Many jobs, recoveries and zombies at work on one table, in random orders of their calls. {@code
 * -Dtests.seeds=N} tries more orders, {@code -Dtests.firstSeed=S} begins with another.
 */
@Timeout(1800)
class InterleavedJobsTest {
  private static final int SEEDS = Integer.getInteger("tests.seeds", 150);
  private static final long FIRST = Long.getLong("tests.firstSeed", 1);
  private static final int THOROUGH_SEEDS = 5_000;
  private static final int FOREIGN_SEEDS = Math.max(1, SEEDS / 3);

  /** Of so many histories one has an entry of the kind at least, on average. */
  private static final Map<EntryKind, Integer> ONE_OF =
      Map.of(
          EntryKind.ADD, 1,
          EntryKind.REPLACE, 1,
          EntryKind.VOID, 12);

  @Test
  void everyJobIsThereWholeOrNotAtAllInTheOrderOfTheLog() {
    Figures figures = run(SEEDS, false);
    figures.assertThatEnoughHasHappened(SEEDS);
  }

  @Test
  void whatForeignWritersHaveRemovedWithAllFilesOfItsEntryNeverComesBack() {
    Figures figures = run(FOREIGN_SEEDS, true);
    assertThat(figures.foreignWrites)
        .as("foreign writes")
        .isGreaterThanOrEqualTo(FOREIGN_SEEDS / 2);
  }

  @Test
  @Tag("thorough")
  void thousandsOfHistories() {
    run(THOROUGH_SEEDS, false).assertThatEnoughHasHappened(THOROUGH_SEEDS);
    run(THOROUGH_SEEDS / 3, true);
  }

  /** What was run. */
  private static final class Figures {
    final Map<Role, Integer> processes = new EnumMap<>(Role.class);
    final Map<EntryKind, Integer> kinds = new EnumMap<>(EntryKind.class);
    int joined;
    int cut;
    int repeats;
    int crashes;
    int lost;
    int commits;
    int cleared;
    int foreignWrites;

    void add(JobsScript script, Outcome outcome) {
      script.actors().forEach(actor -> processes.merge(actor.role(), 1, Integer::sum));
      commits += outcome.committed();
      cleared += outcome.cleared();
      foreignWrites += outcome.foreignWrites();
      crashes += (int) outcome.history().stream().filter(it -> it.contains(" dies ")).count();
      lost +=
          (int)
              outcome.history().stream()
                  .filter(it -> it.contains(", delayed: ") || it.endsWith(" gets no answer"))
                  .count();
      outcome.kinds().forEach((kind, number) -> kinds.merge(kind, number, Integer::sum));
      joined += outcome.joined();
      cut += outcome.cut();
      repeats += outcome.repeats();
    }

    /** About half of what there is today, and at least one of everything. */
    void assertThatEnoughHasHappened(int histories) {
      assertThat(processes.keySet()).containsAll(EnumSet.complementOf(EnumSet.of(Role.FOREIGN)));
      assertThat(processes.values()).as("%s", processes).allMatch(count -> count >= histories / 10);
      assertThat(kinds.keySet()).containsAll(ONE_OF.keySet());
      assertThat(kinds)
          .as("entries by their kinds")
          .allSatisfy(
              (kind, number) ->
                  assertThat(number)
                      .as("%s", kind)
                      .isGreaterThanOrEqualTo(histories / ONE_OF.get(kind)));
      assertThat(commits).as("commits").isGreaterThanOrEqualTo(histories);
      assertThat(cleared).as("statements with an entry").isGreaterThanOrEqualTo(histories / 20);
      assertThat(crashes).as("processes that crashed").isGreaterThanOrEqualTo(histories / 3);
      assertThat(lost).as("answers lost or late").isGreaterThanOrEqualTo(histories / 3);
      assertThat(joined).as("Completes in progress").isGreaterThanOrEqualTo(histories / 10);
      assertThat(repeats).as("repetitions of a run").isGreaterThanOrEqualTo(histories / 10);
      assertThat(cut).as("entries deleted as old").isGreaterThanOrEqualTo(histories / 10);
    }
  }

  /**
   * @param foreigners whether there are writers that do not use the log
   */
  private static Figures run(int seeds, boolean foreigners) {
    Figures figures = new Figures();
    for (long seed = FIRST; seed < FIRST + seeds; seed++) {
      JobsScript script = JobsScript.random(seed, foreigners);
      Outcome outcome = script.run();
      figures.add(script, outcome);
      String told = "seed " + seed + ": " + script + "\nhistory:\n";
      assertThat(outcome.failure()).as(() -> told + String.join("\n", outcome.history())).isEmpty();
    }
    return figures;
  }
}
