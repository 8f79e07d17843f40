package io.zerorename.core.commit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.commit.CommitRequest.Committer;
import io.zerorename.core.log.EntryState;
import io.zerorename.core.log.OldObject;
import io.zerorename.core.log.OutputJob;
import io.zerorename.core.log.PlanWriter;
import io.zerorename.core.recovery.RecoverEntry.Manner;
import io.zerorename.core.recovery.Recovered;
import io.zerorename.core.store.ObjectKeys;
import io.zerorename.core.store.RepeatableBody;
import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException;
import io.zerorename.core.upload.OutputFile;
import io.zerorename.core.upload.PendingUpload;
import io.zerorename.testing.Decisions;
import io.zerorename.testing.FaultPlan;
import io.zerorename.testing.OpenJobs;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

/** Interrupted commits of which files are lost, or whose records are not what was written. */
class UnrecoverableCommitTest extends TimedCommits {
  private static final String FIRST = ObjectKeys.prefixOf(TestJob.LOG) + "log/_999999999998";

  @Test
  void lostFilesAreToldOthersAreVisibleAndLaterJobsGoOn() throws IOException {
    store.plant(T + "day=1/old", new byte[1]);
    job.task("a", "day=1/0", "day=1/1", "day=1/2");
    job.decideAndDie(Overwrite.directoriesOfFiles());
    PendingUpload lost = vanish(job, 1);

    for (int run = 0; run < 2; run++) {
      assertThat(recover())
          .isInstanceOfSatisfying(
              Recovered.Damaged.class,
              damaged -> {
                assertThat(damaged.lost()).containsExactly(lost.destination());
                assertThat(damaged.state().isEnded()).isFalse();
                assertThat(damaged.message())
                    .contains(
                        "INSERT into db.t (entry 1) has lost files (1)",
                        "The first is " + lost.destination() + ".",
                        "this attempt did not delete the files that it replaces",
                        "--give-up");
              });
      assertThat(data())
          .containsExactlyInAnyOrder(T + "day=1/old", job.key("day=1/0"), job.key("day=1/2"));
    }
    TestJob later = job("job-2").task("a", "day=1/7");
    later.insert();
    assertThat(data()).contains(later.key("day=1/7"), T + "day=1/old");

    assertThat(recovery().run(Duration.ZERO, Manner.GIVING_UP))
        .hasExactlyElementsOfTypes(Recovered.GivenUp.class);
    assertThat(recovery().run(NOW)).isEmpty();
    assertThat(data())
        .as("the old file goes, what was added since stays")
        .containsExactlyInAnyOrder(job.key("day=1/0"), job.key("day=1/2"), later.key("day=1/7"));
  }

  /** Ceph and moto answer a Complete of an upload that is over with HTTP 500. */
  @Test
  void aFileIsLostWhereTheStoreFailsAtItsCompleteForEver() throws IOException {
    job.task("a", "day=1/0");
    job.decideAndDie(Overwrite.none());
    PendingUpload lost = vanish(job, 0);
    store
        .faults()
        .failFrom(
            RequestType.COMPLETE_UPLOAD,
            1,
            FaultPlan.Moment.BEFORE_EFFECT,
            StoreException.Kind.AMBIGUOUS);
    assertThat(recover())
        .isInstanceOfSatisfying(
            Recovered.Damaged.class,
            damaged -> assertThat(damaged.lost()).containsExactly(lost.destination()));
  }

  /** A process that dies before it has registered them leaves that to the next. */
  @Test
  void aDamagedInsertOfATableEndsWhenItsPartitionsAreRegistered() throws IOException {
    job.task("a", "day=1/0", "day=1/1");
    PendingUpload lost = upload(job, 1);
    CommitRequest ofTable =
        job.insertBy(Committer.WITH_METASTORE, () -> store.loseUpload(lost.key(), lost.uploadId()));
    assertThatThrownBy(() -> job.sleeping(this::pass).commit(ofTable))
        .isInstanceOfSatisfying(
            CommitDamagedException.class,
            damage -> {
              assertThat(damage.executed()).isPresent();
              assertThat(damage).hasMessageContaining(lost.destination().toString());
            });
    assertThat(state(job.id())).isEqualTo(EntryState.METASTORE_OPEN);
    assertThat(lost(1)).containsExactly(lost.destination());

    assertThatThrownBy(() -> job.sleeping(this::pass).commit(ofTable))
        .as("by another attempt, which registers them")
        .isInstanceOfSatisfying(
            CommitDamagedException.class,
            damage ->
                assertThatCode(damage.executed().orElseThrow()::end).doesNotThrowAnyException());
    assertThat(state(job.id())).isEqualTo(EntryState.DAMAGED);
    assertThat(data()).containsExactly(job.key("day=1/0"));
  }

  @Test
  void aDamagedOverwriteIsTriedByAnOperatorOnly() throws IOException {
    onAStoreThatCompletesOnce();
    store.plant(T + "day=1/old", new byte[1]);
    job = job("job-2").task("a", "day=1/0", "day=1/1");
    job.decideAndDie(Overwrite.directoriesOfFiles());
    PendingUpload lost = vanish(job, 0);
    assertThat(recover()).isInstanceOf(Recovered.Damaged.class);
    store.resetCounts();
    assertThat(recover()).isInstanceOf(Recovered.Damaged.class);
    assertThat(store.requests()).containsOnlyKeys(RequestType.LIST, RequestType.GET);

    // Somebody has brought the object back.
    store.putObject(
        lost.key(),
        RepeatableBody.of("day=1/0".getBytes(UTF_8)),
        Map.of(OutputFile.IDENTITY_METADATA, lost.identity()));
    assertThat(recovery().run(Duration.ZERO, Manner.BY_OPERATOR))
        .hasExactlyElementsOfTypes(Recovered.Completed.class);
    assertThat(recovery().run(NOW)).isEmpty();
    assertThat(data()).hasSize(2).doesNotContain(T + "day=1/old");
  }

  private void plant(OutputJob elsewhere, OldObject old) throws IOException {
    PlanWriter writer = job.log().newPlan(elsewhere);
    writer.replace(old);
    writer.writeRest();
    Decisions.decide(
        job.log(), writer.draft(List.of(), elsewhere.roots(), new TreeSet<>()), job.log().tail());
  }

  private static OldObject secret() {
    return new OldObject(
        new Path("s3a://bucket/"), "warehouse/other/secret", "\"e\"", Instant.EPOCH);
  }

  @Test
  void aPlanThatNamesAnotherDirectoryIsRefusedAlsoWhereItIsGivenUp() throws IOException {
    store.plant("warehouse/other/secret", new byte[1]);
    plant(
        new OutputJob("planted", "planted", List.of(new Path("s3a://bucket/warehouse/other"))),
        secret());
    assertThat(recover())
        .isInstanceOfSatisfying(
            Recovered.Failed.class,
            failed -> {
              assertThat(failed.isUnreadable()).isFalse();
              assertThat(failed.message())
                  .contains("s3a://bucket/warehouse/other", "may not write");
            });
    assertThat(store.keys()).contains("warehouse/other/secret");
    assertThat(recovery().giveUp("planted").orElseThrow()).isInstanceOf(Recovered.Failed.class);
    assertThat(store.keys()).contains("warehouse/other/secret");
  }

  @Test
  void aPlanThatDeletesOutsideOfItsJobsDirectoriesIsTakenForDamaged() throws IOException {
    store.plant("warehouse/other/secret", new byte[1]);
    plant(new OutputJob("planted", "planted", List.of(TestJob.TABLE)), secret());
    assertThat(recover())
        .isInstanceOfSatisfying(
            Recovered.Failed.class,
            failed -> {
              assertThat(failed.isUnreadable()).isTrue();
              assertThat(failed.message()).contains("wants to delete");
            });
    recovery().run(Duration.ZERO, Manner.GIVING_UP);
    store.pass(Duration.ofMinutes(22));
    assertThat(recovery().run(Duration.ZERO, Manner.GIVING_UP))
        .hasExactlyElementsOfTypes(Recovered.GivenUp.class);
    assertThat(recovery().run(NOW)).isEmpty();
    assertThat(store.keys()).contains("warehouse/other/secret");
  }

  @Test
  void oneThatCannotBeUnderstoodDoesNotKeepTheOthersBack() throws IOException {
    TestJob good = job("job-2").task("a", "day=1/0");
    job.task("a", "day=2/0");
    job.decideAndDie(Overwrite.none());
    good.decideAndDie(Overwrite.none());
    store.plant(FIRST, "{\"vers".getBytes(UTF_8));
    assertThat(recovery().run(NOW))
        .hasExactlyElementsOfTypes(Recovered.Failed.class, Recovered.Completed.class)
        .first()
        .isInstanceOfSatisfying(
            Recovered.Failed.class,
            failed -> {
              assertThat(failed.isUnreadable()).isTrue();
              assertThat(failed.number()).isEqualTo(1);
              assertThat(failed.jobId()).isEmpty();
              assertThat(failed.message()).contains(FIRST);
            });
    assertThat(data()).containsExactly(good.key("day=1/0"));
    assertThat(job.log().tail().open()).containsExactly(1L);
  }

  /** It may be the one that has decided that very job. */
  @Test
  void whileAnEntryCannotBeReadNoJobIsDecidedAndItCanBeGivenUp() throws IOException {
    job.task("a", "day=2/0").decideAndDie(Overwrite.none());
    store.plant(FIRST, new byte[0]);
    TestJob next = job("job-2").task("a", "day=1/0");
    assertThatThrownBy(next::insert)
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining(FIRST);
    assertThat(data()).isEmpty();
    assertThat(job.log().tail().highest()).isEqualTo(1);

    recovery().run(Duration.ZERO, Manner.GIVING_UP);
    store.pass(Duration.ofMinutes(22));
    assertThat(recovery().run(Duration.ZERO, Manner.GIVING_UP))
        .hasExactlyElementsOfTypes(Recovered.GivenUp.class)
        .last()
        .isEqualTo(new Recovered.GivenUp(1, "", List.of()));
    assertThat(job.log().tailDownTo(1).state(1)).isEqualTo(EntryState.DAMAGED);
    next.insert();
    assertThat(data()).containsExactly(next.key("day=1/0"));
    assertThat(OpenJobs.of(recovery())).isEmpty();
  }

  @Test
  void anEntryWhosePlanIsGoneIsGivenUpWhenNoProcessCanExecuteIt() throws IOException {
    job.smallTask("a", IntStream.range(0, 1_001).mapToObj(i -> "day=1/" + i).toArray(String[]::new))
        .task("b", "day=2/0");
    job.decideAndDie(Overwrite.none());
    store.deleteObjects(store.keys().stream().filter(key -> key.contains("/parts/")).toList());
    assertThat(recover())
        .isInstanceOfSatisfying(
            Recovered.Failed.class,
            failed -> {
              assertThat(failed.isUnreadable()).isTrue();
              assertThat(failed.message())
                  .contains("is gone: something deletes the committer's records");
            });
    assertThat(data()).isEmpty();
    assertThat(store.pendingKeys()).hasSize(1_002);
    assertThat(job.isCommitted()).isTrue();

    // However old it is: any process may have begun to execute it, with the plan in memory.
    store.pass(Duration.ofMinutes(40));
    assertThat(recovery().giveUp(job.id()).orElseThrow())
        .isInstanceOfSatisfying(
            Recovered.Failed.class, failed -> assertThat(failed.message()).contains("22 minutes"));
    assertThat(recovery().run(Duration.ZERO, Manner.GIVING_UP))
        .hasExactlyElementsOfTypes(Recovered.Failed.class);
    assertThat(OpenJobs.of(recovery())).containsExactly(job.id());
    store.pass(Duration.ofMinutes(20));
    assertThat(recovery().giveUp(job.id()).orElseThrow()).isInstanceOf(Recovered.Failed.class);
    store.pass(Duration.ofMinutes(2));
    assertThat(recovery().giveUp(job.id())).contains(new Recovered.GivenUp(1, job.id(), List.of()));
  }
}
