package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.log.Proposal;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.upload.PendingUpload;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/**
 * A job that replaces files waits until it is known what becomes of a commit of which files are
 * missing.
 */
class OverwriteBesideMissingFilesTest extends CommitsWithMissingFiles {
  @Test
  void anOverwriteWaitsUntilItIsKnownWhetherTheyAreLost() throws IOException {
    PendingUpload lost = lose();
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
    PendingUpload upload = lose();
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
    PendingUpload upload = lose();
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
    PendingUpload gone = lose();
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
}
