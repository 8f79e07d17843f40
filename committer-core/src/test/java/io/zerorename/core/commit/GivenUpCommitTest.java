package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an operator gives up: no file of it appears after an overwrite. */
class GivenUpCommitTest extends CommitsWithMissingFiles {
  @Test
  void oneJobIsGivenUpWithoutWaiting() throws IOException {
    lose();
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

  /** The store goes on with what it is joining. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anOverwriteWaitsThoughTheCommitIsGivenUp(boolean before) throws IOException {
    lose();
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
    lose();
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
  void nothingOfSmallFilesAloneCanAppearAfterTheyAreGivenUp() throws IOException {
    job.smallTask("a", "day=1/0");
    job.decideAndDie(Overwrite.none(), DEAD);
    assertThat(recovery().giveUp(job.id(), NOW))
        .contains(new Recovered.GivenUp(job.id(), 0, List.of(), List.of(), Optional.empty()));
  }

  @Test
  void aNoteFromTheFutureDelaysOverwritesAfterAGiveUpNoLongerThanOneOfNow() throws IOException {
    PendingUpload gone = lose();
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
}
