package io.zerorename.tez;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.mapreduce.ClusterExtension;
import io.zerorename.testing.mapreduce.MapReduceCluster;
import io.zerorename.testing.s3server.EmbeddedS3Server;
import io.zerorename.testing.s3server.RequestRecording;
import io.zerorename.testing.s3server.RequestType;
import io.zerorename.testing.tez.LinesDag;
import io.zerorename.testing.tez.Mishap;
import io.zerorename.testing.tez.OutputApi;
import io.zerorename.testing.tez.S3Output;
import io.zerorename.testing.tez.TaskRuns.Run;
import io.zerorename.testing.tez.TezSession;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Path;
import org.apache.tez.dag.api.TezConfiguration;
import org.apache.tez.dag.api.client.DAGStatus;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** DAGs in real containers, all of one session. */
@ExtendWith(ClusterExtension.class)
final class TezOnYarnTest {
  private static TezSession tez;
  private final MapReduceCluster cluster;

  TezOnYarnTest(MapReduceCluster cluster) {
    this.cluster = cluster;
  }

  @BeforeAll
  static void start(MapReduceCluster cluster) throws Exception {
    tez = TezSession.onYarn(cluster, Map.of());
  }

  @AfterAll
  static void stop() throws Exception {
    tez.close();
  }

  @Tag("thorough")
  @Test
  void sinksOfOneVertexAndOfSeveralAreCommittedEach() throws Exception {
    List<S3Output> outputs =
        Stream.of("a", "b", "c").map(name -> S3Output.of(cluster, "tez-sinks-" + name)).toList();
    LinesDag dag =
        tez.dag("sinks")
            .vertex("one", 2, 50, Mishap.NONE)
            .vertex("two", 1, 50, Mishap.NONE)
            .sink("one", OutputApi.MAPREDUCE, outputs.get(0).path())
            .sink("one", OutputApi.MAPREDUCE, outputs.get(1).path())
            .sink("two", OutputApi.MAPREDUCE, outputs.get(2).path());

    succeeds(dag);

    outputs.get(0).assertCommitted(dag.lines("one"));
    outputs.get(1).assertCommitted(dag.lines("one"));
    outputs.get(2).assertCommitted(dag.lines("two"));
  }

  @Tag("thorough")
  @Test
  void dagsOfOneSessionAddToOneDirectory() throws Exception {
    S3Output parent = S3Output.of(cluster, "tez-session");
    LinesDag first =
        tez.dag("first")
            .vertex("first", 2, 50, Mishap.NONE)
            .sink("first", OutputApi.MAPREDUCE, new Path(parent.path(), "a"));
    LinesDag second =
        tez.dag("second")
            .vertex("second", 2, 50, Mishap.NONE)
            .sink("second", OutputApi.MAPREDUCE, new Path(parent.path(), "b"));
    LinesDag third =
        tez.dag("third")
            .vertex("third", 2, 50, Mishap.NONE)
            .sink("third", OutputApi.MAPREDUCE, new Path(parent.path(), "a"));

    succeeds(first);
    List<String> files = parent.files();
    succeeds(second);
    succeeds(third);

    assertThat(parent.files()).containsAll(files).hasSize(6);
    S3Output.of(cluster, "tez-session/b").assertCommitted(second.lines("second"));
    S3Output.of(cluster, "tez-session/a")
        .assertCommitted(
            Stream.of(first.lines("first"), third.lines("third"))
                .flatMap(List::stream)
                .sorted()
                .toList());
  }

  @Test
  void taskWhoseContainerIsKilledIsTriedAgain() throws Exception {
    S3Output output = S3Output.used(cluster, "tez-killed");
    LinesDag dag =
        tez.dag("killed")
            .vertex("lines", 2, 50, Mishap.FIRST_CONTAINER_IS_KILLED)
            .sink("lines", OutputApi.MAPREDUCE, output.path());

    try (RequestRecording recording = cluster.s3().gateway().record()) {
      succeeds(dag);

      assertThat(recording.keys(RequestType.PUT_OBJECT))
          .filteredOn(key -> key.startsWith(output.prefix()))
          .as("_SUCCESS")
          .hasSize(1);
    }
    output.assertCommitted(dag.lines("lines"));
    assertThat(dag.runs()).extracting(Run::task).containsExactlyInAnyOrder(0, 0, 1);
    assertThat(output.requests(RequestType.CREATE_MULTIPART_UPLOAD)).isEqualTo(3);
    output.assertOthersAborted(2);
  }

  @Test
  void dagThatFailsLeavesNothing() throws Exception {
    S3Output output = S3Output.used(cluster, "tez-failed");
    LinesDag dag =
        tez.dag("failed")
            .set(TezConfiguration.TEZ_AM_TASK_MAX_FAILED_ATTEMPTS, "2")
            .vertex("lines", 2, 50, Mishap.EVERY_ATTEMPT_FAILS)
            .sink("lines", OutputApi.MAPREDUCE, output.path());

    assertThat(dag.run().getState()).isEqualTo(DAGStatus.State.FAILED);

    assertThat(output.files()).containsExactly(output.prefix() + "old");
    output.assertNothingIsLeft();
    output.assertOthersAborted(0);
  }

  @Tag("thorough")
  @Test
  void sinksInTwoBucketsHaveEndpointsAndCredentialsOfTheirOwn() throws Exception {
    try (EmbeddedS3Server server = EmbeddedS3Server.start()) {
      String bucket = "tez-other";
      S3Output near = S3Output.of(cluster, "tez-near");
      S3Output far = S3Output.of(server.createBucket(bucket), "tez-far", server.gateway());
      String ofBucket = "fs.s3a.bucket." + bucket + ".";
      Map<String, String> settings =
          Map.of(
              "fs.s3a.access.key",
              "nobody",
              "fs.s3a.secret.key",
              "nothing",
              ofBucket + "endpoint",
              server.endpoint().toString(),
              ofBucket + "access.key",
              EmbeddedS3Server.ACCESS_KEY,
              ofBucket + "secret.key",
              EmbeddedS3Server.SECRET_KEY);
      LinesDag dag =
          tez.dag("buckets")
              .vertex("lines", 2, 50, Mishap.NONE)
              .sink("lines", OutputApi.MAPREDUCE, near.path())
              .sink("lines", OutputApi.MAPREDUCE.sink(tez.configuration(), far.path(), settings));

      succeeds(dag);

      near.assertCommitted(dag.lines("lines"));
      far.assertCommitted(dag.lines("lines"));
    }
  }

  private static void succeeds(LinesDag dag) throws Exception {
    DAGStatus status = dag.run();
    assertThat(status.getState())
        .as("%s", status.getDiagnostics())
        .isEqualTo(DAGStatus.State.SUCCEEDED);
  }
}
