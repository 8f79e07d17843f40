package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.log.CommitPlan;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.parallel.Workers;
import io.zerorename.core.recovery.Recovered;
import io.zerorename.core.recovery.Recovery;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.testing.FaultPlan.Moment;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** When files that are missing are lost. */
class MissingFilesTest extends CommitsWithMissingFiles {
  private Recovery recovering(Meanwhile meanwhile) {
    return new Recovery(stores, job.log(), job.settings().sleeping(and(meanwhile)), new Engine());
  }

  @Test
  void whatTheStoreIsCompletingIsNotLost() throws IOException {
    job.task("a", "day=1/0");
    job.decideAndDie(Overwrite.none(), DEAD);
    store
        .faults()
        .failFrom(RequestType.COMPLETE_UPLOAD, 1, Moment.BEFORE_EFFECT, Kind.NO_SUCH_UPLOAD);
    Duration when = Duration.ofMinutes(4);
    List<Recovered> results =
        recovering(
                () -> {
                  if (waited.compareTo(when) > 0) {
                    store.faults().clear();
                  }
                })
            .run(NOW);
    assertThat(results).hasExactlyElementsOfTypes(Recovered.Completed.class);
    assertThat(waited).isBetween(when, when.plus(PAUSE));
    assertThat(data()).containsExactly(job.key("day=1/0"));
  }

  @Test
  void whatIsMissingForSoLongIsLostAlsoWhereTheCommitHasSmallFiles() throws IOException {
    job.task("a", "day=1/0").smallTask("b", "day=1/1");
    job.decideAndDie(Overwrite.none(), DEAD);
    PendingUpload lost = vanish(0);
    assertThat(recover())
        .isInstanceOfSatisfying(
            Recovered.Damaged.class,
            damaged -> {
              assertThat(damaged.lost()).containsExactly(lost.destination());
              assertThat(damaged.message())
                  .contains(
                      "1 file of INSERT into db.t (entry 1) is lost", "All others are visible");
            });
    assertThat(waited).isBetween(SETTLING.minusSeconds(2), SETTLING.plus(PAUSE));
    assertThat(data()).containsExactly(job.key("day=1/1"));
    assertThat(recovery().run(NOW)).as("nothing is left to do").isEmpty();
  }

  @Test
  void ofSeveralThatAreMissingOneMayAppear() throws IOException {
    job.task("a", "day=1/0", "day=1/1");
    job.decideAndDie(Overwrite.none(), DEAD);
    PendingUpload appears = vanish(0);
    PendingUpload lost = vanish(1);
    List<Recovered> results =
        recovering(
                () -> {
                  if (waited.compareTo(SETTLING.minus(PAUSE)) > 0) {
                    appear(appears);
                  }
                })
            .run(NOW);
    assertThat(results)
        .singleElement()
        .isInstanceOfSatisfying(
            Recovered.Damaged.class,
            damaged -> assertThat(damaged.lost()).containsExactly(lost.destination()));
  }

  @Test
  void whatALaterEntryReplacesIsNotWaitedFor() throws IOException {
    lose();
    TestJob later = job("job-2").task("a", "day=1/0");
    later.commit(Overwrite.directoriesOfFiles());
    assertThat(recovery().run(NOW)).isEmpty();
    assertThat(insert(job).decidedBefore()).isTrue();
    assertThat(waited).isZero();
    assertThat(data()).containsExactly(later.key("day=1/0"));
  }

  @Test
  void aProcessThatSleptDoesNotWaitForWhatALaterEntryHasReplaced() throws IOException {
    job.task("a", "day=1/0");
    LogEntry own = job.decideAndDie(Overwrite.none(), ELSEWHERE);
    TestJob later = settling("job-2").task("a", "day=1/0");
    commit(later, Overwrite.directoriesOfFiles());
    assertThat(waited).isZero();
    ExecuteEntry sleeper =
        new ExecuteEntry(
            store,
            job.log(),
            job.log().tail(),
            job.settings().sleeping(this::pass),
            new CompletedEtags(0),
            new FingerprintSet());
    try (Workers workers = new Workers(1)) {
      CommitPlan plan = job.log().plan(own);
      assertThat(sleeper.run(own, own, plan, () -> false, workers, new StageTimes()).lost())
          .isEmpty();
    }
    assertThat(waited).isZero();
    assertThat(data()).containsExactly(later.key("day=1/0"));
  }

  @Test
  void whatIsReplacedWhileItIsWaitedForIsNotLost() throws IOException {
    lose();
    TestJob later = job("job-2").task("a", "day=1/0");
    List<Recovered> results =
        recovering(
                () -> {
                  if (!later.isDecided()) {
                    later.commit(Overwrite.directoriesOfFiles());
                  }
                })
            .run(NOW);
    assertThat(results).hasExactlyElementsOfTypes(Recovered.Completed.class);
    assertThat(data()).containsExactly(later.key("day=1/0"));
  }

  /** It knows what it has sent, and the answers. */
  @Test
  void itsOwnProcessCallsLostWhatItHasLookedAtRepeatedlyWithoutWaiting() throws IOException {
    job.task("a", "day=1/0");
    PendingUpload lost = vanishWhenSeen(job, 0);
    assertThatThrownBy(() -> insert(job))
        .isInstanceOfSatisfying(
            CommitDamagedException.class,
            damaged -> assertThat(damaged.lost()).containsExactly(lost.destination()));
    assertThat(waited).isZero();
    assertThat(recovery().run(NOW)).as("an insert has ended with that").isEmpty();
  }

  @Test
  void whereAnAnswerWasLostItsOwnProcessWaitsAsWell() throws IOException {
    job.task("a", "day=1/0");
    vanishWhenSeen(job, 0);
    store.faults().fail(RequestType.COMPLETE_UPLOAD, 1, Moment.BEFORE_EFFECT, Kind.AMBIGUOUS);
    assertThatThrownBy(() -> insert(job)).isInstanceOf(CommitDamagedException.class);
    assertThat(waited).isGreaterThan(SETTLING.minusSeconds(2));
  }

  /** It is asked again, and so nothing is left to wait for. */
  @Test
  void whereOnlyAnAnswerAboutTheObjectWasLostItsOwnProcessDoesNotWait() throws IOException {
    job.task("a", "day=1/0");
    vanishWhenSeen(job, 0);
    store.faults().fail(RequestType.HEAD, 1, Moment.BEFORE_EFFECT, Kind.AMBIGUOUS);
    store.resetCounts();
    assertThatThrownBy(() -> insert(job)).isInstanceOf(CommitDamagedException.class);
    assertThat(waited).isZero();
    assertThat(store.requests()).containsEntry(RequestType.HEAD, job.settings().attempts() + 1L);
  }

  @Test
  void whatAppearsWhileItsOwnProcessWaitsIsThere() throws IOException {
    job.task("a", "day=1/0");
    PendingUpload upload = vanishWhenSeen(job, 0);
    store.faults().fail(RequestType.COMPLETE_UPLOAD, 1, Moment.BEFORE_EFFECT, Kind.AMBIGUOUS);
    CommitReport report = commit(job, Overwrite.none(), and(() -> appear(upload)));
    assertThat(report.files()).isEqualTo(1);
    assertThat(waited).isLessThan(PAUSE);
    assertThat(recovery().open()).isEmpty();
  }

  @Test
  void whereAllAreGoneNotEachIsLookedAtSeveralTimes() throws IOException {
    job.settlingFor(Duration.ZERO);
    int files = 2 * UploadCompletion.MOST_CHECKED;
    job.task("a", IntStream.range(0, files).mapToObj(i -> "day=1/" + i).toArray(String[]::new));
    job.decideAndDie(Overwrite.none(), DEAD);
    for (int i = 0; i < files; i++) {
      vanish(i);
    }
    store.resetCounts();
    assertThat(recover())
        .isInstanceOfSatisfying(
            Recovered.Damaged.class, damaged -> assertThat(damaged.lost()).hasSize(files));
    int repeated = job.settings().attempts() - 1;
    assertThat(store.requests().get(RequestType.COMPLETE_UPLOAD))
        .as("and once more after the join time")
        .isEqualTo(2 * files + UploadCompletion.MOST_CHECKED * repeated);
  }

  /** It may be wrong about those that it has looked at once, where another resumes it beside. */
  @Test
  void itsOwnProcessWaitsBeforeItCallsSoManyLost() throws IOException {
    int files = UploadCompletion.MOST_CHECKED + 1;
    job.task("a", IntStream.range(0, files).mapToObj(i -> "day=1/" + i).toArray(String[]::new));
    for (int i = 0; i < files; i++) {
      vanishWhenSeen(job, i);
    }
    assertThatThrownBy(() -> insert(job)).isInstanceOf(CommitDamagedException.class);
    assertThat(waited).isGreaterThan(SETTLING.minusSeconds(2));
  }
}
