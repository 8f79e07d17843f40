package io.zerorename.testing.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.mapreduce.TaskScript.Action;
import io.zerorename.testing.process.Await;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.HeldRequests;
import io.zerorename.testing.s3server.RequestRecording;
import io.zerorename.testing.s3server.RequestType;
import io.zerorename.testing.s3server.S3Request;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.TaskType;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A job survives {@code kill -9} of its containers, whenever it comes. */
@ExtendWith(ClusterExtension.class)
final class KilledProcessTest {
  private static final int LINES_PER_TASK = 50;

  private final MapReduceCluster cluster;

  KilledProcessTest(MapReduceCluster cluster) {
    this.cluster = cluster;
  }

  @Tag("thorough")
  @Test
  void taskKilledHalfWayIsRunAgainAndItsFilesAreNotSeen() throws Exception {
    String name = "killed-task";
    TextJob text = TextJob.withInput(cluster, name, 2, LINES_PER_TASK);
    Configuration conf = Committer.ZERO_RENAME_ON_S3_ALONE.in(cluster.newConfiguration());
    TaskScript script = TaskScript.of(conf, name).firstAttempt(1, Action.KILL_OWN_PROCESS);

    text.runAndCheck(text.scriptedBesideAFile(conf));

    assertThat(script.tasksRun()).containsExactly(0, 1, 1);
  }

  @Tag("thorough")
  @Test
  void finishedTasksAreNotRunAgainAfterTheAppMasterWasKilled() throws Exception {
    String name = "killed-am";
    TextJob text = TextJob.withInput(cluster, name, 3, LINES_PER_TASK);
    Configuration conf = Committer.ZERO_RENAME.in(cluster.newConfiguration());
    TaskScript script = TaskScript.of(conf, name).firstAttempt(2, Action.WAIT);
    Job job = text.scripted(conf);
    job.submit();
    JobHistory.of(cluster, job).awaitFinishedTasks(2);
    script.awaitRuns(3);

    cluster.containers(job.getJobID()).killAppMaster();
    text.awaitAndCheck(job);

    assertThat(cluster.containers(job.getJobID()).appMasters()).isEqualTo(2);
    assertThat(script.tasksRun()).containsExactly(0, 1, 2, 2);
  }

  @Tag("stores")
  @Tag("thorough")
  @Test
  void commitGoesOnAfterTheAppMasterWasKilledBetweenTwoFiles() throws Exception {
    String name = "killed-between-on-s3";
    TextJob text = TextJob.withInput(cluster, name, 2, LINES_PER_TASK);
    Configuration conf = Committer.ZERO_RENAME_ON_S3_ALONE.in(cluster.newConfiguration());
    TaskScript.of(conf, name);
    killInCommit(
        text,
        text.scripted(conf),
        new HeldRequests(2, FaultRule.type(RequestType.COMPLETE_MULTIPART_UPLOAD)));
  }

  /** The next AM completes what is not there. */
  @Test
  void commitGoesOnWithRecordsOnHdfsToo() throws Exception {
    String name = "killed-between";
    TextJob text = TextJob.withInput(cluster, name, 2, LINES_PER_TASK);
    Configuration conf = Committer.ZERO_RENAME.in(cluster.newConfiguration());
    // One by one, so that it is known how many are under way.
    conf.setInt("zerorename.commit.threads", 1);
    TaskScript.of(conf, name);
    try (RequestRecording recording = cluster.s3().gateway().record()) {
      killInCommit(
          text, text.scripted(conf), new HeldRequests(2, request -> writes(text, request)));

      List<String> files =
          cluster.bucket().files(name + "/").stream().filter(key -> !key.contains("/_")).toList();
      assertThat(files).hasSize(4).allMatch(key -> key.matches(name + "/(first|part)-m-[0-9]{5}"));
      // The first AM has written one, and sent another that has come to nothing. The next one sends
      // all: that of the file that is there is refused, as names are plain.
      assertThat(recording.requests().stream().filter(request -> writes(text, request)).toList())
          .extracting(S3Request::key)
          .hasSize(2 + 4)
          .hasSameElementsAs(files);
    }
    assertThat(text.requests().of(RequestType.CREATE_MULTIPART_UPLOAD)).isEqualTo(4);
  }

  /** When the first file is visible. */
  private void killInCommit(TextJob text, Job job, HeldRequests held) throws Exception {
    cluster.s3().gateway().faults(held);
    job.submit();
    held.awaitFirst();
    JobHistory.of(cluster, job).awaitFinishedTasks(text.tasks());
    Await.until("one file is visible", () -> cluster.bucket().files(text.name() + "/").size() == 1);

    cluster.containers(job.getJobID()).killAppMaster();
    held.drop();
    text.awaitAndCheck(job);

    assertThat(cluster.containers(job.getJobID()).appMasters()).isEqualTo(2);
    // Attempts that a second AM starts are numbered from 1000.
    assertThat(job.getTaskReports(TaskType.MAP))
        .hasSize(text.tasks())
        .extracting(report -> report.getSuccessfulTaskAttemptId().getId())
        .as("successful attempts")
        .containsOnly(0);
  }

  /**
   * MapReduce does not wait for the commit that it interrupts, but for the abort after it; ten
   * seconds, after which the client lets YARN kill the AM.
   */
  @Tag("thorough")
  @Test
  void jobThatItsUserKillsInItsCommitIsCommittedWhole() throws Exception {
    TextJob text = TextJob.withInput(cluster, "killed-in-commit", 2, LINES_PER_TASK);
    Configuration conf = Committer.ZERO_RENAME.in(cluster.newConfiguration());
    TaskScript.of(conf, "killed-in-commit");
    Job job = text.scripted(conf);
    HeldRequests held = new HeldRequests(2, request -> writes(text, request));
    cluster.s3().gateway().faults(held);
    job.submit();
    held.awaitFirst();

    CompletableFuture<Void> killed =
        CompletableFuture.runAsync(
            () -> {
              try {
                job.killJob();
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    cluster.containers(job.getJobID()).awaitLogged("Cancelling commit");
    held.drop();
    killed.get(5, TimeUnit.MINUTES);

    assertThat(job.waitForCompletion(false)).isFalse();
    cluster.containers(job.getJobID()).awaitEnd();
    text.checkCommitted();
  }

  /** Whether a file of the job is completed. */
  private static boolean writes(TextJob text, S3Request request) {
    return request.type() == RequestType.COMPLETE_MULTIPART_UPLOAD
        && request.key().matches(text.name() + "/(first|part)-.*");
  }
}
