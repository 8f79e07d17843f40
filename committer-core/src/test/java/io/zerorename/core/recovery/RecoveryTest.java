package io.zerorename.core.recovery;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.core.commit.OpenCommit;
import io.zerorename.core.commit.Overwrite;
import io.zerorename.core.commit.TestJob;
import io.zerorename.core.commit.TimedCommits;
import io.zerorename.core.log.EndNote;
import io.zerorename.core.log.EntryState;
import io.zerorename.core.log.LogTail;
import io.zerorename.core.log.OldObject;
import io.zerorename.core.recovery.RecoverEntry.Manner;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.ObjectSummary;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.testing.OpenJobs;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.functional.RemoteIterators;
import org.junit.jupiter.api.Test;

/** What is made of entries that other processes have not executed to their end. */
class RecoveryTest extends TimedCommits {
  private static final Path DAY_1 = new Path(TestJob.TABLE, "day=1");

  @Test
  void whereNothingIsOpenItCostsOneListing() throws IOException {
    job.task("a", "day=1/0").insert();
    store.resetCounts();
    assertThat(recovery().run(NOW)).isEmpty();
    assertThat(store.requests()).isEqualTo(Map.of(RequestType.LIST, 1L));
  }

  @Test
  void anInterruptedEntryIsCompleted() throws IOException {
    store.plant(T + "day=1/old", new byte[1]);
    store.plant(T + "day=2/old", new byte[1]);
    job.task("a", "day=1/0", "day=1/1").losingTask("b", "day=1/9");
    job.decideAndDie(Overwrite.directoriesOfFiles());
    assertThat(OpenJobs.of(recovery())).containsExactly(job.id());
    assertThat(state(job.id())).isEqualTo(EntryState.OPEN);

    assertThat(recovery().run(NOW))
        .singleElement()
        .isInstanceOfSatisfying(
            Recovered.Completed.class,
            completed -> {
              assertThat(completed.number()).isEqualTo(1);
              assertThat(completed.jobId()).isEqualTo(job.id());
              assertThat(completed.plan().fileCount()).isEqualTo(2);
              assertThat(completed.message())
                  .contains(
                      "INSERT into db.t was committed as entry 1 and interrupted",
                      "files: 2, replaced: 1");
            });
    assertThat(data())
        .containsExactlyInAnyOrder(job.key("day=1/0"), job.key("day=1/1"), T + "day=2/old");
    assertThat(store.pendingKeys()).isEmpty();
    assertThat(ended).hasSize(1);
    LogTail tail = job.log().tailDownTo(1);
    assertThat(tail.isEnded(1)).isTrue();
    assertThat(job.log().notes(1, tail)).containsExactly(new EndNote(2, 14, 1, List.of()));
    assertThat(state(job.id())).isEqualTo(EntryState.COMPLETE);
    assertThat(OpenJobs.of(recovery())).isEmpty();
    assertThat(recovery().run(NOW)).isEmpty();
  }

  @Test
  void whatIsSupersededOnTheWayIsSuccess() throws IOException {
    onAStoreThatCompletesOnce();
    job.settlingFor(Duration.ofMinutes(4))
        .task("a", "day=1/0", "day=2/0")
        .decideAndDie(Overwrite.none());
    TestJob second = job("job-2").task("a", "day=1/0");
    second.commit(Overwrite.directoriesOfFiles());
    assertThat(recover()).isInstanceOf(Recovered.Completed.class);
    assertThat(waited).as("the second has settled its file").isZero();
    assertThat(data()).containsExactly(second.key("day=1/0"), job.key("day=2/0"));
    assertThat(ended).hasSize(1);
  }

  @Test
  void whoCannotRegisterPartitionsLeavesThemToHive() throws IOException {
    job.smallTask("a", "day=1/0");
    job.decideAndDie(Overwrite.none());
    JobEngine withoutMetastore = new OfAnother();
    for (int run = 0; run < 2; run++) {
      assertThat(recovery(withoutMetastore).run(NOW))
          .singleElement()
          .isInstanceOfSatisfying(
              Recovered.MetastoreOpen.class,
              open ->
                  assertThat(open.message())
                      .contains("All files (1) of INSERT into db.t (entry 1) are in place"));
    }
    assertThat(data()).hasSize(1);
    assertThat(state(job.id())).isEqualTo(EntryState.METASTORE_OPEN);
    assertThat(OpenJobs.of(recovery())).containsExactly(job.id());
    assertThat(job.log().tail().highest()).as("nothing is left for it to do").isEqualTo(1);
    // Days later, after the rows were removed.
    store.deleteObjects(data());
    store.pass(Duration.ofDays(3));

    assertThat(recovery(new OfHive()).run(NOW))
        .hasExactlyElementsOfTypes(Recovered.Completed.class);
    assertThat(ended).hasSize(1);
    assertThat(data()).isEmpty();
    assertThat(state(job.id())).isEqualTo(EntryState.COMPLETE);
    assertThat(OpenJobs.of(recovery())).isEmpty();
  }

  /** The files that are not lost are visible, so that their partitions must be known. */
  @Test
  void soDoesWhoFindsThatFilesAreLost() throws IOException {
    job.task("a", "day=1/0", "day=1/1").decideAndDie(Overwrite.none());
    PendingUpload lost = vanish(job, 1);
    for (int run = 0; run < 2; run++) {
      assertThat(recovery(new OfAnother()).run(NOW))
          .singleElement()
          .isInstanceOfSatisfying(
              Recovered.Damaged.class,
              damaged -> {
                assertThat(damaged.lost()).containsExactly(lost.destination());
                assertThat(damaged.state().isEnded()).isFalse();
                assertThat(damaged.message())
                    .contains("All others are visible. The next INSERT into that table registers");
              });
    }
    assertThat(state(job.id())).isEqualTo(EntryState.METASTORE_OPEN);
    assertThat(recovery(new OfAnother()).run(Duration.ZERO, Manner.GIVING_UP))
        .as("nothing is left to give up")
        .hasExactlyElementsOfTypes(Recovered.Damaged.class);
    assertThat(state(job.id())).isEqualTo(EntryState.METASTORE_OPEN);

    assertThat(recovery(new OfHive()).run(NOW)).hasExactlyElementsOfTypes(Recovered.Damaged.class);
    assertThat(ended).hasSize(1);
    assertThat(state(job.id())).isEqualTo(EntryState.DAMAGED);
    assertThat(lost(1)).containsExactly(lost.destination());
    assertThat(OpenJobs.of(recovery())).isEmpty();
  }

  /** What is visible of an overwrite that was given up is in partitions that Hive must know. */
  @Test
  void soDoesWhoGivesUp() throws IOException {
    store.plant(T + "day=1/old", new byte[1]);
    job.task("a", "day=1/0", "day=2/0").decideAndDie(Overwrite.directoriesOfFiles());
    PendingUpload lost = vanish(job, 1);
    complete(upload(job, 0));
    for (int run = 0; run < 2; run++) {
      assertThat(recovery(new OfAnother()).giveUp(job.id()))
          .get()
          .isInstanceOfSatisfying(
              Recovered.Damaged.class,
              damaged -> assertThat(damaged.lost()).containsExactly(lost.destination()));
      assertThat(state(job.id())).isEqualTo(EntryState.METASTORE_OPEN);
      assertThat(data()).as("the old one is deleted").containsExactly(job.key("day=1/0"));
    }

    assertThat(recovery(new OfHive()).run(NOW)).hasExactlyElementsOfTypes(Recovered.GivenUp.class);
    assertThat(ended).hasSize(1);
    assertThat(state(job.id())).isEqualTo(EntryState.DAMAGED);
    assertThat(lost(1)).containsExactly(lost.destination());
  }

  /** It leaves what only Hive can do. */
  private final class OfAnother extends Engine {
    @Override
    public boolean afterFiles(OpenCommit commit) {
      return false;
    }
  }

  @Test
  void whatALaterEntryReplacesIsNotRegistered() throws IOException {
    job.task("a", "day=1/0", "day=2/0").decideAndDie(Overwrite.none());
    job("job-2").task("a", "day=2/0").commit(Overwrite.directoriesOfFiles());
    List<Path> registered = new ArrayList<>();
    JobEngine engine =
        new Engine() {
          @Override
          public boolean afterFiles(OpenCommit commit) throws IOException {
            Predicate<Path> later = commit.replacedLater();
            RemoteIterators.foreach(
                commit.plan().uploads(),
                file -> {
                  if (!later.test(file.destination().getParent())) {
                    registered.add(file.destination().getParent());
                  }
                });
            return true;
          }
        };
    recovery(engine).run(NOW);
    assertThat(registered).containsExactly(DAY_1);
  }

  @Test
  void aProcessThatMayBeAliveIsLeftToItsWork() throws IOException {
    job.task("a", "day=1/0").decideAndDie(Overwrite.none());
    assertThat(recovery().run(Duration.ofMinutes(1)))
        .singleElement()
        .isInstanceOfSatisfying(
            Recovered.UnderWay.class, underWay -> assertThat(underWay.number()).isEqualTo(1));
    assertThat(data()).isEmpty();
    store.pass(Duration.ofMinutes(2));
    assertThat(recovery().run(Duration.ofMinutes(1)))
        .hasExactlyElementsOfTypes(Recovered.Completed.class);
  }

  @Test
  void newObjectsOfAForeignWriterLeaveItToAnOperator() throws IOException {
    store.plant(T + "day=1/old", new byte[1]);
    job.task("a", "day=1/0").decideAndDie(Overwrite.directoriesOfFiles());
    store.pass(Duration.ofMinutes(1));
    store.plant(T + "day=1/compacted", new byte[1]);
    for (int run = 0; run < 2; run++) {
      assertThat(recover())
          .isInstanceOfSatisfying(
              Recovered.Left.class,
              left ->
                  assertThat(left.message())
                      .contains(
                          "INSERT into db.t was committed as entry 1 and interrupted",
                          "not completed automatically",
                          "Look at the data, then run: zerorename recover " + TestJob.TABLE));
    }
    assertThat(data()).containsExactly(T + "day=1/compacted", T + "day=1/old");
    assertThat(job.log().tail().highest()).isEqualTo(1);
    assertThat(state(job.id())).isEqualTo(EntryState.LEFT);
    assertThat(OpenJobs.of(recovery())).containsExactly(job.id());

    assertThat(recovery().run(Duration.ZERO, Manner.BY_OPERATOR))
        .hasExactlyElementsOfTypes(Recovered.Completed.class);
    assertThat(data()).containsExactly(job.key("day=1/0"), T + "day=1/compacted");
  }

  @Test
  void oldObjectsThatAForeignWriterHasRemovedLeaveItToAnOperator() throws IOException {
    store.plant(T + "day=1/old", new byte[1]);
    job.task("a", "day=1/0").decideAndDie(Overwrite.directoriesOfFiles());
    store.deleteObjects(List.of(T + "day=1/old"));
    assertThat(recover()).isInstanceOf(Recovered.Left.class);
    assertThat(data()).isEmpty();
    assertThat(recovery().giveUp(job.id()).orElseThrow()).isInstanceOf(Recovered.GivenUp.class);
    assertThat(data()).isEmpty();
    assertThat(store.pendingKeys()).isEmpty();
  }

  @Test
  void whatAnotherReleaseHasWrittenIsLeftToIt() throws IOException {
    job.task("a", "day=1/0").decideAndDie(Overwrite.none());
    String key = ObjectKeys.prefixOf(TestJob.LOG) + "log/_999999999998";
    String text = new String(store.content(key), UTF_8);
    store.plant(key, text.replace("\"version\":7", "\"version\":9").getBytes(UTF_8));
    assertThat(recovery().run(Duration.ZERO, Manner.GIVING_UP))
        .singleElement()
        .isInstanceOfSatisfying(
            Recovered.Failed.class, failed -> assertThat(failed.isUnreadable()).isFalse());
    assertThat(job.log().tail().open()).containsExactly(1L);
    store.plant(key, text.getBytes(UTF_8));
    assertThat(recover()).isInstanceOf(Recovered.Completed.class);
  }

  @Test
  void theSingleObjectsThatAnAddNamesAreDeleted() throws IOException {
    store.plant(T + "day=1/foreign", new byte[1]);
    ObjectSummary foreign = store.listObjects(T + "day=1/").next();
    store.plant(T + "day=1/later", new byte[1]);
    OldObject old =
        new OldObject(
            new Path("s3a://bucket/"), foreign.key(), foreign.etag(), foreign.lastModified());
    job.task("a", "day=1/0").decideAndDie(Overwrite.objects(List.of(old)));

    recovery().run(NOW);

    assertThat(store.keys())
        .contains(job.key("day=1/0"), T + "day=1/later")
        .doesNotContain(foreign.key());
  }
}
