package io.zerorename.core.commit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.commit.CommitRequest.Committer;
import io.zerorename.core.document.TaskManifest;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.core.upload.InlineFile;
import io.zerorename.testing.FaultPlan.Moment;
import io.zerorename.testing.Manifests;
import io.zerorename.testing.OpenJobs;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
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
    assertThat(report.made().files()).isEqualTo(3);
    assertThat(report.made().bytes()).isEqualTo(21);
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
    assertThat(OpenJobs.of(recovery())).isEmpty();
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
    for (Committer committer : List.of(Committer.SOLE, Committer.ONE_OF_SEVERAL)) {
      CommitRequest failing =
          job.insertBy(
              committer,
              Manifests.of(
                  Stream.of(plain, named)
                      .map(it -> TaskManifest.of(job.id(), "a", List.of(it)))
                      .toList()),
              () -> {
                assertThat(store.pendingKeys())
                    .containsExactlyInAnyOrder(T + "part-0", named.key());
                throw new IOException("planned");
              });
      assertThatThrownBy(() -> job.commit(failing))
          .isInstanceOf(CommitFailedException.class)
          .hasMessageContaining("planned");
      assertThat(store.pendingKeys()).isEmpty();
    }
  }

  @Test
  void anUploadWhoseIdWasLostIsAbortedAtTheEnd() throws IOException {
    store.faults().fail(RequestType.CREATE_UPLOAD, 1, Moment.AFTER_EFFECT, Kind.AMBIGUOUS);
    job.smallTask("a", "0").insert();
    assertThat(data()).containsExactly(job.key("0"));
    assertThat(store.pendingKeys()).isEmpty();
  }
}
