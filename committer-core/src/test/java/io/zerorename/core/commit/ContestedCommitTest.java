package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.commit.CommitRequest.Committer;
import io.zerorename.core.job.ManifestSource;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.log.OpenEntry;
import io.zerorename.core.recovery.Recovered;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.testing.FaultPlan.Moment;
import io.zerorename.testing.ForwardingStore;
import io.zerorename.testing.Manifests;
import io.zerorename.testing.Requests;
import io.zerorename.testing.Waits;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.util.functional.InvocationRaisingIOE;
import org.junit.jupiter.api.Test;

/** Commits on which two processes work that do not know of each other. */
class ContestedCommitTest extends TimedCommits {
  private CommitRequest plainRequest(InvocationRaisingIOE before) throws IOException {
    return job.withPlainNames().insertBy(Committer.SOLE, before);
  }

  /** Decides a job of plain names as a process does that dies then. */
  private List<PendingUpload> decidePlainAndDie() throws IOException {
    assertThatThrownBy(
            () -> {
              store
                  .faults()
                  .failFrom(
                      RequestType.COMPLETE_UPLOAD, 1, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
              job.commit(plainRequest(() -> {}));
            })
        .isInstanceOf(CommitStateUnknownException.class);
    store.faults().clear();
    return job.chosen().get(0).uploads();
  }

  @Test
  void aSleeperWhoseJobWasCommittedMeanwhileIsNotToldToRunItAgain() throws IOException {
    job.task("a", "day=1/0");
    CommitReport report =
        job.commit(
            Overwrite.none(),
            () -> {
              store.pass(Duration.ofHours(25));
              insert(job);
            });
    assertThat(report.made().files()).isEqualTo(1);
    assertThat(data()).containsExactly(job.key("day=1/0"));
  }

  /** To run it again would add its rows twice. */
  @Test
  void aSleeperWhoseRequestTookEffectUnnoticedIsNotToldToRunItAgain() throws IOException {
    job.task("a", "day=1/0");
    AtomicReference<RepeatableBody> sent = new AtomicReference<>();
    ObjectStore slow =
        new ForwardingStore(store) {
          @Override
          public String putObjectIfAbsent(
              String key, RepeatableBody body, Map<String, String> metadata) throws IOException {
            sent.set(body);
            throw new StoreException(Kind.AMBIGUOUS, "the store gave no answer");
          }

          @Override
          public byte[] getObject(String key) throws IOException {
            try {
              return super.getObject(key);
            } catch (StoreException e) {
              store.putObjectIfAbsent(key, sent.get(), Map.of());
              ContestedCommitTest.this.store.pass(Duration.ofHours(25));
              throw e;
            }
          }
        };
    TestJob sleeper = job.through(path -> path.equals(TestJob.LOG) ? slow : store);
    assertThatThrownBy(() -> sleeper.commit(Overwrite.none(), () -> {}))
        .isInstanceOf(CommitStateUnknownException.class)
        .hasMessageContaining("the store gave no answer")
        .hasMessageContaining("Do not run it again before this is settled")
        .hasMessageNotContainingAny("not committed", "; run it again");
    assertThat(recover()).isInstanceOf(Recovered.Completed.class);
    assertThat(data()).containsExactly(job.key("day=1/0"));
  }

  @Test
  void whoPausedBeforeItCompletesPlainNamesLooksForFilesOfOthers() throws IOException {
    job.task("a", "part-0", "part-1");
    List<PendingUpload> uploads = decidePlainAndDie();
    LogEntry own = job.log().read(1).orElseThrow();
    PendingUpload last = uploads.get(1);
    store.plant(last.key(), new byte[1]);
    EntryExecutor sleeper =
        new EntryExecutor(
            store,
            new OpenEntry(job.log(), own, job.log().plan(own)),
            Waits.in(this::pass, job.settings()));
    assertThatThrownBy(() -> sleeper.run(job.log().tail(), false))
        .hasMessageContaining("another program has written " + last.destination());
    assertThat(store.content(last.key())).hasSize(1);
    assertThat(store.pendingKeys()).containsExactly(last.key());
  }

  /** An earlier decision about it may have been deleted from the log. */
  @Test
  void aJobThatIsOlderThanWhatTheLogKeepsIsNotDecided() throws IOException {
    job.task("a", "day=1/0");
    CommitRequest request =
        Requests.of(
            job.outputJob(),
            Manifests.of(job.chosen()),
            Overwrite.none(),
            Optional.of(Instant.now().minus(Duration.ofDays(7))));
    assertThatThrownBy(() -> job.commit(request))
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("this attempt committed nothing and deleted nothing. It began at ")
        .hasMessageContaining("Look for its rows in " + TestJob.TABLE)
        .hasMessageEndingWith("Only if they are absent, run it again as a new job.")
        .hasMessageNotContaining("Nothing of it is visible");
    assertThat(job.isDecided()).isFalse();
    assertThat(data()).isEmpty();
  }

  /** As of two sinks of a DAG that have one directory. */
  @Test
  void ofTwoCommittersOfOneJobTheSlowerTakesTheFastersFilesForItsOwn() throws IOException {
    job.task("a", "part-0").smallTask("b", "part-1");
    AtomicReference<CommitReport> faster = new AtomicReference<>();
    CommitReport slower =
        job.commit(plainRequest(() -> faster.set(job.commit(plainRequest(() -> {})))));
    assertThat(faster.get().made().files()).isEqualTo(2);
    assertThat(slower.made().files()).isEqualTo(2);
    assertThat(slower.decidedBefore()).isTrue();
    assertThat(data()).containsExactlyInAnyOrder(job.key("part-0"), job.key("part-1"));
    assertThat(store.pendingKeys()).isEmpty();
    assertThat(job.log().tail().highest()).isEqualTo(1);
    assertThat(store.keys())
        .as("its own plan is dropped")
        .noneMatch(key -> key.contains("/parts/"));
  }

  @Test
  void aJobThatIsAbortedMeanwhileDoesNotFailOneOfPlainNames() throws IOException {
    job.task("a", "part-0");
    TestJob other = job("job-2").task("a", "part-0");

    CommitReport report = job.commit(plainRequest(() -> other.abort()));

    assertThat(report.made().files()).isEqualTo(1);
    assertThat(job.number()).isEqualTo(2);
    assertThat(data()).containsExactly(job.key("part-0"));
  }

  /** A commit that finds its uploads gone when it looks before its decision. */
  private CommitRequest whileReadingManifests(InvocationRaisingIOE meanwhile) throws IOException {
    int[] reads = {0};
    ManifestSource all = Manifests.of(job.chosen());
    return job.insertBy(
        Committer.ONE_OF_SEVERAL,
        (workers, action) -> {
          if (reads[0]++ == 0) {
            meanwhile.apply();
          }
          all.forEach(workers, action);
        },
        () -> {});
  }

  @Test
  void ofTwoCommittersOfOneJobTheSlowerTakesUploadsThatTheFasterHasCompletedForCommitted()
      throws IOException {
    job.task("a", "part-0");

    CommitReport slower = job.commit(whileReadingManifests(() -> job.insert()));

    assertThat(slower.decidedBefore()).isTrue();
    assertThat(store.keys()).contains(job.key("part-0"));
  }

  @Test
  void whereTheLogCannotBeReadOnlyASoleCommitterHasSurelyNotCommitted() throws IOException {
    job.task("a", "part-0");
    store.faults().failFrom(RequestType.LIST, 1, Moment.BEFORE_EFFECT, Kind.AMBIGUOUS);

    assertThatThrownBy(() -> job.commit(job.insertBy(Committer.ONE_OF_SEVERAL, () -> {})))
        .isInstanceOf(CommitStateUnknownException.class)
        .hasMessageContaining("Do not run it again before this is settled");
    assertThatThrownBy(() -> job.commit(job.insertBy(Committer.SOLE, () -> {})))
        .isInstanceOf(CommitFailedException.class);
  }

  /** Something before the store repeats a request by itself, and the second one is refused. */
  @Test
  void anEntryThatTheStoreHasRefusedMayBeThere() throws IOException {
    job.smallTask("a", "day=2/0");
    store.faults().fail(RequestType.PUT, 1, Moment.AFTER_EFFECT, Kind.ACCESS_DENIED);

    CommitReport report = job.commit(Overwrite.none());

    assertThat(report.decidedBefore()).as("it has found its own entry").isTrue();
    assertThat(data()).contains(job.key("day=2/0"));
  }
}
