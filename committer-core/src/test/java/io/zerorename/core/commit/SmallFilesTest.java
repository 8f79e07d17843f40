package io.zerorename.core.commit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.document.TaskManifest;
import io.zerorename.core.parallel.RetryingStore;
import io.zerorename.core.recovery.Recovered;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.core.upload.InlineFile;
import io.zerorename.testing.FaultPlan.Moment;
import io.zerorename.testing.Manifests;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

/** Commits of files whose bytes travel to them: they upload these before they decide. */
class SmallFilesTest extends TimedCommits {
  @Test
  void theyAreVisibleAfterTheDecisionOnlyAndAtThreeRequestsEach() throws IOException {
    job.smallTask("a", "day=1/0", "day=2/0").insert();
    store.resetCounts();
    TestJob second = job("job-2").smallTask("a", "day=1/0", "day=2/0", "day=3/0");
    CommitReport report = second.insert();
    assertThat(report.files()).isEqualTo(3);
    assertThat(report.bytes()).isEqualTo(21);
    assertThat(store.content(second.key("day=2/0"))).isEqualTo("day=2/0".getBytes(UTF_8));
    assertThat(store.requests())
        .isEqualTo(
            Map.of(
                RequestType.LIST, 1L,
                RequestType.CREATE_UPLOAD, 3L,
                RequestType.UPLOAD_PART, 3L,
                RequestType.COMPLETE_UPLOAD, 3L,
                // The entry, the marker.
                RequestType.PUT, 2L));
    assertThat(recovery().open()).isEmpty();
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
  void oneThatCannotBeUploadedFailsTheCommitAndNoneIsLeft() throws IOException {
    for (RequestType type : List.of(RequestType.CREATE_UPLOAD, RequestType.UPLOAD_PART)) {
      store.faults().fail(type, 2, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
      TestJob refused = job("refused-" + type).smallTask("a", "0", "1", "2");
      assertThatThrownBy(refused::insert)
          .isInstanceOf(CommitFailedException.class)
          .hasMessageContaining("Nothing of it is visible");
      refused.abort();
      assertThat(data()).isEmpty();
      assertThat(store.pendingKeys()).isEmpty();
    }
  }

  /** Nobody else may find them: a plain name could be another job's, and some stores list none. */
  @Test
  void ofACommitThatFailsBeforeItsDecisionAllAreAborted() throws IOException {
    InlineFile named = job.small("a", "0").get(0);
    InlineFile plain =
        new InlineFile(
            new Path(TestJob.TABLE, "part-0"),
            RepeatableBody.of(new byte[1]),
            job.id(),
            "a",
            "identity");
    for (boolean sole : List.of(true, false)) {
      CommitRequest failing =
          new CommitRequest(
              job.outputJob(),
              Manifests.of(List.of(TaskManifest.of(job.id(), "a", List.of(plain, named)))),
              Overwrite.none(),
              Optional.empty(),
              () -> {
                assertThat(store.pendingKeys())
                    .containsExactlyInAnyOrder(T + "part-0", named.key());
                throw new IOException("planned");
              },
              sole,
              false);
      assertThatThrownBy(() -> job.commit(failing))
          .isInstanceOf(CommitFailedException.class)
          .hasMessageContaining("planned");
      assertThat(store.pendingKeys()).isEmpty();
    }
  }

  @Test
  void aCreateWhoseAnswerIsLostIsSentAgainAndNoUploadIsLeft() throws IOException {
    ObjectStore retrying = new RetryingStore(store, Duration.ofMinutes(1));
    TestJob disturbed =
        new TestJob(
                path -> retrying, FileSystem.getLocal(new Configuration(false)), workDir, "job-2")
            .smallTask("a", "0", "1");
    store.faults().fail(RequestType.CREATE_UPLOAD, 1, Moment.AFTER_EFFECT, Kind.AMBIGUOUS);
    disturbed.insert();
    assertThat(data()).containsExactly(disturbed.key("0"), disturbed.key("1"));
    assertThat(store.requests()).containsEntry(RequestType.CREATE_UPLOAD, 3L);
    assertThat(store.pendingKeys()).isEmpty();
  }

  @Test
  void whoResumesTheCommitNeedsNothingButTheLog() throws IOException {
    job.smallTask("a", "0", "1");
    job.decideAndDie(Overwrite.none());
    assertThat(data()).isEmpty();
    assertThat(recover()).isInstanceOf(Recovered.Completed.class);
    assertThat(store.content(job.key("1"))).isEqualTo("1".getBytes(UTF_8));
    assertThat(waited).isZero();
  }

  /** Neither a process that sleeps nor a copy of a request can bring one back. */
  @Test
  void anOverwriteWaitsForNoneAndWhatItHasReplacedStaysAway() throws IOException {
    job.smallTask("a", "0").decideAndDie(Overwrite.none());
    TestJob next = job("overwriting").smallTask("a", "day=1/9");
    overwrite(next);
    assertThat(waited).isZero();
    assertThat(insert(job).decidedBefore()).isTrue();
    assertThat(recovery().run(NOW)).isEmpty();
    assertThat(data()).containsExactly(next.key("day=1/9"));
    assertThat(store.pendingKeys()).isEmpty();
  }

  /** Both have uploaded the file, and the plan of one names its own. */
  @Test
  void ofTwoCommittersOfAJobTheUploadsOfOneAreCompletedAndThoseOfTheOtherAborted()
      throws IOException {
    job.smallTask("a", "0");
    job.decideAndDie(Overwrite.none());
    new SmallFiles(store, job.directory()).upload(job.chosen().get(0).inlined().get(0));
    assertThat(store.pendingKeys()).hasSize(2);
    assertThat(insert(job).decidedBefore()).isTrue();
    assertThat(data()).containsExactly(job.key("0"));
    assertThat(store.pendingKeys()).isEmpty();
  }

  @Test
  void aDraftThatFailsLeavesNothing() throws IOException {
    List<InlineFile> files = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      files.add(
          new InlineFile(
              job.path(i + "/0"),
              RepeatableBody.of(new byte[1 << 20]),
              job.id(),
              "a",
              "identity-" + i));
    }
    files.add(files.get(0));
    assertThatThrownBy(
            () ->
                job.commit(
                    Overwrite.none(), Manifests.of(List.of(TaskManifest.of(job.id(), "a", files)))))
        .isInstanceOf(CommitFailedException.class);
    assertThat(store.keys()).noneMatch(key -> key.contains("/parts/"));
    assertThat(job.isDecided()).isFalse();
    job.abort();
    assertThat(store.pendingKeys()).isEmpty();
  }
}
