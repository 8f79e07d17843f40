package io.zerorename.tez;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.magic.job.MagicCommitter;
import io.zerorename.testing.mapreduce.ClusterExtension;
import io.zerorename.testing.mapreduce.MapReduceCluster;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.RequestType;
import io.zerorename.testing.tez.LinesDag;
import io.zerorename.testing.tez.Mishap;
import io.zerorename.testing.tez.OutputApi;
import io.zerorename.testing.tez.S3Output;
import io.zerorename.testing.tez.TaskRuns.Run;
import io.zerorename.testing.tez.TezSession;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.apache.tez.dag.api.TezConfiguration;
import org.apache.tez.dag.api.client.DAGClient;
import org.apache.tez.dag.api.client.DAGStatus;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What becomes of a DAG whose AM is killed. */
@ExtendWith(ClusterExtension.class)
@Tag("thorough")
final class TezRecoveryTest {
  private static final Map<String, String> LOG_EVERY_EVENT =
      Map.of(TezConfiguration.DAG_RECOVERY_MAX_UNFLUSHED_EVENTS, "1");

  private final MapReduceCluster cluster;

  TezRecoveryTest(MapReduceCluster cluster) {
    this.cluster = cluster;
  }

  @Test
  void nextMasterFinishesTheDag() throws Exception {
    S3Output output = S3Output.used(cluster, "tez-recovered");
    try (TezSession tez = TezSession.onYarn(cluster, LOG_EVERY_EVENT)) {
      LinesDag dag =
          tez.dag("recovered")
              .vertex("lines", 2, 50, Mishap.LAST_TASK_WAITS_UNDER_FIRST_MASTER)
              .sink("lines", OutputApi.MAPREDUCE, output.path());
      try (DAGClient client = dag.submit()) {
        tez.awaitTasksRecorded(client, 1);
        tez.awaitRuns(client, dag, 2);
        tez.killMaster();
        succeeds(client);
      }

      output.assertCommitted(dag.lines("lines"));
      assertThat(runs(dag))
          .containsExactlyInAnyOrder(List.of(0, 0, 1), List.of(1, 0, 1), List.of(1, 1, 2));
    }
  }

  /**
   * With Tez's default, that a DAG commits all of its outputs at its end, the output of the vertex
   * that was done would be lost without an error: the next AM makes no committers for such a vertex
   * (VertexImpl.initializeVertex in Tez 0.10.5).
   */
  @Test
  void outputOfVertexThatWasDoneStaysWhereVerticesCommitOnTheirOwn() throws Exception {
    S3Output done = S3Output.of(cluster, "tez-vertex-done");
    S3Output rest = S3Output.used(cluster, "tez-vertex-rest");
    try (TezSession tez = TezSession.onYarn(cluster, LOG_EVERY_EVENT)) {
      LinesDag dag =
          tez.dag("vertices")
              .set(TezConfiguration.TEZ_AM_COMMIT_ALL_OUTPUTS_ON_DAG_SUCCESS, "false")
              .vertex("done", 1, 50, Mishap.NONE)
              .vertex("rest", 1, 50, Mishap.LAST_TASK_WAITS_UNDER_FIRST_MASTER)
              .sink("done", OutputApi.MAPREDUCE, done.path())
              .sink("rest", OutputApi.MAPREDUCE, rest.path());
      try (DAGClient client = dag.submit()) {
        tez.awaitVerticesRecorded(client, 1);
        tez.awaitRuns(client, dag, 2);
        tez.killMaster();
        succeeds(client);
      }

      done.assertCommitted(dag.lines("done"));
      rest.assertCommitted(dag.lines("rest"));
      assertThat(dag.runs()).extracting(Run::vertex).containsOnlyOnce("done");
    }
  }

  /**
   * Tez fails a DAG whose AM died while it committed, and calls no committer for it. What was
   * decided stands, and can be carried out.
   */
  @Test
  void commitThatWasBrokenOffLosesNothingAndCanBeRepeated() throws Exception {
    S3Output output = S3Output.of(cluster, "tez-broken-commit");
    try (TezSession tez = TezSession.onYarn(cluster, LOG_EVERY_EVENT)) {
      AtomicInteger completions = new AtomicInteger();
      FutureTask<Void> kill =
          new FutureTask<>(
              () -> {
                tez.killMaster();
                return null;
              });
      // The first file becomes visible; then the AM dies before it can ask for any other.
      cluster
          .s3()
          .gateway()
          .faults(
              request -> {
                if (request.type() != RequestType.COMPLETE_MULTIPART_UPLOAD
                    || !request.key().startsWith(output.prefix() + "part-")
                    || completions.incrementAndGet() == 1) {
                  return Optional.empty();
                }
                kill.run();
                return Optional.of(Fault.cutBeforeForwarding());
              });
      Map<String, String> settings =
          // One by one, so that the first is there when the second is asked for.
          Map.of("zerorename.commit.threads", "1");
      LinesDag dag =
          tez.dag("broken")
              .vertex("lines", 3, 50, Mishap.NONE)
              .sink(
                  "lines", OutputApi.MAPREDUCE.sink(tez.configuration(), output.path(), settings));
      String dagId;
      try (DAGClient client = dag.submit()) {
        dagId = client.getDagIdentifierString();
        DAGStatus status = TezSession.end(client);
        kill.get();
        assertThat(status.getState()).isEqualTo(DAGStatus.State.FAILED);
        assertThat(status.getDiagnostics())
            .anyMatch(line -> line.contains("DAG is recovered to finished state:FAILED"));
      }
      cluster.s3().gateway().faults(FaultRule.NONE);
      assertThat(output.files()).as("files that are visible").hasSize(1);
      assertThat(output.pendingUploads()).as("files that are not").hasSize(2);

      Configuration conf = tez.configuration();
      conf.set("job.committer.uuid", dagId);
      conf.setInt(MRJobConfig.APPLICATION_ATTEMPT_ID, 2);
      TaskAttemptContext context =
          new TaskAttemptContextImpl(conf, new TaskAttemptID("1", 1, TaskType.REDUCE, 0, 0));
      new MagicCommitter(output.path(), context).commitJob(context);

      output.assertCommitted(dag.lines("lines"));
    }
  }

  /** Each as (task, attempt, master). */
  private static List<List<Integer>> runs(LinesDag dag) throws Exception {
    return dag.runs().stream()
        .map(run -> List.of(run.task(), run.attempt(), run.master()))
        .toList();
  }

  private static void succeeds(DAGClient client) throws Exception {
    DAGStatus status = TezSession.end(client);
    assertThat(status.getState())
        .as("%s", status.getDiagnostics())
        .isEqualTo(DAGStatus.State.SUCCEEDED);
  }
}
