package io.zerorename.testing.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.hadoop.mapred.JobClient;
import org.apache.hadoop.mapred.RunningJob;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(ClusterExtension.class)
final class ClassicApiTest {
  private final MapReduceCluster cluster;

  ClassicApiTest(MapReduceCluster cluster) {
    this.cluster = cluster;
  }

  @Test
  void hadoopsOwnCommitterRenamesOnS3() throws Exception {
    TextJob text = TextJob.withInput(cluster, "classic-rename", 2, 100);
    RunningJob job = JobClient.runJob(text.v1(cluster.newConfiguration()));
    assertThat(job.isSuccessful()).isTrue();
    assertThat(text.outputLines()).isEqualTo(text.lines());
  }
}
