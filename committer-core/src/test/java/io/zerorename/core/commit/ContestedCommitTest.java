package io.zerorename.core.commit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.zerorename.core.log.OutputJob;
import io.zerorename.core.log.PlanPart;
import io.zerorename.core.log.Plans;
import io.zerorename.core.log.ProcessIdentity;
import io.zerorename.core.log.Proposal;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.testing.FaultPlan.Moment;
import io.zerorename.testing.InMemoryObjectStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commits on which two processes work that do not know of each other. */
class ContestedCommitTest {
  private static final ProcessIdentity ELSEWHERE =
      new ProcessIdentity("another-host", 1, Instant.EPOCH);

  @TempDir Path workDir;

  private final InMemoryObjectStore store = new InMemoryObjectStore("bucket");
  private TestJob job;

  @BeforeEach
  void newJob() throws IOException {
    job =
        TestJob.decidedInBucket(
            store, FileSystem.getLocal(new Configuration(false)), workDir, "job-1");
  }

  private Recovery recovery(EngineWithoutRecords.Allowed allowed) {
    return new Recovery(store, job.log(), job.settings(), new EngineWithoutRecords(allowed));
  }

  @Test
  void aJobThatIsGivenUpCannotCommitWhatIsBeingAborted() throws IOException {
    job.task("a", "day=1/0");
    Proposal proposal = Proposals.propose(job.log(), job.plan(Overwrite.none()), ELSEWHERE);
    List<Decision> ofItsProcess = new ArrayList<>();
    Recovery recovery =
        recovery(
            root -> {
              // Its process wakes up right before its uploads are aborted.
              ofItsProcess.add(job.log().commit(job.id(), proposal, Optional.empty()));
              return true;
            });
    assertThat(recovery.giveUp(job.id(), Duration.ZERO))
        .get()
        .isInstanceOf(Recovered.GivenUp.class);
    assertThat(store.pendingKeys()).isEmpty();
    assertThat(ofItsProcess).isNotEmpty().noneMatch(Decision::commits);
  }

  @Test
  void aJobOfAnotherDestinationIsNotDecidedAbout() throws IOException {
    job.task("a", "day=1/0");
    Proposal proposal = Proposals.propose(job.log(), job.plan(Overwrite.none()), ELSEWHERE);
    // As recover --now does at a directory below the table, which also looks into the table's log.
    assertThat(recovery(root -> false).run(Duration.ZERO))
        .singleElement()
        .isInstanceOfSatisfying(
            Recovered.Failed.class,
            failed -> assertThat(failed.message()).contains("may not write"));
    assertThat(job.log().isDecided(job.id())).isFalse();
    assertThat(job.log().commit(job.id(), proposal, Optional.empty()).commits()).isTrue();
  }

  @Test
  void amongTheFilesOfALaterJobNoneOfAnEarlierOneAppears() throws IOException {
    job.task("a", "part-0", "part-1", "part-2");
    PlanPart plan = plain(job.plan(Overwrite.none()));
    Proposal proposal = Proposals.propose(job.log(), plan, ELSEWHERE);
    assertThat(job.log().commit(job.id(), proposal, Optional.empty()).commits()).isTrue();
    PendingUpload last = plan.uploads().get(2);
    // The later job has fewer files.
    store.plant(last.key(), "of a later job".getBytes(UTF_8));

    assertThat(recovery(root -> true).run(Duration.ZERO))
        .singleElement()
        .isInstanceOfSatisfying(
            Recovered.Failed.class,
            failed -> assertThat(failed.message()).contains("another job has meanwhile written"));
    assertThat(store.keys().stream().filter(key -> key.startsWith("warehouse/t/")))
        .containsExactly(last.key());
    store.deleteObjects(List.of(last.key()));
    assertThat(recovery(root -> true).run(Duration.ZERO))
        .singleElement()
        .isInstanceOf(Recovered.Completed.class);
    assertThat(store.keys()).containsAll(plan.uploads().stream().map(PendingUpload::key).toList());
  }

  @Test
  void whoPausedBeforeItCompletesPlainNamesLooksForFilesOfOthers() throws IOException {
    job.task("a", "part-0", "part-1");
    PlanPart plan = plain(job.plan(Overwrite.none()));
    PendingUpload last = plan.uploads().get(1);
    store.plant(last.key(), "of another job".getBytes(UTF_8));
    Proposal proposal = Proposals.propose(job.log(), plan);
    CarryOut carryOut = byDecider(proposal);
    try (Workers workers = new Workers(1)) {
      assertThatThrownBy(() -> carryOut.run(Plans.of(plan), () -> false, workers, new StageTimes()))
          .isInstanceOf(CommitStateUnknownException.class)
          .hasMessageContaining("another job has meanwhile written " + last.destination());
    }
    assertThat(store.getObject(last.key())).isEqualTo("of another job".getBytes(UTF_8));
    assertThat(store.pendingKeys()).hasSize(2);
  }

  private CarryOut byDecider(Proposal proposal) {
    return new CarryOut(
        store,
        job.log(),
        job.settings(),
        PutWindow.ofDecision(job.log(), job.id(), proposal, Optional.empty()));
  }

  @Test
  void whoMayHaveBeenTakenForDeadDoesNotTakeForLostWhatAnotherMayBeJoining() throws IOException {
    job.task("a", "day=1/0").settlingFor(Duration.ofMinutes(5));
    PlanPart plan = job.plan(Overwrite.none());
    Proposal proposal = Proposals.propose(job.log(), plan);
    store
        .faults()
        .failFrom(RequestType.COMPLETE_UPLOAD, 1, Moment.BEFORE_EFFECT, Kind.NO_SUCH_UPLOAD);
    CarryOut carryOut = byDecider(proposal);
    try (Workers workers = new Workers(1)) {
      assertThatThrownBy(() -> carryOut.run(Plans.of(plan), () -> false, workers, new StageTimes()))
          .isInstanceOf(CommitStateUnknownException.class);
      assertThat(job.log().damage(job.id())).isEmpty();
      assertThatThrownBy(() -> carryOut.run(Plans.of(plan), () -> true, workers, new StageTimes()))
          .isInstanceOf(CommitDamagedException.class);
    }
  }

  @Test
  void anUploadThatIsJustBeingJoinedIsNotLost() throws IOException {
    job.task("a", "day=1/0");
    // The answer to a repeated request, while the store works on the first.
    store.faults().fail(RequestType.COMPLETE_UPLOAD, 1, Moment.BEFORE_EFFECT, Kind.NO_SUCH_UPLOAD);
    job.insert();
    assertThat(store.keys()).contains(job.key("day=1/0"));
    assertThat(job.log().damage(job.id())).isEmpty();
  }

  @Test
  void aProcessOfAnotherRunOfAMachineOfThisNameMayBeAlive() {
    String host = ProcessIdentity.current().host();
    assumeThat(Path.of("/proc/sys/kernel/random/boot_id"))
        .as("only Linux tells runs of machines apart")
        .exists();
    String other = host.substring(0, host.lastIndexOf('/') + 1) + UUID.randomUUID();
    assertThat(new ProcessIdentity(host, Integer.MAX_VALUE, Instant.EPOCH).isAlive())
        .contains(false);
    assertThat(new ProcessIdentity(other, Integer.MAX_VALUE, Instant.EPOCH).isAlive()).isEmpty();
  }

  private static PlanPart plain(PlanPart plan) {
    return Plans.part(plainJob(plan.job().id()), plan.uploads(), List.of(), List.of());
  }

  private static OutputJob plainJob(String id) {
    return new OutputJob(
        id,
        "a job of plain names",
        TestJob.TABLE,
        List.of(TestJob.TABLE),
        true,
        Optional.empty(),
        Map.of());
  }

  /** As of two sinks of a DAG that have one directory. */
  @Test
  void ofTwoCommittersOfOneJobTheSlowerTakesTheFastersFilesForItsOwn() throws IOException {
    job.task("a", "part-0").smallTask("b", "part-1");
    AtomicReference<CommitReport> faster = new AtomicReference<>();
    CommitReport slower =
        job.commit(plainRequest(replaced -> faster.set(job.commit(plainRequest(nothing -> {})))));
    assertThat(faster.get().files()).isEqualTo(2);
    assertThat(slower.files()).isEqualTo(2);
    assertThat(store.keys().stream().filter(key -> key.startsWith("warehouse/t/")))
        .containsExactlyInAnyOrder(job.key("part-0"), job.key("part-1"));
    assertThat(store.pendingKeys()).isEmpty();
    assertThat(job.log().open()).isEmpty();
  }

  @Test
  void aFileOfAnotherJobStillFailsAJobOfPlainNames() throws IOException {
    job.task("a", "part-0");
    store.plant(job.key("part-0"), "of another job".getBytes(UTF_8));
    assertThatThrownBy(() -> job.commit(plainRequest(replaced -> {})))
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("exists already: another job has written");
  }

  private CommitRequest plainRequest(CommitRequest.Preparation before) {
    return new CommitRequest(
        plainJob(job.id()),
        ManifestSource.of(job.chosen()),
        Overwrite.none(),
        Optional.of(Instant.now()),
        false,
        before);
  }
}
