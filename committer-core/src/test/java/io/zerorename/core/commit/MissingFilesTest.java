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
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

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

  private void appear(PendingUpload upload) throws IOException {
    store.putObject(
        upload.key(),
        PartBody.of("day=1/0".getBytes(UTF_8)),
        Map.of(PendingUpload.IDENTITY_METADATA, upload.identity()));
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
    job.task("a", "day=1/0");
    job.decideAndDie(Overwrite.none(), DEAD);
    vanish(0);
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

  /** What goes on while a job waits. */
  @FunctionalInterface
  private interface Meanwhile {
    void pass(Duration pause) throws IOException;
  }

  /** A job that replaces files. */
  private List<Recovered> overwrite(Meanwhile meanwhile) throws IOException {
    Pauses.Sleep sleep =
        (pause, message) -> {
          try {
            meanwhile.pass(pause);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        };
    return new Recovery(store, job.log(), job.settings(), new Engine(), sleep)
        .clear(SETTLING, Set.of("another job"), List.of(TestJob.TABLE));
  }

  @Test
  void anOverwriteWaitsUntilItIsKnownWhetherTheyAreLost() throws IOException {
    job.task("a", "day=1/0");
    job.decideAndDie(Overwrite.none(), DEAD);
    PendingUpload lost = vanish(0);
    Instant begun = store.now();
    store.resetCounts();
    assertThat(overwrite(store::pass))
        .singleElement()
        .isInstanceOfSatisfying(
            Recovered.Damaged.class,
            damaged -> assertThat(damaged.lost()).containsExactly(lost.destination()));
    assertThat(Duration.between(begun, store.now())).isBetween(SETTLING, SETTLING.plusSeconds(10));
    assertThat(store.requests().get(RequestType.COMPLETE_UPLOAD))
        .as("two looks")
        .isEqualTo(2L * job.settings().attempts());
  }

  @Test
  void anOverwriteReplacesWhatHasAppearedWhileItWaits() throws IOException {
    job.task("a", "day=1/0");
    job.decideAndDie(Overwrite.none(), DEAD);
    PendingUpload upload = vanish(0);
    assertThat(
            overwrite(
                pause -> {
                  store.pass(pause);
                  appear(upload);
                }))
        .singleElement()
        .isInstanceOf(Recovered.Completed.class);
    assertThat(job.log().open()).isEmpty();
  }

  @Test
  void anOverwriteGoesOnWhenAnotherHasCompletedIt() throws IOException {
    job.task("a", "day=1/0");
    job.decideAndDie(Overwrite.none(), DEAD);
    PendingUpload upload = vanish(0);
    Instant begun = store.now();
    overwrite(
        pause -> {
          store.pass(pause);
          if (Duration.between(begun, store.now()).compareTo(Duration.ofMinutes(1)) > 0
              && !job.log().open().isEmpty()) {
            appear(upload);
            assertThat(recovery().retry(NOW))
                .singleElement()
                .isInstanceOf(Recovered.Completed.class);
          }
        });
    assertThat(Duration.between(begun, store.now()))
        .isBetween(Duration.ofMinutes(1), Duration.ofMinutes(2));
  }

  /** Whoever looks announces itself where a commit has small files, and may be at work then. */
  @Test
  void anOverwriteWaitsForWhoeverLooksBesideIt() throws IOException {
    job.task("a", "day=1/0").smallTask("b", "day=1/1");
    job.decideAndDie(Overwrite.none(), ELSEWHERE);
    vanish(0);
    store.pass(SETTLING.plusSeconds(1));
    Instant begun = store.now();
    Proposal proposal = job.log().read(job.id()).flatMap(Decision::proposal).orElseThrow();
    AtomicReference<Instant> looked = new AtomicReference<>();
    assertThat(
            overwrite(
                pause -> {
                  store.pass(pause);
                  if (looked.get() == null
                      && store.now().isAfter(begun.plus(Duration.ofMinutes(2)))) {
                    looked.set(store.now());
                    job.log().announcePuts(job.id(), proposal, store.now().plus(PutWindow.LENGTH));
                  }
                }))
        .last()
        .isInstanceOf(Recovered.Damaged.class);
    assertThat(store.now())
        .isBetween(looked.get().plus(SETTLING), looked.get().plus(SETTLING).plusSeconds(30));
  }

  /** Somebody else finds others missing each time. */
  @Test
  void anOverwriteDoesNotWaitForEver() throws IOException {
    job.task("a", "day=1/0");
    job.decideAndDie(Overwrite.none(), DEAD);
    PendingUpload gone = vanish(0);
    Instant begun = store.now();
    assertThatThrownBy(
            () ->
                overwrite(
                    pause -> {
                      store.pass(pause);
                      job.log()
                          .noteMissing(
                              job.id(),
                              new MissingFiles.Note(store.now(), List.of(gone.destination())));
                    }))
        .hasMessageContaining("an earlier commit is open")
        .hasMessageContaining("1 of its uploads are gone");
    assertThat(Duration.between(begun, store.now()))
        .isBetween(SETTLING.multipliedBy(2), SETTLING.multipliedBy(2).plusSeconds(20));
  }

  @Test
  void nobodyLooksAgainBeforeItCanBeTold() throws IOException {
    job.task("a", "day=1/0");
    job.decideAndDie(Overwrite.none(), DEAD);
    vanish(0);
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
    job.task("a", "day=1/0");
    job.decideAndDie(Overwrite.none(), DEAD);
    PendingUpload gone = vanish(0);
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
    job.task("a", "day=1/0");
    job.decideAndDie(Overwrite.none(), DEAD);
    vanish(0);
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
    job.task("a", "day=1/0");
    job.decideAndDie(Overwrite.none(), DEAD);
    vanish(0);
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
  void oneJobIsGivenUpWithoutWaiting() throws IOException {
    job.task("a", "day=1/0");
    job.decideAndDie(Overwrite.none(), DEAD);
    vanish(0);
    Recovered.Missing missing = (Recovered.Missing) recover();
    assertThat(recovery().giveUp(job.id(), NOW))
        .contains(
            new Recovered.GivenUp(
                job.id(),
                0,
                List.of(),
                List.of(job.path("day=1/0")),
                Optional.of(missing.lostFrom())));
    assertThat(recovery().run(NOW))
        .containsExactly(new Recovered.Settling(job.id(), missing.lostFrom()));
    store.pass(SETTLING.multipliedBy(2));
    recovery().run(NOW);
    assertThat(job.log().open()).isEmpty();
  }

  /** The store goes on with what it is joining. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anOverwriteWaitsThoughTheCommitIsGivenUp(boolean before) throws IOException {
    job.task("a", "day=1/0");
    job.decideAndDie(Overwrite.none(), DEAD);
    vanish(0);
    Instant lostFrom = ((Recovered.Missing) recover()).lostFrom();
    if (before) {
      recovery().giveUp(job.id(), NOW);
    }
    overwrite(
        pause -> {
          if (job.log().open().stream().anyMatch(open -> !open.documents().isEmpty())) {
            assertThat(recovery().giveUp(job.id(), NOW)).isPresent();
          }
          store.pass(pause);
        });
    assertThat(store.now()).isAfter(lostFrom);
  }

  /** One bucket of two may be gone: nobody has looked then. */
  @Test
  void anOverwriteWaitsForWhatWasGivenUpUnseen() throws IOException {
    job.task("a", "day=1/0");
    job.decideAndDie(Overwrite.none(), DEAD);
    vanish(0);
    Instant begun = store.now();
    assertThat(recovery().giveUp(job.id(), NOW))
        .get()
        .extracting(Recovered::message)
        .asString()
        .contains("may yet appear until", "jobs that replace files wait");
    overwrite(store::pass);
    assertThat(store.now()).isAfter(begun.plus(SETTLING));
  }

  @Test
  void whatALaterJobHasReplacedIsNotLost() throws IOException {
    job.task("a", "day=1/0", "day=1/1").smallTask("b", "day=1/2");
    job.decideAndDie(Overwrite.none(), DEAD);
    PendingUpload lost = vanish(0);
    assertThat(recover()).isInstanceOf(Recovered.Missing.class);
    store.pass(SETTLING);
    assertThat(recover()).isInstanceOf(Recovered.Damaged.class);
    assertThat(data()).hasSize(2);
    store.deleteObjects(data());

    assertThat(recovery().giveUp(NOW))
        .hasExactlyElementsOfTypes(Recovered.Damaged.class, Recovered.GivenUp.class)
        .first()
        .isInstanceOfSatisfying(
            Recovered.Damaged.class,
            damaged -> assertThat(damaged.lost()).containsExactly(lost.destination()));
    assertThat(data()).isEmpty();
    assertThat(job.log().open()).isEmpty();
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
  void nothingOfSmallFilesAloneCanAppearAfterTheyAreGivenUp() throws IOException {
    job.smallTask("a", "day=1/0");
    job.decideAndDie(Overwrite.none(), DEAD);
    assertThat(recovery().giveUp(job.id(), NOW))
        .contains(new Recovered.GivenUp(job.id(), 0, List.of(), List.of(), Optional.empty()));
  }

  @Test
  void aNoteFromTheFutureDelaysOverwritesAfterAGiveUpNoLongerThanOneOfNow() throws IOException {
    job.task("a", "day=1/0");
    job.decideAndDie(Overwrite.none(), DEAD);
    PendingUpload gone = vanish(0);
    job.log()
        .noteMissing(
            job.id(),
            new MissingFiles.Note(
                store.now().plus(Duration.ofDays(1)), List.of(gone.destination())));
    assertThat(recovery().giveUp(job.id(), NOW)).isPresent();
    Instant begun = store.now();
    overwrite(store::pass);
    assertThat(store.now()).isBetween(begun.plus(SETTLING), begun.plus(SETTLING.multipliedBy(2)));
  }

  @Test
  void whoFindsItDamagedBesideAnOverwriteDelaysItNotAtAll() throws IOException {
    job.task("a", "day=1/0").smallTask("b", "day=1/1");
    job.decideAndDie(Overwrite.none(), ELSEWHERE);
    vanish(0);
    store.pass(SETTLING.plusSeconds(1));
    Instant begun = store.now();
    assertThat(
            overwrite(
                pause -> {
                  store.pass(pause);
                  if (!store.now().isBefore(begun.plus(SETTLING))
                      && job.log().damage(job.id()).isEmpty()) {
                    assertThat(recovery().retry(NOW))
                        .singleElement()
                        .isInstanceOf(Recovered.Damaged.class);
                  }
                }))
        .singleElement()
        .isInstanceOf(Recovered.Damaged.class);
    assertThat(Duration.between(begun, store.now())).isBetween(SETTLING, SETTLING.plusSeconds(20));
    // The statement's second look.
    assertThat(overwrite(store::pass)).singleElement().isInstanceOf(Recovered.Damaged.class);
    assertThat(Duration.between(begun, store.now())).isLessThan(SETTLING.plusSeconds(20));
  }

  @Test
  void aMendedCommitIsToldThoughItsNotesCannotBeDeleted() throws IOException {
    job.task("a", "day=1/0");
    job.decideAndDie(Overwrite.none(), DEAD);
    PendingUpload upload = vanish(0);
    assertThat(recover()).isInstanceOf(Recovered.Missing.class);
    appear(upload);
    store.faults().fail(RequestType.BULK_DELETE, 2, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
    assertThat(recovery().retry(NOW)).singleElement().isInstanceOf(Recovered.Completed.class);
  }
}
