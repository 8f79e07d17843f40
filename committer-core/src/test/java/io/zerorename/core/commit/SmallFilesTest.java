package io.zerorename.core.commit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.Plans;
import io.zerorename.core.log.ProcessIdentity;
import io.zerorename.core.log.Proposal;
import io.zerorename.core.manifest.TaskManifest;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.core.upload.InlineFile;
import io.zerorename.core.upload.OutputFile;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.testing.BeforeRequest;
import io.zerorename.testing.FaultPlan.Moment;
import io.zerorename.testing.InMemoryObjectStore;
import io.zerorename.testing.InMemoryObjectStore.Variant;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Commits of small files that are broken off, taken over, damaged, given up or overtaken. */
class SmallFilesTest extends OpenCommits {
  private static final Duration WINDOW = PutWindow.LENGTH.plus(PutWindow.SETTLED);

  /** How long jobs have waited. */
  private Duration waited = Duration.ZERO;

  private Recovery waiting() {
    return new Recovery(
        store,
        CommitLog.inBucket(store, TestJob.LOG),
        job.settings(),
        new Engine(),
        (time, why) -> {
          waited = waited.plus(time);
          store.pass(time);
        });
  }

  /** A request of the job that has been under way for long. */
  private void lateCopy(InlineFile file, Instant deadline) throws IOException {
    store.putObjectIfAbsent(
        file.key(), file.body(), Map.of(OutputFile.IDENTITY_METADATA, file.identity()), deadline);
  }

  private InlineFile first() {
    return job.chosen().get(0).inlined().get(0);
  }

  private Instant decidedDeadline() throws IOException {
    return job.log().read(job.id()).orElseThrow().putsUntil().orElseThrow();
  }

  /** As another job does that replaces everything, once it is cleared. */
  private void overwrite() throws IOException {
    waiting().clear(Duration.ZERO, Set.of("another job"), List.of(TestJob.TABLE));
    store.deleteObjects(data());
  }

  @Test
  void theyAreVisibleAfterTheDecisionOnlyAndAtOneRequestEach() throws IOException {
    job.smallTask("a", "day=1/0", "day=2/0").insert();
    store.resetCounts();
    TestJob second = job("job-2").smallTask("a", "day=1/0", "day=2/0", "day=3/0");
    CommitReport report = second.insert();
    assertThat(report.files()).isEqualTo(3);
    assertThat(report.bytes()).isEqualTo(21);
    assertThat(report.directories()).isEqualTo(3);
    assertThat(store.content(second.key("day=2/0"))).isEqualTo("day=2/0".getBytes(UTF_8));
    assertThat(store.requests())
        .isEqualTo(
            Map.of(
                // Whether the store keeps deadlines.
                RequestType.GET, 1L,
                // Three files, the plan, the decision, the end.
                RequestType.PUT, 6L,
                RequestType.BULK_DELETE, 1L));
    assertThat(job.log().open()).isEmpty();
  }

  @Test
  @Timeout(300)
  void theStoreIsAskedAboutDeadlinesWhileOtherManifestsAreRead() throws IOException {
    job.smallTask("a", "0").insert();
    CyclicBarrier together = new CyclicBarrier(2);
    ObjectStore meeting = BeforeRequest.of(store, "getObject", together::await);
    TestJob second =
        TestJob.decidedInBucket(
                path -> meeting, FileSystem.getLocal(new Configuration(false)), workDir, "job-2")
            .withThreads(2)
            .smallTask("a", "1")
            .smallTask("b", "2");
    second.commit(
        Overwrite.none(),
        (workers, action) ->
            workers.forEach(
                second.chosen(),
                manifest -> {
                  if (manifest.taskAttemptId().equals("b")) {
                    try {
                      together.await();
                    } catch (InterruptedException | BrokenBarrierException e) {
                      throw new IOException(e);
                    }
                  }
                  action.on(manifest);
                }));
    assertThat(data()).containsExactly(job.key("0"), second.key("1"), second.key("2"));
  }

  @Test
  void whereTheStoreKeepsNoDeadlinesSmallFilesThatHaveWaitedForItsAnswerAreUploaded()
      throws IOException {
    store = new InMemoryObjectStore("bucket", Variant.aws().withExpiredRequestsAccepted());
    TestJob uploading = job("job-2").smallTask("a", "0", "1").smallTask("b", "2");
    uploading.insert();
    assertThat(data()).hasSize(3);
    assertThat(store.requests()).containsEntry(RequestType.COMPLETE_UPLOAD, 3L);
  }

  @Test
  void lostManifestsOfSmallFilesAreNoEmptyResult() throws IOException {
    store.plant(T + "old", new byte[1]);
    job.small("a", "0");
    assertThatThrownBy(() -> job.overwrite(TestJob.TABLE))
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("there is no manifest of any");
    assertThat(data()).containsExactly(T + "old");
  }

  @Test
  void whoTakesOverAnnouncesAndAnOverwriteWaits() throws IOException {
    job.smallTask("a", "0", "1");
    job.decideAndDie(Overwrite.none(), DEAD);
    Instant deadline = decidedDeadline();
    // Half done: the answer to this request was lost, and a copy of it is still under way.
    lateCopy(first(), deadline);

    assertThat(waiting().run(Duration.ZERO))
        .singleElement()
        .isInstanceOf(Recovered.Completed.class);
    assertThat(data()).hasSize(2);
    assertThat(waiting().run(Duration.ZERO)).singleElement().isInstanceOf(Recovered.Settling.class);
    assertThat(waited).isZero();

    overwrite();
    assertThat(waited).isGreaterThan(PutWindow.LENGTH).isLessThan(WINDOW.plusMinutes(1));
    assertThatThrownBy(() -> lateCopy(first(), deadline))
        .isInstanceOfSatisfying(
            StoreException.class, e -> assertThat(e.kind()).isEqualTo(Kind.EXPIRED));
    assertThat(data()).isEmpty();
    assertThat(waiting().run(Duration.ZERO)).isEmpty();
    assertThat(job.log().open()).isEmpty();
  }

  @Test
  void aRepairWithoutDoubtKeepsNobodyWaitingOnceTheWindowOfTheDecisionIsOver() throws IOException {
    job.smallTask("a", "0", "1");
    job.decideAndDie(Overwrite.none(), DEAD);
    Instant deadline = decidedDeadline();
    lateCopy(first(), deadline);
    store.pass(WINDOW);

    assertThat(waiting().run(Duration.ZERO))
        .singleElement()
        .isInstanceOf(Recovered.Completed.class);
    assertThat(data()).hasSize(2);
    assertThat(job.log().open()).isEmpty();
    overwrite();
    assertThat(waited).isZero();
    assertThatThrownBy(() -> lateCopy(first(), deadline)).isInstanceOf(StoreException.class);
  }

  @Test
  void aRepairOfACommitOfWhichAllFilesAreThereAsksForEachAndWritesNone() throws IOException {
    job.smallTask("a", "0", "1");
    job.commitAndDie(Overwrite.none());
    store.pass(Duration.ofSeconds(60));
    store.resetCounts();
    assertThat(waiting().run(Duration.ZERO))
        .singleElement()
        .isInstanceOf(Recovered.Completed.class);
    assertThat(store.requests())
        .as("two announcements and the end are written, both files are looked at")
        .containsEntry(RequestType.PUT, 3L)
        .containsEntry(RequestType.HEAD, 2L);
    overwrite();
    assertThat(waited)
        .as("until what the decision allows is over")
        .isBetween(WINDOW.minusSeconds(70), WINDOW.minusSeconds(50));
  }

  @Test
  void whereTheStoreDoesNotSayWhetherAFileIsThereARepairWritesIt() throws IOException {
    job.smallTask("a", "0", "1");
    job.decideAndDie(Overwrite.none(), DEAD);
    store.faults().fail(RequestType.HEAD, 1, Moment.BEFORE_EFFECT, Kind.AMBIGUOUS);

    assertThat(waiting().run(Duration.ZERO))
        .singleElement()
        .isInstanceOf(Recovered.Completed.class);
    assertThat(data()).hasSize(2);
  }

  @Test
  void aRepairWhoseRequestsMayBeUnderWayKeepsOthersWaitingForThem() throws IOException {
    job.smallTask("a", "0");
    job.decideAndDie(Overwrite.none(), DEAD);
    store.pass(WINDOW);
    // After the announcement.
    store.faults().fail(RequestType.PUT, 2, Moment.AFTER_EFFECT, Kind.AMBIGUOUS);
    assertThat(waiting().run(Duration.ZERO))
        .singleElement()
        .isInstanceOf(Recovered.Completed.class);
    overwrite();
    assertThat(waited).isGreaterThan(PutWindow.LENGTH);
  }

  @Test
  void nobodyTakesBackWhatAnotherHasAnnounced() throws IOException {
    job.smallTask("a", "0");
    Proposal proposal = job.decideAndDie(Overwrite.none(), DEAD);
    store.pass(WINDOW);
    Instant same = store.now().plusSeconds(600);
    job.log().announcePuts(job.id(), proposal, same);
    PutWindow window = PutWindow.ofTakeover(job.log(), job.id(), proposal, Optional.of(same));
    assertThat(window.deadline()).as("is not shared").contains(same.plusMillis(1));
    job.log()
        .finish(job.id(), new CommitSummary(1, 1, 0, false), proposal.names(), window.needless());

    assertThat(job.log().open())
        .singleElement()
        .extracting(open -> open.putsUntil().orElseThrow().toEpochMilli())
        .isEqualTo(same.toEpochMilli());
  }

  @Test
  void ofWhatIsOnlyAnnouncedNobodyCanTellWhereItWillBe() throws IOException {
    job.smallTask("a", "day=1/0");
    job.decideAndDie(Overwrite.none(), DEAD);
    assertThat(waiting().run(Duration.ZERO))
        .singleElement()
        .isInstanceOf(Recovered.Completed.class);
    clearOtherDay();
    assertThat(waited).isGreaterThan(PutWindow.LENGTH);
  }

  @Test
  void anAnnouncementWhosePlanIsThereKeepsNoOtherDirectoryWaiting() throws IOException {
    job.smallTask("a", "day=1/0");
    Proposal proposal = job.decideAndDie(Overwrite.none(), DEAD);
    job.log().announcePuts(job.id(), proposal, decidedDeadline());
    clearOtherDay();
    assertThat(waited).isZero();

    job.log()
        .announcePuts(
            job.id(), new Proposal("of another attempt", proposal.parts()), decidedDeadline());
    clearOtherDay();
    assertThat(waited).isGreaterThan(PutWindow.LENGTH);
  }

  private void clearOtherDay() throws IOException {
    waiting()
        .clear(Duration.ZERO, Set.of("another job"), List.of(new Path(TestJob.TABLE, "day=2")));
  }

  @Test
  void anOverwriteThatTakesOverItselfWaitsAsWell() throws IOException {
    job.smallTask("a", "0");
    job.decideAndDie(Overwrite.none(), DEAD);
    overwrite();
    assertThat(waited).isGreaterThan(PutWindow.LENGTH);
    assertThatThrownBy(() -> lateCopy(first(), decidedDeadline()))
        .isInstanceOf(StoreException.class);
  }

  @Test
  void aJobDoesNotWaitForWhatAnEarlierAttemptOfItsOwnHasProposed() throws IOException {
    job.smallTask("a", "0");
    Proposals.propose(job.log(), job.plan(Overwrite.none()), ELSEWHERE);
    RunningCommits.begin(job.outputJob());
    try {
      assertThat(waiting().clear(Duration.ofMinutes(5), Set.of(job.id()), List.of(TestJob.TABLE)))
          .isEmpty();
      assertThat(waited).isZero();
    } finally {
      RunningCommits.end(job.id());
    }
  }

  @Test
  void aCommitWithoutDoubtMakesNobodyWait() throws IOException {
    job.smallTask("a", "0").insert();
    overwrite();
    assertThat(waited).isZero();
  }

  @Test
  void aCommitThatComesToItsEndWhileOthersLookMakesNobodyWait() throws IOException {
    store.plant(T + "old", new byte[1]);
    job.smallTask("a", "0");
    job.decideAndDie(Overwrite.none(), ProcessIdentity.current());
    // Its process has noted the end, and has not deleted its plan yet.
    job.log().finish(job.id(), new CommitSummary(1, 1, 1, false), List.of());
    overwrite();
    assertThat(waited).isZero();
    assertThat(job.log().open()).isEmpty();
  }

  @Test
  void anAnswerThatWasLostMakesTheNextOverwriteWait() throws IOException {
    job("job-0").smallTask("a", "x").insert();
    job.smallTask("a", "0");
    // After the plan and the decision.
    store.faults().fail(RequestType.PUT, 3, Moment.AFTER_EFFECT, Kind.AMBIGUOUS);
    job.insert();
    assertThat(data()).contains(job.key("0"));
    overwrite();
    assertThat(waited).isGreaterThan(PutWindow.LENGTH);
  }

  /** As where its machine sleeps between the look at the clock and the request. */
  @Test
  void aRequestThatComesAfterItsWindowHasNoEffectAndIsSentAgainInOneThatIsAnnounced()
      throws IOException {
    AtomicBoolean late = new AtomicBoolean();
    ObjectStore slow =
        BeforeRequest.of(
            store,
            "putObjectIfAbsent",
            () -> {
              if (job.log().isDecided("job-2") && late.compareAndSet(false, true)) {
                store.pass(WINDOW);
              }
            });
    TestJob.decidedInBucket(
            path -> slow, FileSystem.getLocal(new Configuration(false)), workDir, "job-2")
        .smallTask("a", "0")
        .insert();
    assertThat(late).isTrue();
    assertThat(data()).hasSize(1);
    overwrite();
    assertThat(waited).isGreaterThan(PutWindow.LENGTH);
  }

  @Test
  void aProcessThatSleptPastItsWindowFindsTheEnd() throws IOException {
    job.smallTask("a", "0", "1");
    Proposal proposal = job.decideAndDie(Overwrite.none(), DEAD);
    Instant deadline = decidedDeadline();
    recovery().run(Duration.ZERO);
    overwrite();
    CommitPlan plan = Plans.of(job.plan(Overwrite.none()));
    CarryOut sleeper =
        new CarryOut(
            store,
            job.log(),
            job.settings(),
            PutWindow.ofDecision(job.log(), job.id(), proposal, Optional.of(deadline)));
    try (Workers workers = new Workers(1)) {
      assertThat(sleeper.run(plan, () -> false, workers, new StageTimes())).isFalse();
    }
    assertThat(data()).isEmpty();
  }

  @Test
  void aDamagedCommitWritesNoSmallFileAgain() throws IOException {
    store = new InMemoryObjectStore("bucket", Variant.aws().withSecondCompleteRefused());
    job = job("job-2").task("a", "0").smallTask("b", "1");
    job.decideAndDie(Overwrite.none(), DEAD);
    PendingUpload lost = job.chosen().get(0).uploads().get(0);
    store.loseUpload(lost.key(), lost.uploadId());
    assertThat(waiting().run(Duration.ZERO))
        .singleElement()
        .isInstanceOfSatisfying(
            Recovered.Damaged.class,
            damaged -> assertThat(damaged.lost()).containsExactly(lost.destination()));
    assertThat(data()).containsExactly(job.key("1"));

    overwrite();
    assertThat(waited).isGreaterThan(PutWindow.LENGTH);
    assertThat(waiting().retry(Duration.ZERO))
        .singleElement()
        .isInstanceOfSatisfying(
            Recovered.Damaged.class,
            damaged ->
                assertThat(damaged.lost())
                    .as("the other was replaced")
                    .containsExactly(lost.destination()));
    assertThat(waiting().giveUp(Duration.ZERO)).hasSize(2);
    assertThat(data()).isEmpty();
  }

  @Test
  void aCommitThatWasGivenUpIsNotReportedAsDone() throws IOException {
    job.smallTask("a", "0");
    job.decideAndDie(Overwrite.none(), DEAD);
    assertThat(recovery().giveUp(job.id(), Duration.ZERO)).isPresent();
    store.pass(WINDOW);
    assertThatThrownBy(() -> job.commit(again()))
        .isInstanceOf(CommitStateUnknownException.class)
        .hasMessageContaining("given up");
    assertThat(data()).isEmpty();
  }

  private CommitRequest again() {
    return new CommitRequest(
        job.outputJob(),
        ManifestSource.of(job.chosen()),
        Overwrite.none(),
        Optional.of(Instant.now()),
        true);
  }

  @Test
  void aDecisionThatIsForgottenIsNotCarriedOn() throws IOException {
    job.smallTask("a", "0");
    Proposal proposal = job.decideAndDie(Overwrite.none(), DEAD);
    store.deleteObjects(store.keys().stream().filter(key -> key.contains("/decisions/")).toList());
    PutWindow window = PutWindow.ofTakeover(job.log(), job.id(), proposal, Optional.empty());
    assertThatThrownBy(window::deadline).isInstanceOf(EndedElsewhereException.class);
  }

  @Test
  void aPlanOfMoreBytesThanADocumentHoldsIsSplitAndReadAgain() throws IOException {
    List<InlineFile> files = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      byte[] content = new byte[6 << 20];
      content[0] = (byte) i;
      files.add(
          new InlineFile(
              job.path("day=" + i + "/0"),
              io.zerorename.core.store.PartBody.of(content),
              job.id(),
              "a",
              "identity-" + i));
    }
    job.commit(Overwrite.none(), ManifestSource.of(List.of(TaskManifest.of(job.id(), "a", files))));
    for (int i = 0; i < 5; i++) {
      byte[] content = store.content(job.key("day=" + i + "/0"));
      assertThat(content).hasSize(6 << 20);
      assertThat(content[0]).isEqualTo((byte) i);
    }
    // Documents of two, two and one file, of which the first three are not read again.
    assertThat(job.log().open()).isEmpty();
    assertThat(store.keys()).noneMatch(key -> key.contains("/parts/"));
  }

  @Test
  void aDraftThatFailsLeavesNothing() throws IOException {
    List<InlineFile> files = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      files.add(
          new InlineFile(
              job.path(i + "/0"),
              io.zerorename.core.store.PartBody.of(new byte[8 << 20]),
              job.id(),
              "a",
              "identity-" + i));
    }
    files.add(files.get(0));
    assertThatThrownBy(
            () ->
                job.commit(
                    Overwrite.none(),
                    ManifestSource.of(List.of(TaskManifest.of(job.id(), "a", files)))))
        .isInstanceOf(CommitFailedException.class);
    assertThat(store.keys()).noneMatch(key -> key.contains("/parts/") || key.contains("/open/"));
  }
}
