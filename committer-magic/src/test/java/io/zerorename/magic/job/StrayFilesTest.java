package io.zerorename.magic.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.commit.CommitFailedException;
import io.zerorename.core.store.RequestType;
import io.zerorename.magic.CommitterCounter;
import java.io.IOException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter;
import org.junit.jupiter.api.Test;

/** Output formats that write to the path of another committer than the job's. */
class StrayFilesTest extends SimulatedJobs {
  @Test
  void anAttemptWhoseWorkDirectoryIsTheCommittersOrTheDestinationCommits() throws IOException {
    job.setUp();
    String own = job.committer().workPath(job.attempt(0, 0)).toString();
    for (String directory : new String[] {own, SimulatedJob.DESTINATION + "/", "file:///tmp/x"}) {
      job.with(MRJobConfig.TASK_OUTPUT_DIR, directory);
      SimulatedJob.Running task = job.start(0, directory.length()).write("a");
      assertThat(task.needsCommit()).as(directory).isTrue();
      task.commit();
    }
    job.commit();
    assertThat(job.files()).containsExactly("_SUCCESS", "a");
  }

  @Test
  void aJobWithoutFilesFailsWhereThereAreTemporaryOnes() throws IOException {
    store.plant("out/old", new byte[1]);
    job.with(MapReduceKeys.CONFLICT_MODE.name(), "replace").setUp();
    SimulatedJob.Running task = job.start(0, 0);
    Path path = FileOutputCommitter.getTaskAttemptPath(task.context(), SimulatedJob.DESTINATION);
    store.plant(path.toUri().getPath().substring(1) + "/part-m-00000", new byte[1]);
    assertThat(task.needsCommit()).isFalse();
    assertThatThrownBy(job::commit)
        .isInstanceOf(CommitFailedException.class)
        .hasMessageContaining("ZR-2231: The output of job_1700000000000_0001")
        .hasMessageContaining("there is out/_temporary/0/_temporary/")
        .hasMessageContaining("delete s3a://bucket/out/_temporary")
        .hasMessageContaining("mapred.output.committer.class");
    job.abort();
    assertThat(job.files()).contains("old").doesNotContain("_SUCCESS").hasSize(2);
  }

  @Test
  void onlyAJobWithoutFilesLooksForTemporaryOnesByOneRequest() throws IOException {
    store.plant("out/old", new byte[1]);
    store.plant("out/_temporary/0/", new byte[0]);
    job.setUp();
    store.resetCounts();
    job.commit();
    long listings = store.requests().get(RequestType.LIST);

    SimulatedJob other = new SimulatedJob(store, directory, 2).setUp();
    other.task(0, 0, "a");
    store.resetCounts();
    other.commit();
    assertThat(store.requests()).containsEntry(RequestType.LIST, listings - 1);
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
