package io.zerorename.core.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.log.EndNote;
import io.zerorename.core.log.EntryState;
import io.zerorename.core.log.LogEntry;
import io.zerorename.core.recovery.RecoverEntry.Manner;
import io.zerorename.core.recovery.Recovered;
import io.zerorename.core.recovery.Recovery;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.testing.FaultPlan.Moment;
import io.zerorename.testing.OpenJobs;
import io.zerorename.testing.Waits;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** When files that are missing are lost. */
class MissingFilesTest extends CommitsWithMissingFiles {
  private Recovery recovering(Meanwhile meanwhile) {
    return new Recovery(stores, job.log(), Waits.in(and(meanwhile), job.settings()), new Engine());
  }

  /** What a recovery says beside which something happens once, while it waits. */
  private Recovered.Damaged damagedBeside(Meanwhile once) throws IOException {
    AtomicBoolean first = new AtomicBoolean(true);
    List<Recovered> results =
        recovering(
                () -> {
                  if (first.getAndSet(false)) {
                    once.run();
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

  /** Each of the first two needs the next one to end before. */
  @Test
  void aChainOfOverwritesWithLostFilesIsCompletedByOneRecovery() throws IOException {
    TestJob last = decideChain();
    assertThat(recovery().run(NOW))
        .hasExactlyElementsOfTypes(
            Recovered.Completed.class, Recovered.Completed.class, Recovered.Completed.class);
    assertThat(data()).contains(last.key("day=2/0"), job.key("day=3/0"));
    assertThat(OpenJobs.of(recovery())).isEmpty();
  }

  @Test
  void anOperatorNeedNotRunItTwiceWhereTheNextOneWasLeft() throws IOException {
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

  @Test
  void whatWasWaitedForIsNotWaitedForAgain() throws IOException {
    job.task("a", "day=1/0", "day=1/1");
    job.decideAndDie(Overwrite.directoriesOfFiles());
    PendingUpload lost = vanish(0);
    assertThat(recover()).isInstanceOf(Recovered.Damaged.class);
    waited = Duration.ZERO;

    assertThat(recovery().run(Duration.ZERO, Manner.GIVING_UP))
        .last()
        .isInstanceOfSatisfying(
            Recovered.GivenUp.class,
            ended -> assertThat(ended.lost()).containsExactly(lost.destination()));
    assertThat(waited).isZero();
    assertThat(data()).containsExactly(job.key("day=1/1"));
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

  /** Another process may be executing its entry, too. */
  @Test
  void itsOwnProcessWaitsBeforeItCallsAFileLost() throws IOException {
    job.task("a", "day=1/0");
    PendingUpload lost = vanishWhenSeen(job, 0);
    assertThatThrownBy(() -> insert(job))
        .isInstanceOfSatisfying(
            CommitDamagedException.class,
            damaged ->
                assertThat(damaged.commit.result().lost()).containsExactly(lost.destination()));
    assertThat(waited).isBetween(SETTLING.minusSeconds(2), SETTLING.plus(PAUSE));
    assertThat(recovery().run(NOW)).as("an insert has ended with that").isEmpty();
  }

  @Test
  void whatAppearsWhileItIsWaitedForIsInPlace() throws IOException {
    PendingUpload late = lose();
    Recovery recovery =
        new Recovery(
            stores,
            job.log(),
            Waits.in(and(() -> appear(late)), job.settings()),
            new WithoutMetastore());
    assertThat(recovery.run(NOW))
        .singleElement()
        .extracting(Recovered::message)
        .asString()
        .contains("All of its files are in place; ");
  }

  /** Neither message calls the lost file visible. */
  @Test
  void whereItsEndCannotBeWrittenTheLostFileIsNotCountedAsVisible() throws IOException {
    job.task("a", "day=1/0", "day=1/1");
    vanishWhenSeen(job, 0);
    // After the plan's entry.
    store.faults().failFrom(RequestType.PUT, 2, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
    assertThatThrownBy(() -> insert(job))
        .hasMessageContaining("ZR-1119: ")
        .hasMessageContaining(
            " 1 of its 2 files are known to be in place; this process has deleted no");
    store.faults().clear();
    // The second one finds the note of the first.
    for (int run = 1; run <= 2; run++) {
      assertThat(recovery(new OfHiveWithoutMetastore()).run(NOW))
          .singleElement()
          .extracting(Recovered::message)
          .asString()
          .endsWith(
              "no metastore. 1 of its 2 files are known to be in place; this process has"
                  + " deleted no old file.");
    }
  }

  private final class OfHiveWithoutMetastore extends WithoutMetastore {
    @Override
    public boolean hasMetastore() {
      return true;
    }
  }

  /** Of an INSERT that has lost a file, and whose partitions have yet to be registered. */
  @Test
  void aNoteThatCannotBeReadDoesNotMakeLostFilesVisible() throws IOException {
    job.task("a", "day=1/0", "day=1/1").decideAndDie(Overwrite.none());
    vanish(1);
    recovery(new OfHiveWithoutMetastore()).run(NOW);
    assertThat(state(job.id())).isEqualTo(EntryState.METASTORE_OPEN);
    // The first is the entry, the second its note.
    store.faults().fail(RequestType.GET, 2, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
    assertThat(recovery(new OfHiveWithoutMetastore()).run(NOW))
        .singleElement()
        .extracting(Recovered::message)
        .asString()
        .contains("ACCESS_DENIED")
        .doesNotContain("All of its files are in place");
  }

  @Test
  void whereVeryManyAreGoneSomeStandForAllUntilTheTimeIsOver() throws IOException {
    int files = 1_000;
    job.task("a", IntStream.range(0, files).mapToObj(i -> "day=1/" + i).toArray(String[]::new));
    job.decideAndDie(Overwrite.none());
    for (int i = 0; i < files; i++) {
      vanish(i);
    }
    store.resetCounts();
    assertThat(recover())
        .isInstanceOfSatisfying(
            Recovered.Damaged.class, damaged -> assertThat(damaged.lost()).hasSize(files));
    assertThat(waited).isGreaterThan(SETTLING.minusSeconds(2));
    assertThat(store.requests()).containsEntry(RequestType.COMPLETE_UPLOAD, (long) files);
    long looks = store.requests().get(RequestType.LIST_PARTS) - files;
    assertThat(looks % 200).isZero();
    assertThat(looks / 200).isBetween(10L, 40L);
  }
}
