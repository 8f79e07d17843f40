package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.log.EndNote;
import io.zerorename.core.log.EntryState;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.recovery.Recovered;
import io.zerorename.core.recovery.Recovery;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.testing.ForwardingStore;
import io.zerorename.testing.OpenJobs;
import io.zerorename.testing.Waits;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What an operator gives up: none of its lost files appears any more. */
class GivenUpCommitTest extends CommitsWithMissingFiles {
  @Test
  void oneJobIsGivenUpWithoutWhatIsNotThere() throws IOException {
    job.task("a", "day=1/0", "day=1/1", "day=1/2");
    LogEntry entry = job.decideAndDie(Overwrite.none());
    vanish(0);
    PendingUpload there = complete(upload(job, 1));

    assertThat(recovery().giveUp(job.id()))
        .contains(
            new Recovered.GivenUp(
                entry.number(), job.id(), List.of(job.path("day=1/0"), job.path("day=1/2"))));

    assertThat(store.pendingKeys()).as("no process completes it any more").isEmpty();
    assertThat(data()).containsExactly(there.key());
    assertThat(OpenJobs.of(recovery())).isEmpty();
    assertThat(recovery().giveUp(job.id())).as("only once").isEmpty();
    assertThat(state(job.id())).isEqualTo(EntryState.DAMAGED);
    assertThat(job.log().tailDownTo(1).isGivenUp(1)).isTrue();
    assertThat(lost(1)).containsExactly(job.path("day=1/0"), job.path("day=1/2"));
  }

  /** MinIO takes the abort of an upload that was completed since it was looked for. */
  @Test
  void anUploadThatIsCompletedBesideItsAbortIsNotLost() throws IOException {
    job.task("a", "day=1/0", "day=1/1");
    job.decideAndDie(Overwrite.none());
    PendingUpload raced = upload(job, 0);
    ObjectStore minio =
        new ForwardingStore(store) {
          @Override
          public void abortUpload(String key, String uploadId) throws IOException {
            if (key.equals(raced.key())) {
              store.completeUpload(key, uploadId, raced.parts());
            } else {
              store.abortUpload(key, uploadId);
            }
          }
        };
    Recovery recovery =
        new Recovery(path -> minio, job.log(), Waits.in(this::pass, job.settings()), new Engine());
    assertThat(recovery.giveUp(job.id()))
        .contains(new Recovered.GivenUp(1, job.id(), List.of(job.path("day=1/1"))));
    assertThat(data()).containsExactly(raced.key());
  }

  @Test
  void nothingIsGivenUpUnderAnUnknownName() throws IOException {
    lose();
    assertThat(recovery().giveUp("nobody")).isEmpty();
    assertThat(OpenJobs.of(recovery())).containsExactly(job.id());
  }

  @Test
  void anOverwriteThatIsGivenUpEndsWhatItFollowsAsWell() throws IOException {
    TestJob earlier = settling("job-0").task("a", "day=1/5");
    earlier.decideAndDie(Overwrite.none());
    job.task("a", "day=1/0", "day=1/1");
    job.decideAndDie(Overwrite.directoriesOfFiles());
    vanish(0);
    PendingUpload there = complete(upload(job, 1));
    assertThat(recovery().giveUp(job.id()).orElseThrow()).isInstanceOf(Recovered.GivenUp.class);
    assertThat(data()).containsExactly(there.key());
    assertThat(store.pendingKeys()).isEmpty();
    assertThat(recovery().run(NOW)).as("both have ended").isEmpty();
  }

  /** The store goes on with what it is completing. */
  @Test
  void anOverwriteDeletesWhatAppearsOfACommitThatWasGivenUp() throws IOException {
    PendingUpload upload = lose();
    assertThat(recovery().giveUp(job.id())).isPresent();
    waited = Duration.ZERO;
    TestJob overwrite = settling("job-2").task("a", "day=1/7");
    commit(overwrite, Overwrite.directory(TestJob.TABLE), and(() -> appear(upload)));
    assertThat(waited).isLessThan(SETTLING);
    assertThat(data()).containsExactly(overwrite.key("day=1/7"));
  }

  /** The operator's process has died before it has aborted anything. */
  @Test
  void whatWasGivenUpIsGivenUpToItsEndByAnotherProcess() throws IOException {
    store.plant(T + "day=1/old", new byte[1]);
    job.task("a", "day=1/0", "day=1/1").smallTask("b", "day=1/2");
    LogEntry gone = job.decideAndDie(Overwrite.directoriesOfFiles());
    vanish(0);
    job.log().mark(gone, EntryState.GIVEN_UP, EndNote.NOTHING);
    assertThat(recovery().run(NOW)).hasExactlyElementsOfTypes(Recovered.GivenUp.class);
    assertThat(data()).as("nothing comes back that may have been removed").isEmpty();
    assertThat(store.pendingKeys()).isEmpty();
    assertThat(lost(1))
        .containsExactly(job.path("day=1/0"), job.path("day=1/1"), job.path("day=1/2"));
  }

  @Test
  void anotherAttemptOfAJobThatWasGivenUpCompletesNothingOfIt() throws IOException {
    job.task("a", "day=1/0");
    LogEntry gone = job.decideAndDie(Overwrite.none());
    job.log().mark(gone, EntryState.GIVEN_UP, EndNote.NOTHING);
    assertThatThrownBy(() -> insert(job)).isInstanceOf(CommitDamagedException.class);
    assertThat(data()).isEmpty();
    assertThat(store.pendingKeys()).isEmpty();
    assertThat(OpenJobs.of(recovery())).isEmpty();
  }
}
