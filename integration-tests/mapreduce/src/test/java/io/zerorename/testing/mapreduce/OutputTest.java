package io.zerorename.testing.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.magic.mapred.MagicOutputCommitter;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.OutputCommitter;
import org.apache.hadoop.streaming.StreamJob;
import org.apache.hadoop.util.ToolRunner;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A job of the old API on YARN, which the other tests of jobs on YARN do not use. */
@ExtendWith(ClusterExtension.class)
final class OutputTest {
  @Tag("stores")
  @Test
  void streamingCommitsByItsOneKeyAndItsCommandsAreToldTheWorkDirectory(MapReduceCluster cluster)
      throws Exception {
    TextJob text = TextJob.withInput(cluster, "streaming", 2);
    Configuration conf = cluster.newConfiguration();
    conf.setClass(
        "mapred.output.committer.class", MagicOutputCommitter.class, OutputCommitter.class);
    List<String> arguments =
        List.of(
            "-input",
            text.input().toString(),
            "-output",
            text.output().toString(),
            "-mapper",
            "sh -c 'cat; echo $mapreduce_task_output_dir'",
            "-numReduceTasks",
            "0");

    int exitCode = ToolRunner.run(conf, new StreamJob(), arguments.toArray(String[]::new));

    assertThat(exitCode).isZero();
    List<String> lines = new ArrayList<>(text.outputLines());
    assertThat(lines).containsAll(text.lines());
    lines.removeAll(text.lines());
    assertThat(lines)
        .hasSize(2)
        .allSatisfy(
            line -> assertThat(line.strip()).matches("zerorename://w-attempt-.*/streaming"));
    assertThat(cluster.bucket().files("streaming/"))
        .containsExactly("streaming/_SUCCESS", "streaming/part-00000", "streaming/part-00001");
    assertThat(cluster.bucket().pendingUploads("")).isEmpty();
    assertThat(text.requests().copies()).isZero();
  }
}
