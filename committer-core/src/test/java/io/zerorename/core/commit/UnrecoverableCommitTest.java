package io.zerorename.core.commit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.commit.Decision.Outcome;
import io.zerorename.core.log.OldObject;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.log.Plans;
import io.zerorename.core.log.Proposal;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.testing.FaultPlan.Moment;
import io.zerorename.testing.InMemoryObjectStore;
import io.zerorename.testing.InMemoryObjectStore.Variant;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

/** Open commits of which files are lost, or whose records are not what was written. */
class UnrecoverableCommitTest extends OpenCommits {
  @Test
  void aLookThatIsForbiddenIsNoProofThatAFileIsLost() throws IOException {
    store = new InMemoryObjectStore("bucket", Variant.aws().withSecondCompleteRefused());
    job = job("job-2").task("a", "day=1/0");
    job.decideAndDie(Overwrite.none(), DEAD);
    PendingUpload upload = job.chosen().get(0).uploads().get(0);
    store.completeUpload(upload.key(), upload.uploadId(), upload.parts());
    store.faults().failFrom(RequestType.HEAD, 1, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
    assertThat(recovery().run(Duration.ZERO)).singleElement().isInstanceOf(Recovered.Failed.class);
    assertThat(job.log().damage(job.id())).isEmpty();
    store.faults().clear();
    assertThat(recovery().run(Duration.ZERO))
        .singleElement()
        .isInstanceOf(Recovered.Completed.class);
  }

  @Test
  void lostFilesAreToldOthersAreVisibleAndLaterJobsGoOn() throws IOException {
    store.plant(T + "day=1/old", new byte[1]);
    job.task("a", "day=1/0", "day=1/1", "day=1/2");
    job.decideAndDie(Overwrite.directoriesOfFiles(), DEAD);
    PendingUpload lost = job.chosen().get(0).uploads().get(1);
    store.loseUpload(lost.key(), lost.uploadId());

    for (int run = 0; run < 2; run++) {
      assertThat(recovery().run(Duration.ZERO))
          .singleElement()
          .isInstanceOfSatisfying(
              Recovered.Damaged.class,
              damaged -> {
                assertThat(damaged.lost()).containsExactly(lost.destination());
                assertThat(damaged.message()).contains("1 of its 3 files are lost", "--give-up");
              });
      assertThat(data())
          .containsExactlyInAnyOrder(T + "day=1/old", job.key("day=1/0"), job.key("day=1/2"));
    }
    TestJob later = job("job-2").task("a", "day=1/7");
    later.insert();
    assertThat(data()).contains(later.key("day=1/7"), T + "day=1/old");

    assertThat(recovery().giveUp(Duration.ZERO))
        .hasExactlyElementsOfTypes(Recovered.Damaged.class, Recovered.GivenUp.class);
    assertThat(job.log().open()).isEmpty();
    assertThat(job.log().finished(job.id()).orElseThrow().givenUp()).isTrue();
    assertThat(recovery().run(Duration.ZERO)).isEmpty();
    assertThat(data())
        .containsExactlyInAnyOrder(
            T + "day=1/old", job.key("day=1/0"), job.key("day=1/2"), later.key("day=1/7"));
  }

  @Test
  void aDamagedCommitIsNotTriedByEveryJobButByARetry() throws IOException {
    store = new InMemoryObjectStore("bucket", Variant.aws().withSecondCompleteRefused());
    job = job("job-2").task("a", "day=1/0", "day=1/1");
    job.decideAndDie(Overwrite.none(), DEAD);
    PendingUpload lost = job.chosen().get(0).uploads().get(0);
    store.loseUpload(lost.key(), lost.uploadId());
    recovery().run(Duration.ZERO);
    store.resetCounts();
    recovery().run(Duration.ZERO);
    assertThat(store.requests()).doesNotContainKeys(RequestType.COMPLETE_UPLOAD, RequestType.HEAD);

    // Somebody has brought the object back.
    store.putObject(
        lost.key(),
        io.zerorename.core.store.PartBody.of("day=1/0".getBytes(UTF_8)),
        Map.of(PendingUpload.IDENTITY_METADATA, lost.identity()));
    assertThat(recovery().retry(Duration.ZERO))
        .singleElement()
        .isInstanceOf(Recovered.Completed.class);
    assertThat(job.log().damage(job.id())).isEmpty();
    assertThat(recovery().run(Duration.ZERO)).isEmpty();
  }

  @Test
  void aPlanThatNamesAnotherDirectoryIsRefusedAndGivenUpByItsNameOnly() throws IOException {
    store.plant("warehouse/other/secret", new byte[1]);
    OutputJob elsewhere =
        new OutputJob("planted", "planted", List.of(new Path("s3a://bucket/warehouse/other")));
    Proposal planted =
        Proposals.propose(
            job.log(),
            Plans.part(
                elsewhere,
                List.of(),
                List.of(
                    new OldObject(
                        new Path("s3a://bucket/"),
                        "warehouse/other/secret",
                        "\"e\"",
                        Instant.EPOCH)),
                List.of()));
    job.log().commit("planted", planted, Optional.empty());
    assertThat(recovery().run(Duration.ZERO))
        .singleElement()
        .isInstanceOfSatisfying(
            Recovered.Failed.class,
            failed -> {
              assertThat(failed.isUnreadable()).isFalse();
              assertThat(failed.message())
                  .contains("s3a://bucket/warehouse/other", "may not write");
            });
    assertThat(store.keys()).contains("warehouse/other/secret");
    recovery().giveUp(Duration.ZERO);
    assertThat(recovery().run(Duration.ZERO)).as("it may be for others to complete").hasSize(1);
    assertThat(recovery().giveUp("planted", Duration.ZERO))
        .contains(new Recovered.GivenUp("planted", 0, List.of(), List.of(), Optional.empty()));
    assertThat(recovery().run(Duration.ZERO)).isEmpty();
    assertThat(store.keys()).contains("warehouse/other/secret");
  }

  @Test
  void anUndecidedPlanOfAnotherDirectoryAbortsNothingThere() throws IOException {
    String key = "warehouse/other/0.planted";
    String uploadId = store.createUpload(key, Map.of());
    Proposals.propose(
        job.log(),
        Plans.part(
            new OutputJob("planted", "planted", List.of(new Path("s3a://bucket/warehouse/other"))),
            List.of(
                new PendingUpload(
                    new Path("s3a://bucket/" + key),
                    uploadId,
                    List.of(new io.zerorename.core.store.UploadedPart(1, "\"e\"", 1)),
                    "planted",
                    "a",
                    "identity")),
            List.of(),
            List.of()));
    assertThat(recovery().run(Duration.ZERO)).singleElement().isInstanceOf(Recovered.Failed.class);
    assertThat(store.pendingKeys()).containsExactly(key);
  }

  @Test
  void oneThatCannotBeUnderstoodDoesNotKeepTheOthersBack() throws IOException {
    TestJob good = job("job-2").task("a", "day=1/0");
    job.task("a", "day=2/0");
    job.decideAndDie(Overwrite.none(), DEAD);
    good.decideAndDie(Overwrite.none(), DEAD);
    store.plant(
        ObjectKeys.prefixOf(TestJob.LOG) + "decisions/job-1.json", "{\"vers".getBytes(UTF_8));
    assertThat(recovery().run(Duration.ZERO))
        .hasSize(2)
        .anySatisfy(
            result ->
                assertThat(result)
                    .isInstanceOfSatisfying(
                        Recovered.Failed.class,
                        failed -> assertThat(failed.isUnreadable()).isTrue()))
        .anySatisfy(result -> assertThat(result).isInstanceOf(Recovered.Completed.class));
    assertThat(data()).containsExactly(good.key("day=1/0"));
  }

  @Test
  void aDecisionWithoutItsPlanIsToldAndNothingIsTouched() throws IOException {
    job.task("a", "day=1/0");
    Proposal proposal = job.decideAndDie(Overwrite.none(), DEAD);
    Proposals.propose(job.log(), job.plan(Overwrite.none()));
    job.log().drop(proposal.names());
    assertThat(recovery().run(Duration.ZERO))
        .singleElement()
        .isInstanceOfSatisfying(
            Recovered.Failed.class,
            failed ->
                assertThat(failed.message()).contains("is gone, although it was not carried out"));
    assertThat(data()).isEmpty();
    assertThat(store.pendingKeys()).containsExactly(job.key("day=1/0"));
    assertThat(job.log().read(job.id()).orElseThrow().outcome()).isEqualTo(Outcome.COMMIT);
  }
}
