package io.zerorename.testing.mapreduce;

import static io.zerorename.testing.s3server.FaultRule.typeUnder;
import static io.zerorename.testing.s3server.RequestType.COMPLETE_MULTIPART_UPLOAD;
import static io.zerorename.testing.s3server.RequestType.CREATE_MULTIPART_UPLOAD;
import static io.zerorename.testing.s3server.RequestType.UPLOAD_PART;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.process.Await;
import io.zerorename.testing.process.Kill;
import io.zerorename.testing.s3server.HeldRequests;
import io.zerorename.testing.s3server.RequestRecording;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.TypeConverter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A job survives {@code kill -9} of its containers, and ends cleanly where its user kills it. */
@ExtendWith(ClusterExtension.class)
final class KilledProcessTest {
  private final MapReduceCluster cluster;

  KilledProcessTest(MapReduceCluster cluster) {
    this.cluster = cluster;
  }

  @Tag("thorough")
  @Test
  void tasksKilledAtAnUploadAreRunAgainAndTheirFilesAreNotSeen() throws Exception {
    TextJob text = TextJob.withInput(cluster, "killed-task", 2);
    Job job = text.besideAFile(Committer.ZERO_RENAME_ON_S3_ALONE.in(cluster.newConfiguration()));
    FutureTask<Void> kill =
        new FutureTask<>(
            () -> Processes.killTasks(TypeConverter.toYarn(job.getJobID()).getAppId()), null);
    cluster
        .s3()
        .gateway()
        .faults(new Kill(Kill.Side.AFTER, UPLOAD_PART, "killed-task/", 1).by(kill));

    job.submit();
    text.awaitAndCheck(job);

    kill.get();
    assertThat(text.requests().of(CREATE_MULTIPART_UPLOAD)).isGreaterThan(2);
  }

  @Tag("thorough")
  @Test
  void finishedTasksAreNotRunAgainAfterTheAppMasterWasKilled() throws Exception {
    TextJob text = TextJob.withInput(cluster, "killed-am", 3);
    Job job = text.besideAFile(Committer.ZERO_RENAME.in(cluster.newConfiguration()));
    HeldRequests held = new HeldRequests(1, typeUnder(UPLOAD_PART, "killed-am/part-m-00002"));
    cluster.s3().gateway().faults(held);
    job.submit();
    held.awaitFirst();
    text.awaitFinishedTasks(job, 2);

    cluster.killAppMaster(job.getJobID());
    held.drop();
    text.awaitAndCheck(job);

    assertThat(cluster.appMasters(job.getJobID())).isEqualTo(2);
    assertThat(text.requests().of(CREATE_MULTIPART_UPLOAD)).isEqualTo(3 + 1);
  }

  /** Its run is its own, and no repetition. */
  @Tag("stores")
  @Tag("thorough")
  @Test
  void commitGoesOnAfterTheAppMasterWasKilledBetweenTwoFiles() throws Exception {
    TextJob text = TextJob.withInput(cluster, "killed-between-on-s3", 2);
    Configuration conf = Committer.ZERO_RENAME_ON_S3_ALONE.in(cluster.newConfiguration());
    conf.set("zerorename.run.id", "today");
    killInCommit(text, text.job(conf), "killed-between-on-s3/");
  }

  /** The next AM completes what is not there. */
  @Test
  void commitGoesOnWithRecordsOnHdfsToo() throws Exception {
    TextJob text = TextJob.withInput(cluster, "killed-between", 2);
    Configuration conf = Committer.ZERO_RENAME.in(cluster.newConfiguration());
    // One by one, so that it is known how many are under way.
    conf.setInt("zerorename.commit.threads", 1);
    try (RequestRecording recording = cluster.s3().gateway().record()) {
      killInCommit(text, text.job(conf), "killed-between/");

      // The first AM has written one, and sent another that has come to nothing. The next one sends
      // both: that of the file that is there is refused, as names are plain.
      assertThat(recording.keys(COMPLETE_MULTIPART_UPLOAD))
          .hasSize(2 + 2)
          .containsOnly("killed-between/part-m-00000", "killed-between/part-m-00001");
    }
    assertThat(text.requests().of(CREATE_MULTIPART_UPLOAD)).isEqualTo(2);
  }

  /** When the first of two files is visible. */
  private void killInCommit(TextJob text, Job job, String output) throws Exception {
    HeldRequests held = new HeldRequests(2, typeUnder(COMPLETE_MULTIPART_UPLOAD, output));
    cluster.s3().gateway().faults(held);
    job.submit();
    held.awaitFirst();
    text.awaitFinishedTasks(job, 2);
    Await.until("one file is visible", () -> cluster.bucket().files(output).size() == 1);

    cluster.killAppMaster(job.getJobID());
    held.drop();
    text.awaitAndCheck(job);

    assertThat(cluster.appMasters(job.getJobID())).isEqualTo(2);
    // Attempts that a second AM starts are numbered from 1000.
    assertThat(job.getTaskReports(TaskType.MAP))
        .hasSize(2)
        .extracting(report -> report.getSuccessfulTaskAttemptId().getId())
        .as("successful attempts")
        .containsOnly(0);
  }

  @Tag("thorough")
  @Test
  void jobThatItsUserKillsLeavesNothing() throws Exception {
    TextJob text = TextJob.withInput(cluster, "killed-by-user", 2);
    Job job = text.besideAFile(Committer.ZERO_RENAME.in(cluster.newConfiguration()));
    HeldRequests held = new HeldRequests(1, typeUnder(UPLOAD_PART, "killed-by-user/part-m-00001"));
    cluster.s3().gateway().faults(held);
    job.submit();
    held.awaitFirst();
    text.awaitFinishedTasks(job, 1);

    job.killJob();
    held.drop();

    assertThat(job.waitForCompletion(false)).isFalse();
    cluster.awaitEnd(job.getJobID());
    text.checkNothingLeft();
  }

  /**
   * MapReduce does not wait for the commit that it interrupts, but for the abort after it; ten
   * seconds, after which the client lets YARN kill the AM.
   */
  @Tag("thorough")
  @Test
  void jobThatItsUserKillsInItsCommitIsCommittedWhole() throws Exception {
    TextJob text = TextJob.withInput(cluster, "killed-in-commit", 2);
    Job job = text.job(Committer.ZERO_RENAME.in(cluster.newConfiguration()));
    HeldRequests held =
        new HeldRequests(2, typeUnder(COMPLETE_MULTIPART_UPLOAD, "killed-in-commit/"));
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
    cluster.awaitLogged(job.getJobID(), "Cancelling commit");
    held.drop();
    killed.get(5, TimeUnit.MINUTES);

    assertThat(job.waitForCompletion(false)).isFalse();
    cluster.awaitEnd(job.getJobID());
    text.checkCommitted();
  }
}
