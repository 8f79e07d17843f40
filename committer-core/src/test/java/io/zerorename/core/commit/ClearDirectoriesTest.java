package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.testing.FaultPlan.Moment;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a job that replaces files does about commits that others have left open. */
class ClearDirectoriesTest extends OpenCommits {
  /** As another job does that has no time to wait. */
  private List<Recovered> clear(Path... directories) throws IOException {
    return recovery().clear(Duration.ZERO, Set.of("another job"), List.of(directories));
  }

  /** A job may write to several buckets. */
  @Test
  void uploadsAreGoneWithTheirBucket() throws IOException {
    job.task("a", "day=1/0").losingTask("b", "day=1/9");
    Proposals.propose(job.log(), job.plan(Overwrite.none()), DEAD);
    store.faults().failFrom(RequestType.LIST_PARTS, 1, Moment.BEFORE_EFFECT, Kind.NO_SUCH_BUCKET);
    store.faults().failFrom(RequestType.LIST_UPLOADS, 1, Moment.BEFORE_EFFECT, Kind.NO_SUCH_BUCKET);

    assertThat(clear(TestJob.TABLE))
        .singleElement()
        .isEqualTo(new Recovered.RolledBack(job.id(), 0));
    assertThat(job.log().open()).isEmpty();
  }

  @Test
  void anOverwriteDoesNotWaitForUploadsOfAJobThatNeverCommits() throws IOException {
    job.task("a", "day=1/0");
    Proposals.propose(job.log(), job.plan(Overwrite.none()), DEAD);
    store.faults().failFrom(RequestType.ABORT_UPLOAD, 1, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);

    assertThat(clear(TestJob.TABLE))
        .singleElement()
        .isInstanceOfSatisfying(
            Recovered.Failed.class,
            failed ->
                assertThat(failed.message())
                    .contains(
                        "will never commit", "Each later job and zerorename recover try again"));
    store.faults().clear();
    assertThat(recovery().run(Duration.ZERO))
        .singleElement()
        .isEqualTo(new Recovered.RolledBack(job.id(), 1));
  }

  @Test
  void anOverwriteDoesNotWaitForRecordsThatCannotBeDeleted() throws IOException {
    job.task("a", "day=1/0");
    job.decideAndDie(Overwrite.none(), DEAD);
    store.faults().failFrom(RequestType.BULK_DELETE, 1, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);

    assertThat(clear(TestJob.TABLE)).isNotEmpty().noneMatch(Recovered::isPending);
    assertThat(data()).containsExactly(job.key("day=1/0"));
    assertThat(clear(TestJob.TABLE))
        .singleElement()
        .isInstanceOfSatisfying(
            Recovered.Failed.class,
            failed ->
                assertThat(failed.message())
                    .contains("is complete, and only its records", "cannot be deleted"));
    store.faults().clear();
    clear(TestJob.TABLE);
    assertThat(job.log().open()).isEmpty();
  }

  @Test
  void anOverwriteIsRefusedWhileAnEarlierCommitCannotBeEnded() throws IOException {
    job.task("a", "day=1/0");
    job.decideAndDie(Overwrite.none(), DEAD);
    store
        .faults()
        .failFrom(RequestType.COMPLETE_UPLOAD, 1, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
    assertThatThrownBy(() -> clear(TestJob.TABLE))
        .hasMessageContaining("an earlier commit is open")
        .hasMessageContaining("would bring older rows back");
    store.faults().clear();
    assertThat(clear(TestJob.TABLE)).singleElement().isInstanceOf(Recovered.Completed.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"day=1", "day=1/hour=1", ""})
  void anOverwriteEndsCommitsAtAboveAndBelowItsDirectories(String replaced) throws IOException {
    job.task("a", "day=2/0", "day=1/0");
    job.decideAndDie(Overwrite.none(), DEAD);
    assertThat(
            clear(
                new Path(TestJob.TABLE, "day=3"),
                replaced.isEmpty() ? TestJob.TABLE : new Path(TestJob.TABLE, replaced)))
        .singleElement()
        .isInstanceOf(Recovered.Completed.class);
  }

  @Test
  void anOverwriteDoesNotWaitForCommitsOfOtherDirectories() throws IOException {
    store.plant(T + "day=1/old", new byte[1]);
    job.task("a", "day=1/0");
    job.decideAndDie(Overwrite.directoriesOfFiles(), ELSEWHERE);
    store.resetCounts();
    assertThat(
            recovery()
                .clear(
                    Duration.ofDays(1),
                    Set.of("another job"),
                    List.of(new Path(TestJob.TABLE, "day=10"), new Path(TestJob.TABLE, "day=2"))))
        .isEmpty();
    assertThat(store.requests()).isEqualTo(Map.of(RequestType.LIST, 1L, RequestType.GET, 1L));
    assertThat(job.log().open()).hasSize(1);
    assertThat(data()).containsExactly(T + "day=1/old");
  }

  @Test
  void anOverwriteEndsACommitThatOnlyDeletesInItsDirectories() throws IOException {
    store.plant(T + "day=1/sub/old", new byte[1]);
    job.task("a");
    job.decideAndDie(Overwrite.directory(new Path(TestJob.TABLE, "day=1")), DEAD);
    assertThat(clear(new Path(TestJob.TABLE, "day=1/sub")))
        .singleElement()
        .isInstanceOf(Recovered.Completed.class);
  }

  @Test
  void anOverwriteEndsACommitThatChangesNothingButMayHaveAnEndToWrite() throws IOException {
    job.task("a");
    job.decideAndDie(Overwrite.none(), DEAD);
    assertThat(clear(new Path(TestJob.TABLE, "day=1")))
        .singleElement()
        .isInstanceOf(Recovered.Completed.class);
    assertThat(ended).hasSize(1);
  }

  @Test
  void anOverwriteLooksAtACommitOfWhichNobodyCanTellWhatItChanges() throws IOException {
    job.task("a", "day=1/0");
    job.decideAndDie(Overwrite.none(), DEAD);
    String plan =
        store.keys().stream().filter(key -> key.contains("/open/")).findFirst().orElseThrow();
    byte[] document = store.content(plan);
    store.plant(plan, Arrays.copyOf(document, document.length / 2));
    assertThat(clear(new Path(TestJob.TABLE, "day=2")))
        .singleElement()
        .isInstanceOf(Recovered.Failed.class);
  }
}
