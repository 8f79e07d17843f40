package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.commit.JobsScript.Actor;
import io.zerorename.core.commit.JobsScript.Role;
import io.zerorename.core.commit.SimulatedJob.Told;
import io.zerorename.core.job.CommitLogs;
import io.zerorename.core.job.WorkDirectory;
import io.zerorename.core.log.DirectorySet;
import io.zerorename.core.log.EntryDraft;
import io.zerorename.core.log.EntryKind;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.recovery.JobEngine;
import io.zerorename.core.recovery.Recovered;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.testing.FaultPlan.Moment;
import io.zerorename.testing.InMemoryObjectStore.Variant;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Eight failures of jobs that are decided each by itself, without an order of all. */
@Timeout(600)
class EightFailuresTest extends TimedCommits {
  private static final Path DAY_1 = new Path(TestJob.TABLE, "day=1");

  /** What TRUNCATE, or a program that does not use the log, does. */
  private void removeAll() throws IOException {
    store.deleteObjects(data());
    assertThat(data()).isEmpty();
  }

  /** The entry of a statement that removes rows, which is executed by its own process. */
  private void clear(String id, Path directory) throws IOException {
    LogTail tail = job.log().tail();
    DirectorySet replaces = new DirectorySet(List.of(directory));
    OutputJob output =
        new OutputJob(
            id,
            "TRUNCATE",
            TestJob.TABLE,
            List.of(TestJob.TABLE),
            false,
            Optional.empty(),
            Map.of());
    job.log()
        .decide(
            new EntryDraft(
                EntryKind.REPLACE,
                UUID.randomUUID().toString(),
                output,
                List.of(),
                replaces,
                job.log().following(replaces, tail),
                List.of(),
                Optional.empty()),
            tail);
  }

  @Test
  void t1WhatHadOnlyItsMarkerLeftComesNotBackAfterTruncate() throws IOException {
    job.smallTask("a", "day=1/0", "day=1/1").task("b", "day=1/2");
    job.commitAndDie(Overwrite.none());
    assertThat(data()).hasSize(3);
    removeAll();

    TestJob next = job("job-2").smallTask("a", "day=1/5");
    recovery().run(NOW);
    insert(next);

    assertThat(data()).containsExactly(next.key("day=1/5"));
    assertThat(recovery().run(NOW)).isEmpty();
    assertThat(recovery().resumeAll()).isEmpty();
    assertThat(data()).containsExactly(next.key("day=1/5"));
  }

  @Test
  void t1WhatHadOnlyItsMarkerLeftComesNotBackAfterACompaction() throws IOException {
    job.smallTask("a", "day=1/0", "day=1/1");
    job.commitAndDie(Overwrite.none());
    removeAll();
    store.pass(Duration.ofMinutes(1));
    store.plant(T + "day=1/compacted", new byte[1]);
    assertThat(recover())
        .as("somebody who does not use the log has been there")
        .isInstanceOf(Recovered.Left.class);
    assertThat(recovery().resumeAll()).hasExactlyElementsOfTypes(Recovered.Completed.class);
    assertThat(data()).containsExactly(T + "day=1/compacted");
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

  /** An insert that has lost nothing of its own looks the same as before. */
  @Test
  void t3ACrashedInsertIsNotResumedPastATruncateThatTheLogKnows() throws IOException {
    job.task("a", "day=1/0").smallTask("b", "day=1/1").decideAndDie(Overwrite.none());
    clear("truncate", TestJob.TABLE);
    TestJob again = job("job-2").task("a", "day=1/0");
    insert(again);

    recovery().run(NOW);
    recovery().run(NOW);

    assertThat(data()).containsExactly(again.key("day=1/0"));
    assertThat(store.pendingKeys()).isEmpty();
    assertThat(recovery().open()).isEmpty();
  }

  @Test
  void t5OverlappingInsertsOfLiveProcessesDoNotKeepAnOverwriteWaiting() throws IOException {
    List<LogEntry> inserts = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      inserts.add(job("live-" + i).task("a", "day=1/0").decideAndDie(Overwrite.none()));
    }
    TestJob overwrite = job("job-2").task("a", "day=1/0");
    CommitReport report = commit(overwrite, Overwrite.directoriesOfFiles());
    assertThat(waited).isZero();
    assertThat(report.openEntries()).hasSameSizeAs(inserts);
    assertThat(data()).containsExactly(overwrite.key("day=1/0"));
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

  @Test
  void t6ACommitOfADroppedTableIsGivenUpByItsName() throws IOException {
    job.task("a", "day=1/0").decideAndDie(Overwrite.none());
    JobEngine ofTheNewTable =
        new Engine() {
          @Override
          public Optional<String> refuses(OutputJob output) {
            return Optional.of("Its table was dropped.");
          }
        };
    assertThat(recovery(ofTheNewTable).giveUp(job.id()).orElseThrow())
        .isInstanceOf(Recovered.GivenUp.class);
    assertThat(store.pendingKeys()).as("who wakes can complete nothing").isEmpty();
    assertThat(data()).isEmpty();
    assertThat(recovery(ofTheNewTable).run(NOW)).isEmpty();
  }

  @Test
  void t7OneErrorIsNotTakenForAStoreThatKeepsNoLog() throws IOException {
    FileSystem local = FileSystem.getLocal(new Configuration(false));
    Optional<WorkDirectory> work = Optional.of(new WorkDirectory(local, new Path(workDir.toUri())));
    CommitLogs logs = new CommitLogs(stores, new Configuration(false));
    for (Kind kind : List.of(Kind.AMBIGUOUS, Kind.THROTTLED)) {
      store.faults().fail(RequestType.PUT, 1, Moment.BEFORE_EFFECT, kind);
      assertThat(logs.choose(TestJob.TABLE, work).toUri().getScheme())
          .as("%s", kind)
          .isEqualTo("s3a");
      store.deleteObjects(store.keys());
      local.delete(new Path(workDir.toUri()), true);
    }
    store.faults().failFrom(RequestType.PUT, 1, Moment.BEFORE_EFFECT, Kind.AMBIGUOUS);
    assertThatThrownBy(() -> logs.choose(TestJob.TABLE, work))
        .as("an outage is told, not taken for a store without conditional writes")
        .hasMessageContaining("AMBIGUOUS");
    store.faults().clear();
    assertThat(logs.choose(TestJob.TABLE, work).toUri().getScheme()).isEqualTo("s3a");
  }

  /** Numbers clusters, whose names must differ in one JVM. */
  private static final AtomicInteger CLUSTERS = new AtomicInteger();

  /** Two jobs at once, of which nobody keeps the other away. */
  private static final class Pair {
    final SimulatedCluster cluster =
        new SimulatedCluster("pair-" + CLUSTERS.incrementAndGet(), Variant.aws());
    final Actor first;
    final Actor second;
    final List<Told> told = new ArrayList<>();

    Pair(Role one, Role other) {
      first = new Actor(one, "one-" + cluster.name, Set.of(1, 2), true, RandomTurns.Troubles.NONE);
      second =
          new Actor(other, "other-" + cluster.name, Set.of(1, 2), true, RandomTurns.Troubles.NONE);
      for (int day = 1; day <= 2; day++) {
        cluster.plant(SimulatedCluster.PREFIX + "day=" + day + "/old", new byte[0]);
      }
    }

    SimulatedJob job(Actor actor, Calls calls) {
      return new SimulatedJob(cluster, cluster.new View(calls), actor, actor.name());
    }

    private long number(Actor actor) {
      return cluster.decision(actor.name()).orElseThrow().number();
    }

    /** What the two do, one after the other, in the order of their numbers. */
    Set<String> expected() {
      Set<String> expected = new TreeSet<>();
      expected.add(SimulatedCluster.PREFIX + "day=1/old=");
      expected.add(SimulatedCluster.PREFIX + "day=2/old=");
      List<Actor> order =
          number(first) < number(second) ? List.of(first, second) : List.of(second, first);
      for (Actor actor : order) {
        if (actor.role() == Role.OVERWRITE) {
          expected.clear();
        }
        expected.addAll(job(actor, undisturbed()).made());
      }
      return expected;
    }

    void check(String when) {
      assertThat(told).as(when).containsExactly(Told.COMMITTED, Told.COMMITTED);
      assertThat(cluster.table()).as(when).isEqualTo(expected());
      assertThat(cluster.pending()).as(when).isEmpty();
    }
  }

  private static Calls undisturbed() {
    return new Calls() {
      @Override
      public <T> T make(Call call, Effect<T> effect) throws IOException {
        return effect.take();
      }
    };
  }

  private static final List<List<Role>> PAIRS =
      List.of(
          List.of(Role.OVERWRITE, Role.OVERWRITE),
          List.of(Role.APPEND, Role.OVERWRITE),
          List.of(Role.OVERWRITE, Role.APPEND));

  /** The second runs from its begin to its end before any one call of the first. */
  @Test
  void t8TwoJobsWithoutLocksAreOneAfterTheOtherWhereverTheSecondComes() {
    for (List<Role> roles : PAIRS) {
      int calls = 0;
      boolean came;
      do {
        Pair pair = new Pair(roles.get(0), roles.get(1));
        int before = ++calls;
        List<Told> inner = new ArrayList<>();
        AtomicInteger made = new AtomicInteger();
        Calls interrupted =
            new Calls() {
              @Override
              public <T> T make(Call call, Effect<T> effect) throws IOException {
                if (made.incrementAndGet() == before) {
                  inner.add(pair.job(pair.second, undisturbed()).run());
                }
                return effect.take();
              }
            };
        pair.told.add(pair.job(pair.first, interrupted).run());
        came = !inner.isEmpty();
        if (came) {
          pair.told.addAll(inner);
          pair.check(roles + ", before call " + before);
        }
      } while (came);
      assertThat(calls).as("calls of the first").isGreaterThan(20);
    }
  }

  @Tag("thorough")
  @Test
  void t8TwoJobsWithoutLocksAreOneAfterTheOtherInAnyOrderOfTheirCalls() throws Exception {
    for (List<Role> roles : PAIRS) {
      Set<Boolean> firstWasFaster = new TreeSet<>();
      for (long seed = 1; seed <= 150; seed++) {
        Pair pair = new Pair(roles.get(0), roles.get(1));
        Interleaving turns = new Interleaving(new RandomTurns(seed), call -> {});
        for (Actor actor : List.of(pair.first, pair.second)) {
          turns.add(
              actor.name(),
              (calls, crashed) -> {
                Told told = pair.job(actor, calls).run();
                synchronized (pair) {
                  pair.told.add(told);
                }
              });
        }
        turns.run();
        String when = roles + ", seed " + seed;
        assertThat(turns.failures()).as(when).isEmpty();
        pair.check(when);
        firstWasFaster.add(pair.number(pair.first) < pair.number(pair.second));
      }
      assertThat(firstWasFaster).as("both orders were seen").hasSize(2);
    }
  }

  @Test
  void t8AnInsertBetweenTheLookOfAnOverwriteAndItsListingIsReplacedWhole() throws IOException {
    store.plant(T + "day=1/old", new byte[1]);
    TestJob insert = job("job-2").task("a", "day=1/0", "day=1/1").smallTask("b", "day=1/2");
    job.task("a", "day=1/0");
    LogTail look = job.log().tail();
    insert.insert();
    LogEntry entry = job.decideAndDie(Overwrite.directory(DAY_1), look);
    assertThat(entry.follows()).containsExactly(1L);
    recovery().run(NOW);
    assertThat(data()).containsExactly(job.key("day=1/0"));
  }
}
