package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.recovery.Recovered;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.testing.FaultPlan.Moment;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An overwrite supersedes a commit of which files are missing, and nothing of it comes back. */
class OverwriteBesideMissingFilesTest extends CommitsWithMissingFiles {
  private TestJob overwrite;

  @BeforeEach
  void newOverwrite() throws IOException {
    overwrite = settling("job-2").task("a", "day=1/7");
  }

  private void assertThatOnlyTheOverwriteIsThere() throws IOException {
    assertThat(data()).containsExactly(overwrite.key("day=1/7"));
    assertThat(recovery().run(NOW)).isEmpty();
    assertThat(job.log().tail().open()).isEmpty();
  }

  @Test
  void itWaitsAsLongAsTheStoreMayBeCompleting() throws IOException {
    lose();
    store.resetCounts();
    overwrite(overwrite);
    assertThat(waited).isBetween(SETTLING.minusSeconds(2), SETTLING.plus(PAUSE));
    assertThat(store.requests().get(RequestType.COMPLETE_UPLOAD)).isLessThan(45);
    assertThatOnlyTheOverwriteIsThere();
  }

  @Test
  void itDeletesWhatHasAppearedWhileItWaits() throws IOException {
    PendingUpload upload = lose();
    Duration when = Duration.ofMinutes(1);
    commit(
        overwrite,
        Overwrite.directory(TestJob.TABLE),
        and(
            () -> {
              if (waited.compareTo(when) > 0) {
                appear(upload);
              }
            }));
    assertThat(waited).isBetween(when, when.plus(PAUSE));
    assertThatOnlyTheOverwriteIsThere();
  }

  @Test
  void itCompletesWhatIsPendingAgain() throws IOException {
    job.task("a", "day=1/0").decideAndDie(Overwrite.none());
    store.faults().fail(RequestType.COMPLETE_UPLOAD, 2, Moment.BEFORE_EFFECT, Kind.NO_SUCH_UPLOAD);
    overwrite(overwrite);
    assertThat(waited).isLessThan(PAUSE);
    assertThat(store.pendingKeys()).isEmpty();
    assertThatOnlyTheOverwriteIsThere();
  }

  @Test
  void oneThatWasFoundDamagedMakesItWaitOnceMoreAtMost() throws IOException {
    store.plant(T + "day=1/old", new byte[1]);
    job.task("a", "day=1/0").decideAndDie(Overwrite.directoriesOfFiles());
    vanish(0);
    assertThat(recover()).isInstanceOf(Recovered.Damaged.class);
    waited = Duration.ZERO;
    overwrite(overwrite);
    assertThat(waited).isLessThan(SETTLING.plus(PAUSE));
    assertThatOnlyTheOverwriteIsThere();
  }

  @Test
  void itWaitsForNothingOfOtherDirectories() throws IOException {
    job.task("a", "day=1/0").smallTask("b", "day=3/0").decideAndDie(Overwrite.none());
    vanish(0);
    TestJob other = settling("job-3").task("a", "day=2/0");
    commit(other, Overwrite.directoriesOfFiles());
    assertThat(waited).isZero();
    assertThat(data()).containsExactly(other.key("day=2/0"));
  }

  @Test
  void anInsertWaitsForNothing() throws IOException {
    lose();
    TestJob other = settling("job-3").smallTask("a", "day=1/0");
    CommitReport report = insert(other);
    assertThat(waited).isZero();
    assertThat(report.openEntries()).containsExactly(1L);
    assertThat(data()).containsExactly(other.key("day=1/0"));
  }
}
