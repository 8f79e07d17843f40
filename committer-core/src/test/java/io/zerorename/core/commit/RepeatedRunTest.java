package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.commit.JobsScript.Actor;
import io.zerorename.core.commit.JobsScript.Role;
import io.zerorename.core.commit.RandomTurns.Troubles;
import io.zerorename.core.commit.SimulatedJob.Told;
import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.log.EndNote;
import io.zerorename.core.log.EntryState;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.RunId;
import io.zerorename.core.recovery.Recovery;
import io.zerorename.core.store.RequestType;
import io.zerorename.testing.InMemoryObjectStore.Variant;
import io.zerorename.testing.Waits;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Of all jobs of a run that add files one is committed. */
class RepeatedRunTest extends TimedCommits {
  private static final RunId RUN = new RunId("today", TestJob.TABLE.toString(), "INSERT");

  private TestJob first;
  private TestJob second;

  @BeforeEach
  void twoOfARun() throws IOException {
    first = job("job-2").ofRun(RUN).task("a", "day=1/0");
    second = job("job-3").ofRun(RUN).task("a", "day=1/0").smallTask("b", "day=1/1");
  }

  private CommitReport repeat() throws IOException {
    return completed(insert(second));
  }

  private CommitReport completed(CommitReport report) throws IOException {
    new Recovery(stores, job.log(), Waits.in(this::pass, job.settings()), new Engine())
        .completeRun(report);
    return report;
  }

  /** Nothing of the second is left, whether or not the rows of the first are there. */
  private void assertRepeats(CommitReport report) throws IOException {
    assertThat(report.repeats()).isPresent();
    assertThat(report.open()).isEmpty();
    assertThat(report.entry().job().id()).isEqualTo(first.id());
    assertThat(report.made().files()).isZero();
    assertThat(data()).containsExactly(first.key("day=1/0"));
    assertThat(store.pendingKeys()).isEmpty();
    assertThat(job.log().tailDownTo(1).open()).isEmpty();
    assertThat(second.isDecided()).isFalse();
  }

  @Test
  void aRunThatIsCommittedIsNotWrittenAgain() throws IOException {
    insert(first);
    second.losingTask("c", "day=1/9");
    store.resetCounts();
    CommitReport report = repeat();
    assertThat(store.requests())
        .isEqualTo(
            Map.of(
                // When it is found, when that is reported, and when it is completed.
                RequestType.LIST, 3L,
                RequestType.GET, 1L,
                RequestType.LIST_UPLOADS, 1L,
                RequestType.ABORT_UPLOAD, 2L,
                RequestType.LIST_PARTS, 2L,
                RequestType.HEAD, 1L));
    assertRepeats(report);
    assertThat(report.line("INSERT", Map.of()))
        .startsWith(
            "ZR-1136: INSERT has written nothing: its run \"today\" was committed before, by")
        .endsWith(
            "as entry 1, which is complete. The log keeps it for 7 days at least"
                + " (zerorename.log.days). 2 uploads"
                + " aborted");
    assertThat(ended).isEmpty();
  }

  @Test
  void aRepetitionCompletesWhatTheFirstHasLeft() throws IOException {
    first.decideAndDie(Overwrite.none());
    assertRepeats(repeat());
    assertThat(ended).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource(names = {"CRASH_BEFORE", "CRASH_AFTER"})
  void whereverTheFirstIsKilledTheRowsAreThereOnce(Fault.Kind kind) throws IOException {
    JobShape shape = new Actor(Role.REPEAT, "", Set.of(1, 2), true, Troubles.NONE);
    Set<Told> seen = EnumSet.noneOf(Told.class);
    FaultyCalls calls;
    int step = 0;
    do {
      String name = "run-" + kind + ++step;
      SimulatedCluster cluster = new SimulatedCluster(name, Variant.aws());
      SimulatedJob killed = new SimulatedJob(cluster, cluster.undisturbed(), shape, name + "-a");
      killed.prepare();
      calls = new FaultyCalls(List.of(new Fault(step, kind)), overwrite -> {}, call -> {});
      calls.process(
          it -> new SimulatedJob(cluster, cluster.new View(it), shape, name + "-a").commit(true));
      SimulatedJob again = new SimulatedJob(cluster, cluster.undisturbed(), shape, name + "-b");
      Told told = again.run();
      seen.add(told);
      assertThat(new SimulatedRecovery(cluster.undisturbed()).run())
          .as("open at %s", calls)
          .isEmpty();
      assertThat(cluster.table())
          .as("killed at %s", calls)
          .isEqualTo(told == Told.COMMITTED ? again.made() : killed.made());
      assertThat(cluster.pending(name + "-b")).isEmpty();
    } while (!calls.struck().isEmpty());
    assertThat(step).isGreaterThan(10);
    assertThat(seen).containsExactlyInAnyOrder(Told.COMMITTED, Told.REPEATS);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRunOfWhichAJobHasFailedMayBeRepeated(boolean noted) throws IOException {
    LogEntry failed = job.log().decideAgainst(first.outputJob(), job.log().tail());
    if (noted) {
      job.log().mark(failed, EntryState.COMPLETE, EndNote.NOTHING);
    }
    assertThat(Recovery.findRun(second.outputJob(), job.log())).isEmpty();
    assertThat(repeat().repeats()).isEmpty();
    assertThat(data()).hasSize(2);
  }

  @Test
  void ofTwoAtOnceOneIsCommitted() throws IOException {
    assertRepeats(completed(second.commit(Overwrite.none(), () -> insert(first))));
  }

  @Test
  void anotherStatementOfTheSameIdFails() throws IOException {
    insert(first);
    second.ofRun(new RunId(RUN.id(), RUN.target(), "another"));
    assertThatThrownBy(this::repeat)
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("ZR-1135");
    assertThat(data()).containsExactly(first.key("day=1/0"));
  }

  @Test
  void otherIdsAndTargetsAreOtherRuns() throws IOException {
    insert(first);
    insert(job("job-4").ofRun(new RunId("tomorrow", RUN.target(), "INSERT")).task("a", "day=1/0"));
    insert(job("job-5").ofRun(new RunId("today", "another", "INSERT")).task("a", "day=1/0"));
    assertThat(data()).hasSize(3);
  }

  @Test
  void aRepetitionFailsWhereTheFirstLostFiles() throws IOException {
    first.decideAndDie(Overwrite.none());
    vanish(first, 0);
    assertLacksRows("has lost files");
  }

  /** The entry ends without them, and then says so each time. */
  private void assertLacksRows(String why) throws IOException {
    assertThatThrownBy(this::repeat).hasMessageContainingAll("ZR-1137", why);
    assertThatThrownBy(this::repeat).hasMessageContainingAll("ZR-1138", first.key("day=1/0"));
    assertThat(data()).isEmpty();
    assertThat(store.pendingKeys()).isEmpty();
  }

  @Test
  void aRepetitionFailsWhereFilesWereDeletedSince() throws IOException {
    insert(first);
    store.deleteObjects(data());
    assertThatThrownBy(this::repeat).hasMessageContainingAll("ZR-1138", first.key("day=1/0"));
    assertThat(data()).isEmpty();
  }

  /** Its entry is not among those that any job lists. */
  @Test
  void aRunIsFoundBehindAThousandRecordsAndNotOnceItsEntryIsCut() throws IOException {
    insert(first);
    insert(job.task("a", "day=2/0"));
    insert(job("job-4").task("a", "day=2/0"));
    String before =
        store.keys().stream().filter(it -> it.endsWith("/log/_999999999997")).findFirst().get();
    for (int i = 0; i < 1_000; i++) {
      store.plant(before + ".x" + i, new byte[0]);
    }
    store.pass(Duration.ofDays(6));
    assertThat(Recovery.findRun(second.outputJob(), job.log())).isPresent();
    assertThat(repeat().repeats()).isPresent();
    store.pass(Duration.ofDays(2));
    assertThat(job.log().cut(CoreKeys.FEWEST_LOG_DAYS)).isEqualTo(2);
    TestJob late = job("job-6").ofRun(RUN).task("a", "day=1/0");
    assertThat(insert(late).repeats()).isEmpty();
    assertThat(data()).hasSize(4);
  }
}
