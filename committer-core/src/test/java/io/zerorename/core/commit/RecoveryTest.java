package io.zerorename.core.commit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.log.PlanPart;
import io.zerorename.core.log.Plans;
import io.zerorename.core.log.Proposal;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.testing.FaultPlan.Moment;
import io.zerorename.testing.InMemoryObjectStore;
import io.zerorename.testing.InMemoryObjectStore.Variant;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What is made of commits that other processes have left open. */
class RecoveryTest extends OpenCommits {
  @Test
  void whatAnotherReleaseHasProposedIsLeftToIt() throws IOException {
    OutputJob output = new OutputJob("newer", "a job of another release", List.of(TestJob.TABLE));
    String name =
        Proposals.propose(
                job.log(), Plans.part(output, List.of(), List.of(), List.of(TestJob.TABLE)), DEAD)
            .names()
            .get(0);
    String key = store.keys().stream().filter(it -> it.endsWith(name)).findFirst().orElseThrow();
    String text = new String(store.content(key), UTF_8);
    store.plant(key, text.replace("\"version\":3", "\"version\":9").getBytes(UTF_8));
    assertThat(recovery().run(Duration.ZERO)).singleElement().isInstanceOf(Recovered.Failed.class);
    assertThat(job.log().read("newer")).isEmpty();
    assertThat(job.log().open()).hasSize(1);
  }

  @Test
  void whereNothingIsOpenItCostsOneListing() throws IOException {
    job.task("a", "day=1/0").insert();
    store.resetCounts();
    assertThat(recovery().run(Duration.ZERO)).isEmpty();
    assertThat(store.requests()).isEqualTo(Map.of(RequestType.LIST, 1L));
  }

  @Test
  void aDecidedCommitIsCarriedOut() throws IOException {
    store.plant(T + "day=1/old", new byte[1]);
    store.plant(T + "day=2/old", new byte[1]);
    job.task("a", "day=1/0", "day=1/1").losingTask("b", "day=1/9");
    job.decideAndDie(Overwrite.directoriesOfFiles(), DEAD);

    assertThat(recovery().run(Duration.ofDays(1)))
        .singleElement()
        .isInstanceOfSatisfying(
            Recovered.Completed.class,
            completed -> {
              assertThat(completed.plan().uploads()).hasSize(2);
              assertThat(completed.message()).contains("INSERT into db.t", "2 files", "1 replaced");
            });
    assertThat(data())
        .containsExactlyInAnyOrder(job.key("day=1/0"), job.key("day=1/1"), T + "day=2/old");
    assertThat(store.pendingKeys()).isEmpty();
    assertThat(ended).hasSize(1);
    assertThat(job.directory().isFinished()).isTrue();
    assertThat(job.log().open()).isEmpty();
    assertThat(job.log().finished(job.id())).contains(new CommitSummary(2, 14, 1, false));
    assertThat(recovery().run(Duration.ZERO)).isEmpty();
  }

  @Test
  void whatWasOnlyProposedIsUndone() throws IOException {
    store.plant(T + "day=1/old", new byte[1]);
    job.task("a", "day=1/0", "day=1/1").losingTask("b", "day=1/9");
    Proposals.propose(job.log(), job.plan(Overwrite.directoriesOfFiles()));

    assertThat(recovery().run(Duration.ZERO))
        .singleElement()
        .isInstanceOfSatisfying(
            Recovered.RolledBack.class,
            undone -> {
              assertThat(undone.uploads()).isEqualTo(3);
              assertThat(undone.message()).contains("job-1", "3 pending uploads were aborted");
            });
    assertThat(data()).containsExactly(T + "day=1/old");
    assertThat(store.pendingKeys()).isEmpty();
    assertThat(job.log().isDecided(job.id())).isTrue();
    assertThat(job.log().open()).isEmpty();
    assertThat(ended).isEmpty();
    assertThatThrownBy(job::overwrite)
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("the job was aborted");
    assertThat(data()).containsExactly(T + "day=1/old");
  }

  @Test
  void aCommitCanBeGivenUpThoughItsUploadsCannotBeAborted() throws IOException {
    job.task("a", "day=1/0");
    job.decideAndDie(Overwrite.none(), DEAD);
    store.faults().failFrom(RequestType.ABORT_UPLOAD, 1, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);

    assertThat(recovery().giveUp(job.id(), Duration.ZERO))
        .contains(new Recovered.GivenUp(job.id(), 0, List.of(), List.of(), Optional.empty()));
    assertThat(job.log().open()).isEmpty();
  }

  @Test
  void aRecoveryThatFailsIsTakenUpByTheNext() throws IOException {
    store.plant(T + "day=1/old", new byte[1]);
    job.task("a", "day=1/0", "day=1/1");
    job.decideAndDie(Overwrite.directoriesOfFiles(), DEAD);
    store.faults().fail(RequestType.COMPLETE_UPLOAD, 2, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
    assertThat(recovery().run(Duration.ZERO))
        .singleElement()
        .isInstanceOfSatisfying(
            Recovered.Failed.class,
            failed -> {
              assertThat(failed.message())
                  .contains(
                      "job-1", "planned fault ACCESS_DENIED", "cannot be brought to its end now");
              assertThat(failed.isUnreadable()).isFalse();
            });
    assertThat(data()).contains(T + "day=1/old");
    assertThat(RunningCommits.isRunning(job.id())).isFalse();
    assertThat(recovery().run(Duration.ZERO))
        .singleElement()
        .isInstanceOf(Recovered.Completed.class);
    assertThat(data()).containsExactlyInAnyOrder(job.key("day=1/0"), job.key("day=1/1"));
  }

  @Test
  void whatWasTriedForLongAndInVainKeepsNobodyWaitingAgainForAMinute() throws IOException {
    job.task("a", "day=1/0");
    job.decideAndDie(Overwrite.none(), DEAD);
    AtomicReference<Duration> time = new AtomicReference<>(Duration.ZERO);
    AtomicReference<Duration> took = new AtomicReference<>(Duration.ofSeconds(5));
    VainRecoveries vain =
        new VainRecoveries(() -> time.updateAndGet(it -> it.plus(took.get())).toNanos());
    store
        .faults()
        .failFrom(RequestType.COMPLETE_UPLOAD, 1, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
    List<Recovered> first = recovery().runUnlessVain(Duration.ZERO, vain);
    assertThat(first).singleElement().isInstanceOf(Recovered.Failed.class);
    store.resetCounts();
    took.set(Duration.ZERO);

    assertThat(recovery().runUnlessVain(Duration.ZERO, vain)).isEqualTo(first);
    assertThat(store.requests()).as("told again").isEqualTo(Map.of(RequestType.LIST, 1L));
    assertThat(recovery().run(Duration.ZERO))
        .as("tried by who depends on it")
        .singleElement()
        .isNotSameAs(first.get(0));

    time.updateAndGet(it -> it.plus(Duration.ofMinutes(1)));
    assertThat(recovery().runUnlessVain(Duration.ZERO, vain))
        .as("tried again")
        .singleElement()
        .isNotSameAs(first.get(0));
    store.faults().clear();
    assertThat(recovery().runUnlessVain(Duration.ZERO, vain))
        .as("what fails at once is tried by everybody")
        .singleElement()
        .isInstanceOf(Recovered.Completed.class);
    assertThat(data()).containsExactly(job.key("day=1/0"));
  }

  @Test
  void anEngineThatFailsLeavesTheCommitOpen() throws IOException {
    job.task("a", "day=1/0");
    job.decideAndDie(Overwrite.none(), DEAD);
    RecoveryEngine failing =
        new Engine() {
          @Override
          public Optional<JobDirectory> records(OutputJob output) throws IOException {
            throw new IOException("the cluster is gone");
          }

          @Override
          public void end(CommitPlan plan) throws IOException {
            throw new IOException("no metastore");
          }
        };
    assertThat(recovery(failing).run(Duration.ZERO))
        .singleElement()
        .isInstanceOfSatisfying(
            Recovered.Failed.class,
            failed -> assertThat(failed.message()).contains("no metastore"));
    assertThat(job.log().open()).hasSize(1);
    assertThat(recovery().run(Duration.ZERO))
        .singleElement()
        .isInstanceOf(Recovered.Completed.class);
    assertThat(ended).hasSize(1);
  }

  @Test
  void anUnreachableClusterIsReplacedByAListing() throws IOException {
    job.task("a", "day=1/0").losingTask("b", "day=1/9");
    job.decideAndDie(Overwrite.none(), DEAD);
    store.createUpload(T + "day=1/foreign", Map.of());
    recovery(new EngineWithoutRecords(root -> true)).run(Duration.ZERO);
    assertThat(data()).containsExactly(job.key("day=1/0"));
    assertThat(store.pendingKeys()).containsExactly(T + "day=1/foreign");
  }

  @Test
  void aFileWrittenUnderAnOldNameAfterTheBreakIsNotDeleted() throws IOException {
    store.plant(T + "day=1/a", new byte[1]);
    store.plant(T + "day=1/b", new byte[1]);
    job.task("a", "day=1/0");
    job.decideAndDie(Overwrite.directoriesOfFiles(), DEAD);
    store.plant(T + "day=1/a", new byte[2]);
    assertThat(recovery().run(Duration.ZERO))
        .singleElement()
        .isInstanceOf(Recovered.Completed.class);
    assertThat(data()).containsExactlyInAnyOrder(T + "day=1/a", job.key("day=1/0"));
  }

  @Test
  void anObjectThatHasTakenAPlainNameAfterTheBreakIsNotReplaced() throws IOException {
    job.task("a", "part-0");
    PlanPart plan = job.plan(Overwrite.none());
    OutputJob plain =
        new OutputJob(
            job.id(),
            "a job",
            TestJob.TABLE,
            List.of(TestJob.TABLE),
            true,
            plan.job().records(),
            Map.of());
    Proposal proposal =
        Proposals.propose(
            job.log(), Plans.part(plain, plan.uploads(), plan.replaced(), plan.markers()));
    job.log().commit(job.id(), proposal, Optional.empty());
    store.plant(job.key("part-0"), "another job's".getBytes(UTF_8));
    assertThat(recovery().run(Duration.ZERO))
        .singleElement()
        .isInstanceOfSatisfying(
            Recovered.Failed.class,
            failed ->
                assertThat(failed.message())
                    .contains("another job has meanwhile written", job.key("part-0")));
    assertThat(store.content(job.key("part-0"))).asString(UTF_8).isEqualTo("another job's");

    store.deleteObjects(List.of(job.key("part-0")));
    assertThat(recovery().run(Duration.ZERO))
        .singleElement()
        .isInstanceOf(Recovered.Completed.class);
    assertThat(store.content(job.key("part-0"))).asString(UTF_8).isEqualTo("part-0");
  }

  @Test
  void twoRecoveriesAtOnceAreAsGoodAsOne() throws IOException {
    store.plant(T + "day=1/old", new byte[1]);
    job.task("a", "day=1/0", "day=1/1");
    job.decideAndDie(Overwrite.directoriesOfFiles(), DEAD);
    RecoveryEngine meanwhile =
        new Engine() {
          @Override
          public Optional<JobDirectory> records(OutputJob output) throws IOException {
            // Another process comes to the end before this one.
            RunningCommits.end(output.id());
            assertThat(recovery().run(Duration.ZERO))
                .singleElement()
                .isInstanceOf(Recovered.Completed.class);
            return Optional.empty();
          }
        };
    assertThat(recovery(meanwhile).run(Duration.ZERO))
        .singleElement()
        .isInstanceOf(Recovered.Completed.class);
    assertThat(data()).containsExactlyInAnyOrder(job.key("day=1/0"), job.key("day=1/1"));
    assertThat(job.log().open()).isEmpty();
    assertThat(store.pendingKeys()).isEmpty();
  }

  @Test
  void aCommitterThatWakesUpAfterRecoveryAndALaterOverwriteChangesNothing() throws IOException {
    for (Variant variant : List.of(Variant.aws(), Variant.aws().withSecondCompleteRefused())) {
      store = new InMemoryObjectStore("bucket", variant);
      String id = "job-" + variant.secondCompleteSucceeds();
      job = job(id).task("a", "day=1/0", "day=1/1");
      store.plant(T + "day=1/old", new byte[1]);
      job.commitAndDie(Overwrite.directoriesOfFiles());
      assertThat(recovery().run(Duration.ZERO)).hasSize(1);
      TestJob later = job(id + "-later").task("a", "day=1/7");
      later.overwrite();
      assertThat(data()).containsExactly(later.key("day=1/7"));

      CommitReport report = job.overwrite();
      assertThat(report.decidedBefore()).isTrue();
      assertThat(report.files()).isEqualTo(2);
      assertThat(data()).containsExactly(later.key("day=1/7"));
      assertThat(job.log().open()).isEmpty();
    }
  }

  @Test
  void aLeftoverProposalOfAFinishedJobIsForgotten() throws IOException {
    job.task("a", "day=1/0");
    job.insert();
    Proposals.propose(job.log(), job.plan(Overwrite.none()));
    assertThat(recovery().run(Duration.ZERO)).isEmpty();
    assertThat(job.log().open()).isEmpty();
    assertThat(data()).containsExactly(job.key("day=1/0"));
  }
}
