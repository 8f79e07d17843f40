package io.zerorename.core.commit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.PartBody;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.testing.FaultPlan.Moment;
import io.zerorename.testing.InMemoryObjectStore;
import io.zerorename.testing.InMemoryObjectStore.Variant;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Open commits of which an upload is gone and its object not there: the store may still be joining
 * it for a process that was killed, or it is lost.
 */
class MissingFilesTest extends OpenCommits {
  private static final Duration SETTLING = Duration.ofMinutes(5);

  /** What an operator says who knows that the process is dead. */
  private static final Duration NOW = Duration.ZERO;

  @BeforeEach
  void settle() throws IOException {
    // As MinIO: an upload is gone once it was completed.
    store = new InMemoryObjectStore("bucket", Variant.aws().withSecondCompleteRefused());
    job = job("job-1").settlingFor(SETTLING);
  }

  private PendingUpload vanish(int index) {
    PendingUpload upload = job.chosen().get(0).uploads().get(index);
    store.loseUpload(upload.key(), upload.uploadId());
    return upload;
  }

  private Recovered recover() throws IOException {
    return recovery().run(NOW).stream().reduce((a, b) -> b).orElseThrow();
  }

  @Test
  void whatTheStoreIsJoiningIsNotLostHoweverOftenItIsLookedAt() throws IOException {
    job.task("a", "day=1/0");
    job.decideAndDie(Overwrite.none(), DEAD);
    store
        .faults()
        .failFrom(RequestType.COMPLETE_UPLOAD, 1, Moment.BEFORE_EFFECT, Kind.NO_SUCH_UPLOAD);
    for (int look = 0; look < 4; look++) {
      assertThat(recover())
          .isInstanceOfSatisfying(
              Recovered.Failed.class,
              failed ->
                  assertThat(failed.message())
                      .contains(
                          "1 of its uploads are gone",
                          job.path("day=1/0").toString(),
                          "may still be joining their parts",
                          "With --give-up --job job-1",
                          "do not overwrite earlier"));
      assertThat(recovery().giveUp(NOW)).singleElement().isInstanceOf(Recovered.Failed.class);
      store.pass(Duration.ofMinutes(1));
    }
    assertThat(job.log().damage(job.id())).isEmpty();
    store.faults().clear();
    assertThat(recover()).isInstanceOf(Recovered.Completed.class);
    assertThat(data()).containsExactly(job.key("day=1/0"));
  }

  @Test
  void anOverwriteDoesNotGoOnBesideIt() throws IOException {
    job.task("a", "day=1/0");
    job.decideAndDie(Overwrite.none(), DEAD);
    vanish(0);
    assertThat(recover().isPending()).isTrue();
    store.pass(SETTLING);
    assertThat(recover().isPending()).isFalse();
  }

  @Test
  void whatIsMissingForLongIsLostAlsoWhereTheCommitHasSmallFiles() throws IOException {
    // Each look at such a commit announces itself, so that its age tells nothing.
    job.task("a", "day=1/0").smallTask("b", "day=1/1");
    job.decideAndDie(Overwrite.none(), DEAD);
    PendingUpload lost = vanish(0);
    assertThat(recover()).isInstanceOf(Recovered.Failed.class);
    store.pass(SETTLING);
    assertThat(recover())
        .isInstanceOfSatisfying(
            Recovered.Damaged.class,
            damaged -> assertThat(damaged.lost()).containsExactly(lost.destination()));
  }

  @Test
  void whatWasStillThereAtTheFirstLookHasTimeFromTheSecond() throws IOException {
    job.task("a", "day=1/0", "day=1/1");
    job.decideAndDie(Overwrite.none(), DEAD);
    PendingUpload first = vanish(0);
    // Somebody may not complete the other yet.
    store
        .faults()
        .failFrom(RequestType.COMPLETE_UPLOAD, 1, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
    assertThat(recover()).isInstanceOf(Recovered.Failed.class);
    store.faults().clear();
    assertThat(job.log().missing(job.id())).as("not all were looked at").isEmpty();

    job.log()
        .noteMissing(
            job.id(), new MissingFiles.Note(job.log().now(), List.of(first.destination())));
    store.pass(SETTLING.minusMinutes(1));
    PendingUpload second = vanish(1);
    assertThat(recover()).isInstanceOf(Recovered.Failed.class);
    store.pass(Duration.ofMinutes(1));
    assertThat(recover()).as("of the second a minute").isInstanceOf(Recovered.Failed.class);
    store.pass(SETTLING);
    assertThat(recover())
        .isInstanceOfSatisfying(
            Recovered.Damaged.class,
            damaged ->
                assertThat(damaged.lost())
                    .containsExactly(first.destination(), second.destination()));
  }

  @Test
  void ofSeveralThatAreMissingOneMayAppear() throws IOException {
    job.task("a", "day=1/0", "day=1/1");
    job.decideAndDie(Overwrite.none(), DEAD);
    PendingUpload appears = vanish(0);
    PendingUpload lost = vanish(1);
    assertThat(recover()).isInstanceOf(Recovered.Failed.class);
    store.putObject(
        appears.key(),
        PartBody.of("day=1/0".getBytes(UTF_8)),
        Map.of(PendingUpload.IDENTITY_METADATA, appears.identity()));
    store.pass(SETTLING);
    assertThat(recover())
        .isInstanceOfSatisfying(
            Recovered.Damaged.class,
            damaged -> assertThat(damaged.lost()).containsExactly(lost.destination()));
  }

  @Test
  void aNoteThatCannotBeReadIsWrittenAnew() throws IOException {
    job.task("a", "day=1/0");
    job.decideAndDie(Overwrite.none(), DEAD);
    vanish(0);
    store.plant(ObjectKeys.prefixOf(TestJob.LOG) + "missing/job-1.json", "{\"vers".getBytes(UTF_8));
    assertThat(recover().isPending()).isTrue();
    store.pass(SETTLING);
    assertThat(recover()).isInstanceOf(Recovered.Damaged.class);
  }

  /** Its own process knew what had been sent. */
  @Test
  void whatItsOwnProcessHasCalledLostIsGivenUpAtOnce() throws IOException {
    job.task("a", "day=1/0");
    PendingUpload lost = vanish(0);
    assertThatThrownBy(job::insert).isInstanceOf(CommitDamagedException.class);
    assertThat(recover())
        .isInstanceOfSatisfying(
            Recovered.Damaged.class,
            damaged -> assertThat(damaged.lost()).containsExactly(lost.destination()));
    assertThat(recovery().giveUp(NOW))
        .hasExactlyElementsOfTypes(Recovered.Damaged.class, Recovered.GivenUp.class);
    assertThat(store.keys()).noneMatch(key -> key.contains("/missing/"));
  }

  @Test
  void whoHasLookedLongAgoDoesNotRelyOnALaterNote() throws IOException {
    job.task("a", "day=1/0");
    job.decideAndDie(Overwrite.none(), DEAD);
    PendingUpload gone = vanish(0);
    MissingFiles missing = new MissingFiles(job.log(), SETTLING);
    CompleteUploads.Missing found = new CompleteUploads.Missing(List.of(gone.destination()), false);
    job.log()
        .noteMissing(job.id(), new MissingFiles.Note(job.log().now(), List.of(gone.destination())));
    store.pass(SETTLING.plusMinutes(1));
    OutputJob output = job.plan(Overwrite.none()).job();
    assertThatThrownBy(() -> missing.requireLost(output, found, Duration.ofMinutes(2)))
        .hasMessageContaining("may still be joining");
    missing.requireLost(output, found, Duration.ZERO);
  }

  @Test
  void whoseOwnRequestMayCountHasTimeFromThen() throws IOException {
    job.task("a", "day=1/0");
    job.decideAndDie(Overwrite.none(), DEAD);
    PendingUpload gone = vanish(0);
    assertThat(recover()).isInstanceOf(Recovered.Failed.class);
    store.pass(SETTLING);
    CompleteUploads.Missing found = new CompleteUploads.Missing(List.of(gone.destination()), true);
    OutputJob output = job.plan(Overwrite.none()).job();
    MissingFiles missing = new MissingFiles(job.log(), SETTLING);
    assertThatThrownBy(() -> missing.requireLost(output, found, Duration.ZERO))
        .hasMessageContaining("may still be joining");
    assertThat(recover()).isInstanceOf(Recovered.Failed.class);
    store.pass(SETTLING);
    assertThat(recover()).isInstanceOf(Recovered.Damaged.class);
  }

  @Test
  void oneJobIsGivenUpWithoutWaiting() throws IOException {
    job.task("a", "day=1/0");
    job.decideAndDie(Overwrite.none(), DEAD);
    vanish(0);
    assertThat(recover()).isInstanceOf(Recovered.Failed.class);
    assertThat(recovery().giveUp(job.id(), NOW)).get().isInstanceOf(Recovered.GivenUp.class);
    assertThat(recovery().run(NOW)).isEmpty();
  }
}
