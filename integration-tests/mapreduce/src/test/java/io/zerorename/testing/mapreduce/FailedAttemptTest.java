package io.zerorename.testing.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.mapreduce.TaskScript.Action;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.Job;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Attempts that are given up, at a point where they have written something. Their files are
 * uploaded, however short, so that something could be left.
 */
@Tag("thorough")
@ExtendWith(ClusterExtension.class)
final class FailedAttemptTest {
  private static final int LINES_PER_TASK = 50;

  private final MapReduceCluster cluster;

  FailedAttemptTest(MapReduceCluster cluster) {
    this.cluster = cluster;
  }

  @Test
  void attemptThatDiesAfterItsCommitIsReplacedAsAWhole() throws Exception {
    TextJob text = TextJob.withInput(cluster, "died-after-commit", 1, LINES_PER_TASK);
    Configuration conf = newConfiguration();
    TaskScript script = TaskScript.of(conf, "died-after-commit");
    Job job = text.scripted(conf);
    job.setOutputFormatClass(DiesAfterCommitOutputFormat.class);

    text.runAndCheck(job);

    assertThat(script.tasksRun()).containsExactly(0, 0);
  }

  @Test
  void slowerOfTwoSpeculativeAttemptsLeavesNothing() throws Exception {
    TextJob text = TextJob.withInput(cluster, "speculative", 2, LINES_PER_TASK);
    Configuration conf = newConfiguration();
    conf.setBoolean("mapreduce.map.speculative", true);
    conf.set("yarn.app.mapreduce.am.job.speculator.class", SpeculatesAtOnce.class.getName());
    TaskScript script = TaskScript.of(conf, "speculative").firstAttempt(0, Action.WAIT);
    Job job = text.scriptedBesideAFile(conf);

    text.runAndCheck(job);

    assertThat(script.tasksRun()).filteredOn(task -> task == 0).hasSize(2);
  }

  @Test
  void jobThatItsUserKillsLeavesNothing() throws Exception {
    TextJob text = TextJob.withInput(cluster, "killed-by-user", 2, LINES_PER_TASK);
    Configuration conf = newConfiguration();
    TaskScript script = TaskScript.of(conf, "killed-by-user").firstAttempt(1, Action.WAIT);
    Job job = text.scriptedBesideAFile(conf);
    job.submit();
    JobHistory.of(cluster, job).awaitFinishedTasks(1);
    script.awaitRuns(2);

    job.killJob();

    assertThat(job.waitForCompletion(false)).isFalse();
    cluster.containers(job.getJobID()).awaitEnd();
    text.checkNothingLeft();
  }

  @Test
  void jobWhoseTaskFailsEachTimeLeavesNothing() throws Exception {
    TextJob text = TextJob.withInput(cluster, "failed", 2, LINES_PER_TASK);
    Configuration conf = newConfiguration();
    conf.setInt("mapreduce.map.maxattempts", 2);
    TaskScript script = TaskScript.of(conf, "failed").attempts(1, 2, Action.FAIL);
    Job job = text.scripted(conf);

    assertThat(job.waitForCompletion(false)).isFalse();

    cluster.containers(job.getJobID()).awaitEnd();
    assertThat(script.tasksRun()).containsExactly(0, 1, 1);
    text.checkNothingLeft();
  }

  private Configuration newConfiguration() {
    return Committer.ZERO_RENAME.in(cluster.newConfiguration());
  }
}
