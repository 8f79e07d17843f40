package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.log.EndNote;
import io.zerorename.core.log.EntryState;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.parallel.Clock;
import io.zerorename.core.recovery.RecoverEntry.Manner;
import io.zerorename.core.recovery.Recovered;
import io.zerorename.core.recovery.Recovery;
import io.zerorename.core.store.ObjectStore;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.testing.FaultPlan.Moment;
import io.zerorename.testing.ForwardingStore;
import io.zerorename.testing.OpenJobs;
import io.zerorename.testing.Waits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.util.functional.InvocationRaisingIOE;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When files that are missing are lost, and what becomes of a commit that is given up. */
class MissingFilesTest extends TimedCommits {
  private static final Duration SETTLING = Duration.ofMinutes(5);

  /** Between two looks. */
  private static final Duration PAUSE = Duration.ofSeconds(10);

  @BeforeEach
  void settle() throws IOException {
    onAStoreThatCompletesOnce();
    job.settlingFor(SETTLING);
  }

  private TestJob settling(String id) throws IOException {
    return job(id).settlingFor(SETTLING);
  }

  private PendingUpload vanish(int index) {
    return vanish(job, index);
  }

  /** An interrupted commit of one file, whose upload is gone. */
  private PendingUpload lose() throws IOException {
    job.task("a", "day=1/0");
    job.decideAndDie(Overwrite.none());
    return vanish(0);
  }

  /** A recovery that waits in the store's time, while something goes on. */
  private Recovery recovering(InvocationRaisingIOE meanwhile) {
    Clock clock =
        (time, why) -> {
          pass(time, why);
          try {
            meanwhile.apply();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        };
    return new Recovery(stores, job.log(), Waits.in(clock, job.settings()), new Engine());
  }

  /** What a recovery says beside which something happens once, while it waits. */
  private Recovered.Damaged damagedBeside(InvocationRaisingIOE once) throws IOException {
    AtomicBoolean first = new AtomicBoolean(true);
    List<Recovered> results =
        recovering(
                () -> {
                  if (first.getAndSet(false)) {
                    once.apply();
                  }
                })
            .run(NOW);
    assertThat(results).hasExactlyElementsOfTypes(Recovered.Damaged.class);
    return (Recovered.Damaged) results.get(0);
  }

  @Test
  void whatTheStoreIsCompletingIsNotLost() throws IOException {
    job.task("a", "day=1/0");
    job.decideAndDie(Overwrite.none());
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
  void aChainOfOverwritesWithLostFilesIsLeftTogetherAndCompletedByOneRecovery() throws IOException {
    decideChain();
    LogEntry second = job.log().read(2).orElseThrow();
    job.log().mark(second, EntryState.LEFT, EndNote.NOTHING);
    assertThat(recovery().run(NOW))
        .as("the first waits for the second")
        .hasExactlyElementsOfTypes(
            Recovered.Left.class, Recovered.Left.class, Recovered.Completed.class);
    assertThat(recovery().run(Duration.ZERO, Manner.BY_OPERATOR))
        .hasExactlyElementsOfTypes(Recovered.Completed.class, Recovered.Completed.class);
    assertThat(OpenJobs.of(recovery())).isEmpty();
  }

  /** The first loses its file to the second, which loses its own to the third. */
  private TestJob decideChain() throws IOException {
    job.task("a", "day=1/0").task("b", "day=3/0");
    job.decideAndDie(Overwrite.directoriesOfFiles());
    TestJob second = settling("job-2").task("a", "day=1/0", "day=2/0");
    second.decideAndDie(Overwrite.directoriesOfFiles());
    TestJob last = settling("job-3").task("a", "day=2/0");
    last.decideAndDie(Overwrite.directoriesOfFiles());
    vanish(0);
    vanish(second, 1);
    return last;
  }

  @Test
  void whatAnotherProcessHasEndedAsDamagedMeanwhileIsNotCalledComplete() throws IOException {
    PendingUpload lost = lose();
    Recovered.Damaged damaged =
        damagedBeside(() -> assertThat(recover()).isInstanceOf(Recovered.Damaged.class));
    assertThat(damaged.state().isEnded()).isTrue();
    assertThat(damaged.lost()).containsExactly(lost.destination());
  }

  /** Its log is deleted by hand meanwhile, and the next job gets its number. */
  @Test
  void theEndOfAnotherEntryOfItsNumberIsNotItsOwn() throws IOException {
    PendingUpload lost = lose();
    Recovered.Damaged damaged =
        damagedBeside(
            () -> {
              store.deleteObjects(
                  store.keys().stream().filter(it -> it.contains("/log/")).toList());
              assertThat(insert(job("job-2").task("a", "day=2/0")).entry().number()).isOne();
            });
    assertThat(damaged.lost()).containsExactly(lost.destination());
    assertThat(state("job-2")).isEqualTo(EntryState.COMPLETE);
  }

  /** Readers have nothing else before the later one has its files. */
  @Test
  void whatAnOverwriteReplacesStaysUntilALaterOneThatReplacesItsLostFilesHasEnded()
      throws IOException {
    store.plant(T + "day=1/old", new byte[1]);
    job.settlingFor(Duration.ZERO).task("a", "day=1/0");
    job.decideAndDie(Overwrite.directoriesOfFiles());
    vanish(0);
    TestJob later = job("job-2").task("a", "day=1/0");
    later.decideAndDie(Overwrite.directoriesOfFiles());
    // One is of the first entry, before the time of a Complete.
    store.faults().fail(RequestType.COMPLETE_UPLOAD, 2, Moment.BEFORE_EFFECT, Kind.REJECTED);
    assertThat(recovery().run(NOW))
        .hasExactlyElementsOfTypes(Recovered.Behind.class, Recovered.Failed.class)
        .first()
        .extracting(Recovered::message)
        .asString()
        .contains("a later overwrite that replaces them has to be completed before it");
    assertThat(data()).containsExactly(T + "day=1/old");
    store.faults().clear();
    assertThat(recovery().run(NOW))
        .as("the later one has superseded it")
        .hasExactlyElementsOfTypes(Recovered.Completed.class);
    assertThat(data()).containsExactly(later.key("day=1/0"));
    assertThat(recovery().run(NOW)).isEmpty();
  }

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
}
