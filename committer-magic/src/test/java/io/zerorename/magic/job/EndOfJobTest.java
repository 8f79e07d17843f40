package io.zerorename.magic.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.config.CoreKeys;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.testing.FaultPlan.Moment;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.fs.PathExistsException;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commits and aborts that break off, are repeated, or come from another application master. */
class EndOfJobTest extends SimulatedJobs {
  @Test
  void anAbortThatRacesTheJobsCommitTakesNothingFromIt() throws IOException {
    job.setUp();
    SimulatedJob.Running preempted = job.start(0, 0).upload("part-m-00000");
    preempted.commit();
    job.breakOffBefore(1);
    job.committer().abortTask(preempted.context());
    job.commit();
    assertThat(job.files()).containsExactly("_SUCCESS", "part-m-00000");
  }

  @Test
  void theTasksOfAKilledMasterAreRecovered() throws IOException {
    store.plant("out/old", new byte[1]);
    job.setUp();
    job.task(0, 0, "part-m-00000");
    SimulatedJob.Running unfinished = job.start(1, 0).upload("part-m-00001");
    // Tez may ask for another attempt of the task than the one that has committed.
    job.start(0, 7).upload("part-m-00000");

    job.restarted().setUp();
    job.committer().recoverTask(job.attempt(0, 0));
    job.committer().recoverTask(job.attempt(0, 7));
    assertThatThrownBy(() -> job.committer().recoverTask(unfinished.context()))
        .hasMessageContaining("the task has to run again");
    job.committer().recoverTask(job.attempt(2, 0));
    job.task(1, 1000, "part-m-00001");
    job.commit();
    assertThat(job.files())
        .containsExactly(
            "_SUCCESS", "old", "part-m-00000-" + job.uuid(), "part-m-00001-" + job.uuid());
    assertThat(store.pendingKeys()).isEmpty();
  }

  /** They are deleted when none has come for days. */
  @Test
  void aTaskRunsAgainWhoseRecordsAreGone() throws IOException {
    job.setUp();
    job.task(0, 0, "part-m-00000");
    File records = new File(URI.create(job.conf().get(CoreKeys.WORK_DIR.name())));
    assertThat(FileUtil.fullyDelete(records)).isTrue();

    job.restarted();
    assertTaskRunsAgain();
    // Of another vertex with the same output, where the first one has begun the job.
    assertTaskRunsAgain();
    // That master was killed as well, before it had noted that the task is to run again.
    job.restarted();
    assertTaskRunsAgain();
  }

  @Test
  void aTaskRunsAgainWhoseRecordsOnS3AreGone() throws IOException {
    job.with(CoreKeys.WORK_DIR.name(), "s3a://bucket/records").setUp();
    job.task(0, 0, "part-m-00000");
    store.deleteObjects(store.keys());

    job.restarted();
    assertTaskRunsAgain();
    assertTaskRunsAgain();
  }

  private void assertTaskRunsAgain() throws IOException {
    MagicCommitter committer = job.committer();
    committer.setupJob(job.context());
    assertThatThrownBy(() -> committer.recoverTask(job.attempt(0, 0)))
        .hasMessageContaining("ZR-6103");
  }

  @Test
  void tezMayGiveTheNextMastersAttemptTheIdOfAnEarlierOne() throws IOException {
    store.plant("out/old", new byte[1]);
    job.with("job.committer.uuid", "dag_1700000000000_0001_1").setUp();
    job.task(0, 0, "part-m-00000");
    job.start(1, 0).upload("part-m-00001");

    job.restarted().setUp();
    job.task(0, 0, "part-m-00000");
    job.task(1, 0, "part-m-00001");
    job.commit();

    assertThat(job.files())
        .containsExactly(
            "_SUCCESS", "old", "part-m-00000-" + job.uuid(), "part-m-00001-" + job.uuid());
    assertThat(store.pendingKeys()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"file", "s3a"})
  void aCommitThatBreaksOffAnywhereIsFinishedByTheNextMaster(String records) throws IOException {
    int broken = 0;
    for (int n = 1; ; n++) {
      SimulatedJob breaking = readyToCommit(100 + n, records);
      int before = store.faults().struck();
      store.faults().failAnyFrom(n, Moment.BEFORE_EFFECT, Kind.ACCESS_DENIED);
      boolean failed = commitFails(breaking);
      int struck = store.faults().struck() - before;
      store.faults().clear();
      if (struck == 0) {
        break;
      }
      // A commit of which only the note of its end is missing has not failed.
      assertThat(broken).as("failed before request %s", n).isEqualTo(failed ? n - 1 : broken);
      assertFinishedByTheNextMaster(breaking, n);
      broken += failed ? 1 : 0;
    }
    assertThat(broken)
        .as(
            "the listings of the log, of uploads and of the destination, the entry, three files and"
                + " _SUCCESS; with records on S3 also the job's note, the listing of its two"
                + " manifests, these themselves, the listing of uploads and the deletion of the"
                + " manifests")
        .isEqualTo(records.equals("file") ? 8 : 14);
  }

  @ParameterizedTest
  @ValueSource(strings = {"file", "s3a"})
  void aLostAnswerAnywhereChangesNothing(String records) throws IOException {
    for (int n = 1; ; n++) {
      SimulatedJob job = readyToCommit(100 + n, records);
      int before = store.faults().struck();
      store.faults().failAny(n, Moment.AFTER_EFFECT, Kind.AMBIGUOUS);
      boolean failed = commitFails(job);
      int struck = store.faults().struck() - before;
      store.faults().clear();
      if (failed) {
        assertFinishedByTheNextMaster(job, n);
      } else {
        assertThat(job.files()).containsExactly("_SUCCESS", "a", "b", "c");
        assertThat(store.pendingKeys()).isEmpty();
      }
      if (struck == 0) {
        assertThat(n).isGreaterThan(5);
        break;
      }
    }
  }

  private SimulatedJob readyToCommit(int number, String records) throws IOException {
    store.deleteObjects(store.keys());
    SimulatedJob job =
        new SimulatedJob(store, directory, number)
            .with(MapReduceKeys.CONFLICT_MODE.name(), "fail")
            .withRecordsOn(records)
            .setUp();
    job.task(0, 0, "a", "b");
    job.task(1, 0, "c");
    return job;
  }

  private static boolean commitFails(SimulatedJob job) {
    try {
      job.commit();
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  private void assertFinishedByTheNextMaster(SimulatedJob job, int n) throws IOException {
    job.restarted().setUp();
    job.committer().recoverTask(job.attempt(0, 0));
    job.committer().recoverTask(job.attempt(1, 0));
    job.commit();
    job.commit();
    assertThat(job.files())
        .as("broken at request %s", n)
        .containsExactly("_SUCCESS", "a", "b", "c");
    assertThat(store.pendingKeys()).as("broken at request %s", n).isEmpty();
  }

  /** As MRAppMaster does where it finds no history of its predecessor, or is not to recover. */
  @Test
  void aMasterThatBeginsAnewAbortsBeforeItSetsUpAndRunsAllTasksAgain() throws IOException {
    store.plant("out/old", new byte[1]);
    job.with(MRJobConfig.APPLICATION_ATTEMPT_ID, "1").setUp();
    job.task(0, 0, "a");
    job.start(1, 0).upload("b");

    MagicCommitter second = job.restarted().committer();
    second.abortJob(job.context(), JobStatus.State.FAILED);
    second.setupJob(job.context());
    job.task(0, 1000, "a");
    job.task(1, 1000, "b");
    second.commitJob(job.context());
    assertThat(job.files())
        .containsExactly("_SUCCESS", "a-" + job.uuid(), "b-" + job.uuid(), "old");
    assertThat(store.pendingKeys()).isEmpty();
  }

  @Test
  void aMasterThatBeginsAnewAfterTheDecisionEndsTheCommitAndSaysSo() throws IOException {
    job.with(MRJobConfig.APPLICATION_ATTEMPT_ID, "1").setUp();
    job.task(0, 0, "a", "b");
    job.breakOffBefore(2);

    MagicCommitter second = job.restarted().committer();
    second.abortJob(job.context(), JobStatus.State.FAILED);
    assertThatThrownBy(() -> second.setupJob(job.context()))
        .hasMessageContaining("is complete")
        .hasMessageContaining("do not submit the job again");
    second.abortJob(job.context(), JobStatus.State.FAILED);
    assertThat(job.files()).containsExactly("_SUCCESS", "a", "b");
    assertThat(store.pendingKeys()).isEmpty();
  }

  @Test
  void anAbortedJobLeavesNothingAndItsWritersCannotGoOn() throws IOException {
    job.setUp();
    job.task(0, 0, "a");
    SimulatedJob.Running running = job.start(1, 0).upload("b");
    job.abort();
    assertThat(store.pendingKeys()).isEmpty();
    assertThatThrownBy(() -> running.write("c")).hasMessageContaining("there is no open session");
    assertThatThrownBy(job::commit)
        .satisfies(
            e ->
                assertThat(e.getMessage())
                    .containsOnlyOnce("was aborted")
                    .containsOnlyOnce("was not committed"));
    assertThatThrownBy(() -> job.restarted().setUp()).hasMessageContaining("been aborted");
    running.abort();
  }

  /** It was aborted before it had written when it began. */
  @Test
  void aJobWhoseSetUpFailedIsNotBegunByTheNextMaster() throws IOException {
    store.plant("out/old", new byte[1]);
    job.with(MapReduceKeys.CONFLICT_MODE.name(), "fail");
    assertThatThrownBy(job::setUp).isInstanceOf(PathExistsException.class);
    job.abort();
    store.deleteObjects(List.of("out/old"));
    assertThatThrownBy(() -> job.restarted().setUp()).hasMessageContaining("been aborted");
  }

  @Test
  void aJobIdThatWasUsedBeforeIsRefused() throws IOException {
    job.setUp();
    job.commit();
    assertThatThrownBy(job::setUp)
        .hasMessageContaining("a job of the same id has written there before")
        .hasMessageContaining("Submit the job again");
  }
}
