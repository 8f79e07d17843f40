package io.zerorename.core.commit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.log.OutputJob;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.testing.FaultPlan.Moment;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** When files that are missing are lost, and what is told of them. */
class MissingFilesTest extends CommitsWithMissingFiles {
  @Test
  void whatTheStoreIsJoiningIsNotLostHoweverOftenItIsLookedAt() throws IOException {
    job.task("a", "day=1/0");
    job.decideAndDie(Overwrite.none(), DEAD);
    store
        .faults()
        .failFrom(RequestType.COMPLETE_UPLOAD, 1, Moment.BEFORE_EFFECT, Kind.NO_SUCH_UPLOAD);
    for (int look = 0; look < 4; look++) {
      assertThat(recovery().retry(NOW))
          .singleElement()
          .isInstanceOfSatisfying(
              Recovered.Missing.class,
              missing -> {
                assertThat(missing.missing()).containsExactly(job.path("day=1/0"));
                assertThat(missing.message())
                    .contains(
                        "Job job-1 is committed and not yet complete: 1 of its uploads are gone",
                        job.path("day=1/0").toString(),
                        "may still be joining their parts",
                        "With --give-up --job job-1",
                        "jobs that replace files wait for that time");
              });
      assertThat(recovery().giveUp(NOW)).singleElement().isInstanceOf(Recovered.Missing.class);
      store.pass(Duration.ofMinutes(1));
    }
    assertThat(job.log().damage(job.id())).isEmpty();
    store.faults().clear();
    assertThat(recovery().retry(NOW)).singleElement().isInstanceOf(Recovered.Completed.class);
    assertThat(data()).containsExactly(job.key("day=1/0"));
  }

  @Test
  void whatIsMissingForLongIsLostAlsoWhereTheCommitHasSmallFiles() throws IOException {
    // Each look at such a commit announces itself, so that its age tells nothing.
    job.task("a", "day=1/0").smallTask("b", "day=1/1");
    job.decideAndDie(Overwrite.none(), DEAD);
    PendingUpload lost = vanish(0);
    assertThat(recover()).isInstanceOf(Recovered.Missing.class);
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
    store.pass(Duration.ofMinutes(1));
    assertThat(recover())
        .as("the second is seen for the first time")
        .isInstanceOf(Recovered.Missing.class);
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
    assertThat(recover()).isInstanceOf(Recovered.Missing.class);
    appear(appears);
    store.pass(SETTLING);
    assertThat(recover())
        .isInstanceOfSatisfying(
            Recovered.Damaged.class,
            damaged -> assertThat(damaged.lost()).containsExactly(lost.destination()));
  }

  @Test
  void aNoteThatCannotBeReadIsWrittenAnew() throws IOException {
    lose();
    store.plant(ObjectKeys.prefixOf(TestJob.LOG) + "missing/job-1.json", "{\"vers".getBytes(UTF_8));
    assertThat(recover().isPending()).isTrue();
    store.pass(SETTLING);
    assertThat(recover()).isInstanceOf(Recovered.Damaged.class);
  }

  @Test
  void whoHasLookedLongAgoDoesNotRelyOnALaterNote() throws IOException {
    PendingUpload gone = lose();
    MissingFiles missing = new MissingFiles(job.log(), SETTLING);
    List<Path> found = List.of(gone.destination());
    job.log()
        .noteMissing(job.id(), new MissingFiles.Note(job.log().now(), List.of(gone.destination())));
    store.pass(SETTLING.plusMinutes(1));
    OutputJob output = job.plan(Overwrite.none()).job();
    assertThatThrownBy(() -> missing.requireLost(output, found, Duration.ofMinutes(2)))
        .hasMessageContaining("may still be joining");
    missing.requireLost(output, found, Duration.ZERO);
  }

  /** What was gone cannot be completed by a request that is sent later. */
  @Test
  void aLostAnswerTakesNoTimeFromTheNote() throws IOException {
    lose();
    assertThat(recover()).isInstanceOf(Recovered.Missing.class);
    store.pass(SETTLING);
    store.faults().fail(RequestType.COMPLETE_UPLOAD, 1, Moment.BEFORE_EFFECT, Kind.AMBIGUOUS);
    assertThat(recover()).isInstanceOf(Recovered.Damaged.class);
  }

  /** Its own process knows what it has sent, and that alone is not enough. */
  @ParameterizedTest
  @EnumSource(
      value = RequestType.class,
      names = {"COMPLETE_UPLOAD", "HEAD"})
  void itsOwnProcessCallsLostOnlyWhatItHasLookedAtRepeatedly(RequestType failing)
      throws IOException {
    job.task("a", "day=1/0");
    vanish(0);
    store.faults().fail(failing, 1, Moment.BEFORE_EFFECT, Kind.AMBIGUOUS);
    assertThatThrownBy(job::insert).isInstanceOf(CommitStateUnknownException.class);
    assertThat(job.log().damage(job.id())).isEmpty();
    store.pass(SETTLING);
    assertThat(recover()).isInstanceOf(Recovered.Damaged.class);
  }

  @Test
  void nobodyLooksAgainBeforeItCanBeTold() throws IOException {
    lose();
    Recovered first = recover();
    store.pass(SETTLING.minusMinutes(1));
    store.resetCounts();
    assertThat(recover()).isEqualTo(first);
    assertThat(store.requests()).containsOnlyKeys(RequestType.LIST, RequestType.GET);
    // Except a person who asks.
    assertThat(recovery().retry(NOW)).containsExactly(first);
    assertThat(store.requests()).containsKey(RequestType.COMPLETE_UPLOAD);
  }

  @Test
  void aNoteFromTheFutureIsWrittenAnew() throws IOException {
    PendingUpload gone = lose();
    job.log()
        .noteMissing(
            job.id(),
            new MissingFiles.Note(
                job.log().now().plus(Duration.ofDays(365)), List.of(gone.destination())));
    assertThat(recover()).isInstanceOf(Recovered.Missing.class);
    store.pass(SETTLING);
    assertThat(recover()).isInstanceOf(Recovered.Damaged.class);
  }

  @Test
  void whoMayNotNoteIsToldOfTheFilesAndOfThat() throws IOException {
    lose();
    store.faults().failFrom(RequestType.PUT, 1, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
    assertThat(recover())
        .isInstanceOfSatisfying(
            Recovered.Failed.class,
            failed ->
                assertThat(failed.message())
                    .contains("1 of its uploads are gone", "could not be noted"));
  }

  /** That says nothing of when a file may appear. */
  @Test
  void aLookThatFailsOnceTakesNoTimeFromTheNote() throws IOException {
    lose();
    assertThat(recover()).isInstanceOf(Recovered.Missing.class);
    store.pass(SETTLING);
    store.faults().fail(RequestType.HEAD, 1, Moment.BEFORE_EFFECT, Kind.AMBIGUOUS);
    assertThat(recover()).isInstanceOf(Recovered.Damaged.class);
  }

  @Test
  void whereAllAreGoneNotEachIsLookedAtSeveralTimes() throws IOException {
    int files = 2 * CompleteUploads.PATIENTLY;
    job.task("a", IntStream.range(0, files).mapToObj(i -> "day=1/" + i).toArray(String[]::new));
    job.decideAndDie(Overwrite.none(), DEAD);
    for (int i = 0; i < files; i++) {
      vanish(i);
    }
    store.resetCounts();
    assertThat(recover())
        .isInstanceOfSatisfying(
            Recovered.Missing.class, missing -> assertThat(missing.missing()).hasSize(files));
    int repeated = job.settings().attempts() - 1;
    assertThat(store.requests().get(RequestType.COMPLETE_UPLOAD))
        .isEqualTo(files + CompleteUploads.PATIENTLY * repeated);
  }

  /** It may be wrong about those that it has looked at once, where another recovers it beside. */
  @Test
  void itsOwnProcessDoesNotCallSoManyLost() throws IOException {
    int files = CompleteUploads.PATIENTLY + 1;
    job.task("a", IntStream.range(0, files).mapToObj(i -> "day=1/" + i).toArray(String[]::new));
    for (int i = 0; i < files; i++) {
      vanish(i);
    }
    assertThatThrownBy(job::insert).isInstanceOf(CommitStateUnknownException.class);
    assertThat(job.log().damage(job.id())).isEmpty();
    store.pass(SETTLING);
    assertThat(recover()).isInstanceOf(Recovered.Damaged.class);
  }

  @Test
  void whatALaterJobHasReplacedDoesNotComeBackWhereTheRestAppears() throws IOException {
    store.plant(T + "day=1/old", new byte[1]);
    job.task("a", "day=1/0", "day=1/1");
    job.decideAndDie(Overwrite.directoriesOfFiles(), DEAD);
    PendingUpload appears = vanish(0);
    assertThat(recover()).isInstanceOf(Recovered.Missing.class);
    store.pass(SETTLING);
    assertThat(recover()).isInstanceOf(Recovered.Damaged.class);
    // An overwrite has gone on, and written another file of the old one's name.
    store.deleteObjects(data());
    store.plant(T + "day=1/old", new byte[2]);
    appear(appears);
    assertThat(recovery().retry(NOW)).singleElement().isInstanceOf(Recovered.Completed.class);
    assertThat(data()).containsExactly(appears.key(), T + "day=1/old");
  }

  @Test
  void aMendedCommitIsToldThoughItsNotesCannotBeDeleted() throws IOException {
    PendingUpload upload = lose();
    assertThat(recover()).isInstanceOf(Recovered.Missing.class);
    appear(upload);
    store.faults().fail(RequestType.BULK_DELETE, 2, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
    assertThat(recovery().retry(NOW)).singleElement().isInstanceOf(Recovered.Completed.class);
  }
}
