package io.zerorename.magic.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.store.RequestType;
import io.zerorename.core.store.StoreException.Kind;
import io.zerorename.magic.CommitterCounter;
import io.zerorename.testing.FaultPlan.Moment;
import java.io.IOException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Task attempts that win, lose, fail, are killed or are no part of the job. */
class TaskAttemptsTest extends SimulatedJobs {
  @Test
  void theTaskThatHasNoFileNeedsNoCommitAndLeavesNothingOpen() throws IOException {
    job.setUp();
    SimulatedJob.Running idle = job.start(0, 0);
    assertThat(idle.needsCommit()).isFalse();
    assertThat(idle.needsCommit()).as("asked again").isFalse();
    SimulatedJob.Running again = job.start(0, 0);
    assertThat(again.write("a").needsCommit()).as("the name is free").isTrue();
    again.abort();
  }

  @ParameterizedTest
  @ValueSource(strings = {"file", "s3a"})
  void theUploadsOfLosersAndOfKilledAttemptsAreAbortedByTheEndOfTheJob(String records)
      throws IOException {
    store.plant("out/old", new byte[1]);
    job.withRecordsOn(records).setUp();
    job.task(0, 0, "a");
    job.task(0, 1, "a");
    SimulatedJob.Running killed = job.start(1, 0).upload("b");
    int pending = store.pendingKeys().size();
    job.committer().abortTask(killed.context());
    assertThat(store.pendingKeys()).hasSize(pending);
    job.task(1, 1, "b");
    job.commit();
    assertThat(job.files())
        .containsExactly("_SUCCESS", "a-" + job.uuid(), "b-" + job.uuid(), "old");
    assertThat(store.pendingKeys()).isEmpty();
  }

  /** As of a task that is speculated: both write to the same key. */
  @Test
  void anAttemptThatIsAbortedWithoutItsUploadsIdLeavesItsTwinsUpload() throws IOException {
    store.plant("out/old", new byte[1]);
    job.setUp();
    SimulatedJob.Running hung = hangInCreate();
    job.task(0, 1, "part-m-00000");

    job.committer().abortTask(hung.context());

    assertThat(store.pendingKeys()).as("one of each").hasSize(2);
    job.commit();
    assertThat(job.files()).containsExactly("_SUCCESS", "old", "part-m-00000-" + job.uuid());
    assertThat(store.pendingKeys()).isEmpty();
  }

  /** The store has begun the upload, and the attempt never hears of it. */
  private SimulatedJob.Running hangInCreate() throws IOException {
    store.faults().failFrom(RequestType.CREATE_UPLOAD, 1, Moment.AFTER_EFFECT, Kind.ACCESS_DENIED);
    SimulatedJob.Running hung = job.start(0, 0);
    // At the close of the file, if the Create has failed by then.
    assertThatThrownBy(() -> hung.write("part-m-00000").commit())
        .hasMessageContaining("planned fault");
    store.faults().clear();
    return hung;
  }

  @Test
  void anAttemptThatWasGivenUpCannotCommitAnyMore() throws IOException {
    job.setUp();
    SimulatedJob.Running zombie = job.start(0, 0).upload("part-m-00000");
    job.committer().abortTask(zombie.context());
    assertThatThrownBy(zombie::commit)
        .hasMessageContaining("attempt_1700000000000_0001_m_000000_0 cannot commit")
        .hasMessageContaining("it was aborted");
    zombie.abort();
    assertThat(store.pendingKeys()).isEmpty();
  }

  @Test
  void anAttemptThatFailsAfterItsCommitStaysACandidateUntilAnotherCommits() throws IOException {
    job.setUp();
    SimulatedJob.Running first = job.start(0, 0).write("part-m-00000").write("only-in-the-first");
    first.commit();
    first.abort();
    job.committer().abortTask(first.context());
    assertThat(store.pendingKeys()).as("the job's commit may need them").hasSize(2);
    job.task(0, 1, "part-m-00000");
    job.commit();
    assertThat(job.files()).containsExactly("_SUCCESS", "part-m-00000");
    assertThat(store.pendingKeys()).isEmpty();
  }

  @Test
  void ofTwoAttemptsThatBothCommitOneIsTaken() throws IOException {
    job.setUp();
    job.task(0, 10, "later");
    job.task(0, 9, "earlier");
    job.task(1, 0, "other");
    job.commit();
    assertThat(job.files()).containsExactly("_SUCCESS", "later", "other");
    assertThat(store.pendingKeys()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"file", "s3a"})
  void aTaskThatCommitsAfterTheJobIsNotLostWithoutAnError(String records) throws IOException {
    store.plant("out/old", new byte[1]);
    job.withRecordsOn(records).setUp();
    SimulatedJob.Running late = job.start(1, 0).upload("part-m-00001");
    job.task(0, 0, "part-m-00000");
    job.commit();
    job.commit();
    late.commit();
    assertThatThrownBy(job::commit)
        .hasMessageContaining("lacks the files of task attempt")
        .hasMessageContaining(late.context().getTaskAttemptID().toString());
    assertThat(job.files()).hasSize(3).noneMatch(file -> file.startsWith("part-m-00001"));
    assertThat(store.pendingKeys()).isEmpty();
  }

  @Test
  void userCodeThatClosesAllFileSystemsLosesNoFile() throws IOException {
    job.setUp();
    SimulatedJob.Running task = job.start(0, 0).upload("a");
    FileSystem.closeAll();
    assertThatThrownBy(() -> task.write("b")).hasMessageContaining("there is no open session");
    assertThat(task.needsCommit()).isTrue();
    task.commit();
    job.commit();
    assertThat(job.files()).containsExactly("_SUCCESS", "a");
  }

  @Test
  void aTaskWhoseJobWasNotSetUpThereSaysSo() {
    assertThatThrownBy(() -> job.start(0, 0))
        .hasMessageContaining("There is no record")
        .hasMessageContaining("setupJob was never called");
    assertThatThrownBy(() -> job.commit()).hasMessageContaining("There is no record");
  }

  @Test
  void recordsWithoutAFileAreCountedButThoseOfAMapTaskBeforeAReduceTaskNeedNone()
      throws IOException {
    job.setUp();
    SimulatedJob.Running task = job.start(0, 0);
    task.context().getConfiguration().set(MRJobConfig.NUM_REDUCES, "0");
    task.context().getCounter(TaskCounter.MAP_OUTPUT_RECORDS).increment(3);
    assertThat(task.needsCommit()).isFalse();
    assertThat(job.counter(CommitterCounter.RECORDS_WITHOUT_FILE)).isEqualTo(3);
    task.context().getConfiguration().set(MRJobConfig.NUM_REDUCES, "1");
    store.resetCounts();
    assertThat(task.needsCommit()).isFalse();
    assertThat(job.counter(CommitterCounter.RECORDS_WITHOUT_FILE)).isEqualTo(3);
    assertThat(store.requests()).isEmpty();
  }
}
