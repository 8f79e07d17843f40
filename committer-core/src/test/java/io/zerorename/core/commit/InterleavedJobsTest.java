package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.zerorename.core.commit.JobsScript.Actor;
import io.zerorename.core.commit.JobsScript.Outcome;
import io.zerorename.core.commit.JobsScript.Role;
import io.zerorename.testing.InMemoryObjectStore.Variant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Many jobs, recoveries and zombies at work on one table, in random orders of their calls. {@code
 * -Dtests.seeds=N} tries more orders, {@code -Dtests.firstSeed=S} begins with another.
 */
@Timeout(1800)
class InterleavedJobsTest {
  private static final int SEEDS = Integer.getInteger("tests.seeds", 300);
  private static final long FIRST = Long.getLong("tests.firstSeed", 1);
  private static final int TRIES = 100;

  @Test
  void everyJobIsThereWholeOrNotAtAllInAnyOrder() {
    Map<Role, Integer> processes = new EnumMap<>(Role.class);
    AtomicInteger crashes = new AtomicInteger();
    AtomicInteger commits = new AtomicInteger();
    Optional<JobsScript> failing =
        firstFailing(
            Variant.aws(),
            SEEDS,
            false,
            (script, outcome) -> {
              script.actors().forEach(actor -> processes.merge(actor.role(), 1, Integer::sum));
              commits.addAndGet(outcome.committed());
              crashes.addAndGet(
                  (int) outcome.history().stream().filter(it -> it.contains(" dies ")).count());
            });
    failing.ifPresent(script -> fail(told(script, Variant.aws())));

    assertThat(processes.keySet()).containsExactlyInAnyOrder(Role.values());
    assertThat(processes.values()).as("%s", processes).allMatch(count -> count >= SEEDS / 4);
    assertThat(commits.get()).as("commits").isGreaterThanOrEqualTo(SEEDS);
    assertThat(crashes.get()).as("processes that crashed").isGreaterThanOrEqualTo(SEEDS / 2);
  }

  @Tag("thorough")
  @Test
  void aCommitterWhoseDecisionIsNotConditionalIsFoundOutAndItsScriptIsSmall() {
    Variant broken = Variant.aws().withConditionsIgnored();
    Optional<JobsScript> failing = firstFailing(broken, 500, true, (script, outcome) -> {});
    assertThat(failing).as("a script that fails").isPresent();
    JobsScript small = shrunk(failing.get(), broken);
    // One that commits and one that recovers it, at most with one more that crashed.
    assertThat(small.actors()).as(told(small, broken)).hasSizeLessThanOrEqualTo(3);
    assertThat(small.run(broken).failure()).isPresent();
  }

  /**
   * @param inBucket whether decisions are kept in the bucket in any case
   * @param seen is called with each script that was run
   */
  private static Optional<JobsScript> firstFailing(
      Variant variant, int seeds, boolean inBucket, BiConsumer<JobsScript, Outcome> seen) {
    for (long seed = FIRST; seed < FIRST + seeds; seed++) {
      JobsScript script = JobsScript.random(seed);
      if (inBucket) {
        script = new JobsScript(script.actors(), false, script.schedule());
      }
      Outcome outcome = script.run(variant);
      seen.accept(script, outcome);
      if (outcome.failure().isPresent()) {
        return Optional.of(script);
      }
    }
    return Optional.empty();
  }

  /** Leaves out processes and crashes as long as it still fails. */
  private static JobsScript shrunk(JobsScript script, Variant variant) {
    for (JobsScript smaller : smaller(script)) {
      Optional<JobsScript> failing = failing(smaller, variant);
      if (failing.isPresent()) {
        return shrunk(failing.get(), variant);
      }
    }
    return script;
  }

  private static List<JobsScript> smaller(JobsScript script) {
    List<JobsScript> smaller = new ArrayList<>();
    for (int i = 0; i < script.actors().size(); i++) {
      List<Actor> actors = new ArrayList<>(script.actors());
      Actor actor = actors.remove(i);
      if (!actors.isEmpty()) {
        smaller.add(new JobsScript(actors, script.logOnFileSystem(), script.schedule()));
      }
      if (actor.crashAt() > 0) {
        List<Actor> living = new ArrayList<>(script.actors());
        living.set(i, actor.living());
        smaller.add(new JobsScript(living, script.logOnFileSystem(), script.schedule()));
      }
    }
    return smaller;
  }

  /** Other processes take other turns by the same seed, so several are tried. */
  private static Optional<JobsScript> failing(JobsScript script, Variant variant) {
    for (int attempt = 0; attempt < TRIES; attempt++) {
      JobsScript tried =
          new JobsScript(script.actors(), script.logOnFileSystem(), script.schedule() + attempt);
      if (tried.run(variant).failure().isPresent()) {
        return Optional.of(tried);
      }
    }
    return Optional.empty();
  }

  private static String told(JobsScript script, Variant variant) {
    JobsScript small = shrunk(script, variant);
    Outcome outcome = small.run(variant);
    return outcome.failure().orElse("it fails no more")
        + "\nscript: "
        + small
        + "\nhistory:\n"
        + String.join("\n", outcome.history());
  }
}
