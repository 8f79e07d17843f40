package io.zerorename.tez;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.mapreduce.ClusterExtension;
import io.zerorename.testing.mapreduce.MapReduceCluster;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.RequestCounts;
import io.zerorename.testing.s3server.RequestType;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.TextOutputFormat;
import org.apache.hadoop.mapred.lib.NullOutputFormat;
import org.apache.tez.dag.api.DAG;
import org.apache.tez.dag.api.client.DAGClient;
import org.apache.tez.dag.api.client.DAGStatus;
import org.apache.tez.mapreduce.output.MROutput;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** DAGs whose AM and tasks share one JVM. */
@ExtendWith(ClusterExtension.class)
final class TezLocalModeTest {
  private static TezSession tez;
  private final MapReduceCluster cluster;

  TezLocalModeTest(MapReduceCluster cluster) {
    this.cluster = cluster;
  }

  @BeforeAll
  static void start(MapReduceCluster cluster, @TempDir Path directory) throws Exception {
    tez = TezSession.local(directory);
  }

  @AfterAll
  static void stop() throws Exception {
    tez.close();
  }

  /** Those of a vertex with several, of another vertex, and of the next DAG of the session. */
  @Test
  void eachSinkIsCommitted() throws Exception {
    S3Output a = new S3Output(cluster, "tez-a");
    S3Output b = new S3Output(cluster, "tez-b");
    S3Output c = new S3Output(cluster, "tez-c");
    tez.succeeds(
        DAG.create("first")
            .addVertex(
                LinesProcessor.vertex("one", 3)
                    .addDataSink("a", tez.sink(a))
                    .addDataSink("b", tez.sink(TextOutputFormat.class, b)))
            .addVertex(LinesProcessor.vertex("two", 1).addDataSink("c", tez.sink(c))));
    List<String> one = LinesProcessor.lines("one", 3);
    a.assertCommitted(one);
    b.assertCommitted(one);
    c.assertCommitted(LinesProcessor.lines("two", 1));

    tez.succeeds(tez.dag("second", 2, a));

    a.assertCommitted(
        Stream.of(one, LinesProcessor.lines("lines", 2)).flatMap(List::stream).toList());
  }

  /** As in Hive's tasks, which commit by other means. */
  @Test
  void sinkWithoutOutputPathIsLeftAlone() throws Exception {
    RequestCounts before = cluster.s3().gateway().counts();
    tez.succeeds(
        DAG.create("null")
            .addVertex(
                LinesProcessor.vertex("lines", 2)
                    .addDataSink(
                        "sink",
                        MROutput.createConfigBuilder(
                                new JobConf(tez.configuration()), NullOutputFormat.class)
                            .build())));

    assertThat(cluster.s3().gateway().counts().minus(before).total()).isZero();
  }

  @Test
  void dagThatFailsLeavesNothing() throws Exception {
    S3Output output = S3Output.used(cluster, "tez-failed");
    cluster
        .s3()
        .gateway()
        .faults(
            FaultRule.always(
                request ->
                    request.type() == RequestType.UPLOAD_PART && request.key().contains("-r-00001"),
                Fault.accessDenied()));

    try (DAGClient dag = tez.submit(tez.dag("failed", 2, output))) {
      assertThat(TezSession.end(dag).getState()).isEqualTo(DAGStatus.State.FAILED);
    }

    assertThat(output.files()).containsExactly(output.prefix() + "old");
    output.assertNothingIsLeft();
  }
}
