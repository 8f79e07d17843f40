package io.zerorename.core.recovery;

import static io.zerorename.core.commit.SimulatedCluster.SETTINGS;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.commit.Calls;
import io.zerorename.core.commit.JobKind;
import io.zerorename.core.commit.SimulatedCluster;
import io.zerorename.core.commit.SimulatedJob;
import io.zerorename.core.commit.SimulatedJob.Told;
import io.zerorename.core.job.JobDirectory;
import io.zerorename.core.job.WorkDirectory;
import io.zerorename.core.log.EntryKind;
import io.zerorename.core.store.RequestType;
import io.zerorename.testing.InMemoryObjectStore.Variant;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

/** What jobs leave that nobody was there to sweep is swept by those that run much later. */
class OrphanSweepTest {
  private static final Duration ABANDONED = Duration.ofDays(7);

  private final SimulatedCluster cluster = new SimulatedCluster("late", Variant.aws());
  private final SimulatedCluster.View view = cluster.undisturbed();

  private static boolean decides(Calls.Call call) {
    return call.what().startsWith("PUT w/_zerorename/t-1/log/_9");
  }

  private int sweep(Instant now) throws IOException {
    return sweep(view, now);
  }

  private static int sweep(SimulatedCluster.View by, Instant now) throws IOException {
    return new OrphanSweep(by.stores, by.work(), log -> SETTINGS, ABANDONED).run(now);
  }

  private static Instant in(Duration time) {
    return Instant.now().plus(time);
  }

  private JobDirectory directory(String id) {
    return new JobDirectory(view.fileSystem, new Path(WorkDirectory.jobsOf(cluster.work()), id));
  }

  /** Runs a job in a process that dies before a call. */
  private void runAndDie(String id, Predicate<Calls.Call> before) {
    boolean[] dead = {false};
    Calls calls = Calls.refusing(call -> dead[0] |= before.test(call));
    new SimulatedJob(cluster, cluster.new View(calls), JobKind.APPEND, id).run();
  }

  @Test
  void aJobWhoseProcessWasKilledIsAbortedOnceItCountsAsDead() throws IOException {
    runAndDie("job-a", OrphanSweepTest::decides);
    assertThat(cluster.store.pendingKeys()).hasSize(3);
    assertThat(sweep(in(Duration.ofDays(6)))).isZero();
    assertThat(cluster.decision("job-a")).isEmpty();
    assertThat(cluster.store.pendingKeys()).hasSize(3);

    assertThat(sweep(in(Duration.ofDays(8)))).isEqualTo(3);
    assertThat(cluster.decision("job-a"))
        .hasValueSatisfying(it -> assertThat(it.kind()).isEqualTo(EntryKind.VOID));
    assertThat(cluster.store.pendingKeys()).isEmpty();
    assertThat(directory("job-a").isFinished()).isTrue();
    // Its process was only asleep.
    assertThat(new SimulatedJob(cluster, view, JobKind.APPEND, "job-a").commit(false))
        .isEqualTo(Told.FAILED);
    assertThat(cluster.table()).isEmpty();
  }

  /** As of a bucket that is closed to its user. */
  @Test
  void recordsOfAnOldJobGoThoughItsSweepFails() throws IOException {
    runAndDie("job-a", OrphanSweepTest::decides);
    sweep(in(Duration.ofDays(8)));
    directory("job-a").noteWriter("late");
    Calls refusing = Calls.refusing(call -> call.what().contains("LIST_UPLOADS"));
    SimulatedCluster.View closed = cluster.new View(refusing);
    assertThat(sweep(closed, in(Duration.ofHours(2)))).isZero();
    Path records = directory("job-a").path();
    assertThat(view.fileSystem.exists(records)).isTrue();

    assertThat(sweep(closed, in(Duration.ofDays(9)))).isZero();
    assertThat(view.fileSystem.exists(records)).isFalse();
  }

  @Test
  void aCreateThatTakesEffectAfterTheAbortIsFoundAnHourLater() throws IOException {
    List<Calls.Effect<?>> late = new ArrayList<>();
    Calls calls =
        new Calls() {
          @Override
          public <T> T make(Call call, Effect<T> effect) throws IOException {
            if (call.what().startsWith("CREATE_UPLOAD")) {
              late.add(effect);
              throw new IOException("no answer");
            }
            return effect.take();
          }
        };
    assertThat(new SimulatedJob(cluster, cluster.new View(calls), JobKind.APPEND, "job-a").run())
        .isEqualTo(Told.FAILED);
    for (Calls.Effect<?> create : late) {
      create.take();
    }
    assertThat(cluster.store.pendingKeys()).hasSize(1);
    assertThat(sweep(in(Duration.ofMinutes(1)))).isZero();
    assertThat(sweep(in(Duration.ofHours(2)))).isEqualTo(1);
    assertThat(cluster.store.pendingKeys()).isEmpty();
    assertThat(directory("job-a").hasWriters()).as("where one was, there may be another").isTrue();
    assertThat(sweep(in(Duration.ofHours(3)))).isZero();
    assertThat(directory("job-a").hasWriters()).isFalse();
  }

  @Test
  void onlyOneJobPerHourSweeps() throws IOException {
    runAndDie("job-a", OrphanSweepTest::decides);
    Instant then = in(Duration.ofDays(8));
    assertThat(sweep(then)).isEqualTo(3);
    runAndDie("job-b", OrphanSweepTest::decides);
    assertThat(sweep(then)).isZero();
    assertThat(sweep(then.plus(Duration.ofHours(1)))).isEqualTo(3);
  }

  @Test
  void aCommittedJobWhoseCleanUpFailedIsSweptAndEnds() throws IOException {
    Calls calls = Calls.refusing(call -> call.what().startsWith("ABORT_UPLOAD"));
    SimulatedJob job = new SimulatedJob(cluster, cluster.new View(calls), JobKind.APPEND, "job-a");
    assertThat(job.run()).isEqualTo(Told.COMMITTED);
    assertThat(cluster.store.pendingKeys()).hasSize(1);
    assertThat(sweep(in(Duration.ofDays(8)))).isEqualTo(1);
    assertThat(cluster.store.pendingKeys()).isEmpty();
    assertThat(cluster.table()).isEqualTo(job.made());
    assertThat(directory("job-a").isFinished()).isTrue();
  }

  @Test
  void oneJobThatCannotBeSweptDoesNotKeepTheOthersFromIt() throws IOException {
    runAndDie("job-a", OrphanSweepTest::decides);
    runAndDie("job-b", OrphanSweepTest::decides);
    SimulatedCluster.View refused =
        cluster.new View(Calls.refusing(call -> call.what().matches("ABORT_UPLOAD.*job-a.*")));
    assertThat(sweep(refused, in(Duration.ofDays(8)))).isEqualTo(3);
    assertThat(cluster.store.pendingKeys()).allMatch(key -> key.contains("job-a")).hasSize(3);
    assertThat(sweep(in(Duration.ofDays(9)))).isEqualTo(3);
    assertThat(cluster.store.pendingKeys()).isEmpty();
  }

  @Test
  void aDirectoryThatSaysNothingAndForeignUploadsAreLeftAlone() throws IOException {
    cluster.files.mkdirs(new Path(WorkDirectory.jobsOf(cluster.work()), "strange"));
    String foreign = cluster.store.createUpload("w/t/0.strange", Map.of());
    assertThat(sweep(in(Duration.ofDays(8)))).isZero();
    assertThat(cluster.store.pendingKeys()).containsExactly("w/t/0.strange");
    cluster.store.abortUpload("w/t/0.strange", foreign);
  }

  @Test
  void recordsGoAWeekAfterTheEndOfTheirJobAndThoseOfUnfinishedJobsStay() throws IOException {
    new SimulatedJob(cluster, view, JobKind.APPEND, "ended").run();
    runAndDie("open", call -> call.what().startsWith("COMPLETE_UPLOAD"));
    // Of an attempt that was not chosen, and might have been at work when the job ended.
    assertThat(sweep(in(Duration.ofHours(2)))).isZero();
    assertThat(directory("ended").hasWriters()).isFalse();

    sweep(in(Duration.ofDays(6)));
    assertThat(view.work().jobs()).hasSize(2);
    sweep(in(Duration.ofDays(8)));
    assertThat(view.work().jobs()).containsExactly(directory("open").path());
  }

  @Test
  void notesOfChecksGoAfterAWeek() throws IOException {
    view.work().records().putIfAbsent("checks/_a-note", new byte[0]);

    sweep(in(Duration.ofDays(6)));
    assertThat(view.work().records().get("checks/_a-note")).isPresent();
    sweep(in(Duration.ofDays(8)));
    assertThat(view.work().records().get("checks/_a-note")).isEmpty();
  }

  /** One of its attempts was not chosen, and might still have been at work when it ended. */
  @Test
  void aSweptJobCostsOneMoreListingAndThenNothing() throws IOException {
    assertThat(new SimulatedJob(cluster, view, JobKind.APPEND, "job-a").run())
        .isEqualTo(Told.COMMITTED);
    cluster.store.resetCounts();
    assertThat(sweep(in(Duration.ofDays(8)))).isZero();
    assertThat(cluster.store.requests()).isEqualTo(Map.of(RequestType.LIST_UPLOADS, 1L));
    cluster.store.resetCounts();
    assertThat(sweep(in(Duration.ofDays(9)))).isZero();
    assertThat(cluster.store.requests()).isEmpty();
    assertThat(cluster.table()).hasSize(2);
  }
}
