package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.log.EntryState;
import io.zerorename.core.recovery.JobEngine;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.testing.FaultPlan.Moment;
import io.zerorename.testing.InMemoryObjectStore;
import io.zerorename.testing.InMemoryObjectStore.Variant;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What is said where an earlier process has executed an entry, and died before it has noted that.
 */
class HonestStateTest extends TimedCommits {
  private void executeAndDie() throws IOException {
    store.plant(T + "day=1/old", new byte[1]);
    job.task("a", "day=1/0", "day=1/1").commitAndDie(Overwrite.directoriesOfFiles());
    assertThat(data()).containsExactlyInAnyOrder(job.key("day=1/0"), job.key("day=1/1"));
  }

  @Test
  void anotherAttemptThatFailsDoesNotCallOldFilesUndeleted() throws IOException {
    executeAndDie();
    store.faults().fail(RequestType.COMPLETE_UPLOAD, 1, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
    assertThatThrownBy(() -> commit(job, Overwrite.directoriesOfFiles()))
        .isInstanceOf(CommitStateUnknownException.class)
        .message()
        .doesNotContain("no old file was deleted", "0 of its 2 files are visible");
  }

  @Test
  void aRecoveryThatFailsDoesNotCallOldFilesUndeleted() throws IOException {
    executeAndDie();
    for (RequestType failing : List.of(RequestType.COMPLETE_UPLOAD, RequestType.LIST)) {
      store
          .faults()
          .fail(
              failing,
              failing == RequestType.LIST ? 2 : 1,
              Moment.BEFORE_EFFECT,
              Kind.ACCESS_DENIED);
      String message = recover().message();
      assertThat(message)
          .doesNotContain(
              "no old file was deleted",
              "0 of its 2 files are visible",
              "Nothing that it replaces was deleted");
    }
  }

  /** Of an INSERT that has lost a file, and whose partitions have yet to be registered. */
  @Test
  void aNoteThatCannotBeReadDoesNotMakeLostFilesVisible() throws IOException {
    job.task("a", "day=1/0", "day=1/1").decideAndDie(Overwrite.none());
    vanish(job, 1);
    JobEngine ofHive =
        new WithoutMetastore() {
          @Override
          public boolean hasMetastore() {
            return true;
          }
        };
    recovery(ofHive).run(NOW);
    assertThat(state(job.id())).isEqualTo(EntryState.METASTORE_OPEN);
    // The first is the entry, the second its note.
    store.faults().fail(RequestType.GET, 2, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
    String message = recovery(ofHive).run(NOW).get(0).message();
    assertThat(message).contains("ACCESS_DENIED").doesNotContain("All of its files are in place");
  }

  @Test
  void aLostFileDoesNotCallOldFilesUndeleted() throws IOException {
    store = new InMemoryObjectStore("bucket", Variant.aws().withSecondCompleteRefused());
    job = job("job-2");
    executeAndDie();
    store.deleteObjects(List.of(job.key("day=1/0")));
    String message = recovery().resumeAll().get(0).message();
    assertThat(message).doesNotContain("the files that it replaces were not deleted");
  }
}
