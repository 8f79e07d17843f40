package io.zerorename.versions;

import static io.zerorename.testing.s3server.FaultRule.typeUnder;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.HeldRequests;
import io.zerorename.testing.s3server.RequestType;
import java.io.File;
import java.io.IOException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.RecordWriter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two attempts of one task, which upload to one key. */
class SpeculativeAttemptTest {
  @TempDir private File directory;
  private TestCluster cluster;

  @BeforeEach
  void start() throws IOException {
    cluster = TestCluster.in(directory).withCommitter();
    cluster.bucket().write("out/old", new byte[1]);
  }

  @AfterEach
  void stop() throws IOException {
    cluster.close();
  }

  @Test
  void theAbortOfOneWhoseCreateHangsLeavesTheUploadOfTheOther() throws Exception {
    Path out = cluster.s3("out");
    TaskAttemptContext slow = cluster.attempt(out, 1, 0);
    // The application master's.
    OutputCommitter committer = new TextOutputFormat<Text, Text>().getOutputCommitter(slow);
    committer.setupJob(slow);
    HeldRequests create =
        HeldRequests.onlyNth(1, typeUnder(RequestType.CREATE_MULTIPART_UPLOAD, "out/"));
    cluster.server().gateway().faults(create);
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try {
      Future<?> hangs = thread.submit(() -> run(slow, "slow"));
      create.awaitFirst();
      run(cluster.attempt(out, 1, 1), "fast");

      committer.abortTask(slow);

      committer.commitJob(slow);
      assertThat(cluster.lines("out")).containsExactly("fast\tv");
      create.pass();
      assertThatThrownBy(hangs::get).hasMessageContaining("ZR-3101");
    } finally {
      create.pass();
      cluster.server().gateway().faults(FaultRule.NONE);
      thread.shutdownNow();
    }
    assertThat(cluster.bucket().pendingUploads("")).isEmpty();
  }

  /** As in a process of its own. */
  private static Void run(TaskAttemptContext attempt, String key) throws Exception {
    TextOutputFormat<Text, Text> format = new TextOutputFormat<>();
    OutputCommitter committer = format.getOutputCommitter(attempt);
    committer.setupTask(attempt);
    RecordWriter<Text, Text> writer = format.getRecordWriter(attempt);
    writer.write(new Text(key), new Text("v"));
    writer.close(attempt);
    try {
      committer.commitTask(attempt);
    } catch (IOException e) {
      committer.abortTask(attempt);
      throw e;
    }
    return null;
  }
}
