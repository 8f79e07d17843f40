package io.zerorename.tez;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.magic.mapred.MagicOutputCommitter;
import io.zerorename.magic.mapreduce.MagicCommitterFactory;
import io.zerorename.testing.mapreduce.ClusterExtension;
import io.zerorename.testing.mapreduce.MapReduceCluster;
import io.zerorename.testing.s3server.RequestCounts;
import io.zerorename.testing.tez.LinesDag;
import io.zerorename.testing.tez.Mishap;
import io.zerorename.testing.tez.OutputApi;
import io.zerorename.testing.tez.S3Output;
import io.zerorename.testing.tez.TezSession;
import java.io.File;
import java.util.Map;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.lib.NullOutputFormat;
import org.apache.tez.dag.api.client.DAGStatus;
import org.apache.tez.mapreduce.output.MROutput;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** DAGs whose AM and tasks share one JVM. */
@ExtendWith(ClusterExtension.class)
final class TezLocalModeTest {
  private static TezSession tez;
  private final MapReduceCluster cluster;

  TezLocalModeTest(MapReduceCluster cluster) {
    this.cluster = cluster;
  }

  @BeforeAll
  static void start(MapReduceCluster cluster, @TempDir File directory) throws Exception {
    tez = TezSession.local(directory, Map.of());
  }

  @AfterAll
  static void stop() throws Exception {
    tez.close();
  }

  @ParameterizedTest
  @EnumSource
  void dagCommitsItsOutput(OutputApi api) throws Exception {
    S3Output output = S3Output.of(cluster, "tez-local-" + api);
    LinesDag dag =
        tez.dag("local-" + api)
            .vertex("lines", 3, 100, Mishap.NONE)
            .sink("lines", api, output.path());

    assertThat(dag.run().getState()).isEqualTo(DAGStatus.State.SUCCEEDED);

    output.assertCommitted(dag.lines("lines"));
  }

  /** As in Hive's tasks, which commit by other means. */
  @Test
  void sinkWithoutOutputPathIsLeftAlone() throws Exception {
    RequestCounts before = cluster.s3().gateway().counts();
    LinesDag dag =
        tez.dag("local-null")
            .vertex("lines", 2, 10, Mishap.NONE)
            .sink(
                "lines",
                MROutput.createConfigBuilder(
                        new JobConf(tez.configuration()), NullOutputFormat.class)
                    .build());

    assertThat(dag.run().getState()).isEqualTo(DAGStatus.State.SUCCEEDED);

    assertThat(dag.runs()).hasSize(2);
    assertThat(cluster.s3().gateway().counts().minus(before).total()).isZero();
  }

  @Test
  void tezIsConfiguredAsTheExampleSays() {
    assertThat(tez.configuration().get("mapred.output.committer.class"))
        .isEqualTo(MagicOutputCommitter.class.getName());
    assertThat(tez.configuration().get("mapreduce.outputcommitter.factory.scheme.s3a"))
        .isEqualTo(MagicCommitterFactory.class.getName());
  }
}
