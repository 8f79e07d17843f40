package io.zerorename.tez;

import static io.zerorename.testing.s3server.RequestType.COMPLETE_MULTIPART_UPLOAD;
import static io.zerorename.testing.s3server.RequestType.CREATE_MULTIPART_UPLOAD;
import static io.zerorename.testing.s3server.RequestType.UPLOAD_PART;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.magic.job.MagicCommitter;
import io.zerorename.testing.mapreduce.ClusterExtension;
import io.zerorename.testing.mapreduce.MapReduceCluster;
import io.zerorename.testing.mapreduce.Processes;
import io.zerorename.testing.process.Kill;
import io.zerorename.testing.s3server.HeldRequests;
import io.zerorename.testing.s3server.RequestRecording;
import java.util.concurrent.FutureTask;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.apache.tez.dag.api.client.DAGClient;
import org.apache.tez.dag.api.client.DAGStatus;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** DAGs in real containers, some of which are killed. */
@ExtendWith(ClusterExtension.class)
final class TezOnYarnTest {
  private final MapReduceCluster cluster;
  private TezSession tez;

  TezOnYarnTest(MapReduceCluster cluster) {
    this.cluster = cluster;
  }

  @BeforeEach
  void start() throws Exception {
    tez = TezSession.onYarn(cluster);
  }

  @AfterEach
  void stop() throws Exception {
    tez.close();
  }

  @Test
  void taskWhoseContainerIsKilledIsTriedAgain() throws Exception {
    S3Output output = S3Output.used(cluster, "tez-killed");
    FutureTask<Void> kill = new FutureTask<>(() -> Processes.killTasks(tez.application()), null);
    try (RequestRecording recording = cluster.s3().gateway().record()) {
      cluster
          .s3()
          .gateway()
          .faults(new Kill(Kill.Side.AFTER, UPLOAD_PART, output.prefix(), 1).by(kill));

      tez.succeeds(tez.dag("killed", 2, output));

      assertThat(recording.keys(CREATE_MULTIPART_UPLOAD)).hasSizeGreaterThan(2);
    }
    kill.get();
    output.assertCommitted(LinesProcessor.lines("lines", 2));
  }

  @Tag("thorough")
  @Test
  void nextMasterFinishesTheDagAndRunsNoFinishedTaskAgain() throws Exception {
    S3Output output = S3Output.used(cluster, "tez-recovered");
    HeldRequests held =
        new HeldRequests(
            1, request -> request.type() == UPLOAD_PART && request.key().contains("-r-00001"));
    cluster.s3().gateway().faults(held);
    try (RequestRecording recording = cluster.s3().gateway().record();
        DAGClient client = tez.submit(tez.dag("recovered", 2, output))) {
      held.awaitFirst();
      tez.awaitTasksRecorded(1);
      tez.killMaster();
      held.drop();
      TezSession.succeeds(client);

      assertThat(recording.keys(CREATE_MULTIPART_UPLOAD))
          .filteredOn(key -> key.contains("-r-00000"))
          .hasSize(1);
    }
    output.assertCommitted(LinesProcessor.lines("lines", 2));
  }

  /**
   * Tez fails a DAG whose AM died while it committed, and calls no committer for it. What was
   * decided stands, and can be carried out.
   */
  @Tag("thorough")
  @Test
  void commitThatWasBrokenOffLosesNothingAndCanBeRepeated() throws Exception {
    S3Output output = new S3Output(cluster, "tez-broken-commit");
    FutureTask<Void> kill =
        new FutureTask<>(
            () -> {
              tez.killMaster();
              return null;
            });
    cluster
        .s3()
        .gateway()
        .faults(new Kill(Kill.Side.BEFORE, COMPLETE_MULTIPART_UPLOAD, output.prefix(), 2).by(kill));
    String dagId;
    try (DAGClient client = tez.submit(tez.dag("broken", 3, output))) {
      dagId = client.getDagIdentifierString();
      DAGStatus status = TezSession.end(client);
      kill.get();
      assertThat(status.getState()).isEqualTo(DAGStatus.State.FAILED);
      assertThat(status.getDiagnostics())
          .anyMatch(line -> line.contains("DAG is recovered to finished state:FAILED"));
    }
    assertThat(output.files()).as("files that are visible").hasSize(1);
    assertThat(output.pendingUploads()).as("files that are not").isEqualTo(2);

    Configuration conf = tez.configuration();
    conf.set("job.committer.uuid", dagId);
    conf.setInt(MRJobConfig.APPLICATION_ATTEMPT_ID, 2);
    TaskAttemptContext context =
        new TaskAttemptContextImpl(conf, new TaskAttemptID("1", 1, TaskType.REDUCE, 0, 0));
    new MagicCommitter(output.path(), context).commitJob(context);

    output.assertCommitted(LinesProcessor.lines("lines", 3));
  }
}
