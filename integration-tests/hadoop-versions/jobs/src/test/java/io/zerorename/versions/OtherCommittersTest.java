package io.zerorename.versions;

import static io.zerorename.testing.s3server.FaultRule.type;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.core.commit.CommitFailedException;
import io.zerorename.testing.s3server.Fault;
import io.zerorename.testing.s3server.FaultRule;
import io.zerorename.testing.s3server.RequestType;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.s3a.commit.magic.MagicS3GuardCommitter;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.RecordWriter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A job of an S3A committer ends at the directory above, between our tasks and our commit. */
class OtherCommittersTest {
  @TempDir private File directory;
  private TestCluster cluster;
  private final TextOutputFormat<Text, Text> format = new TextOutputFormat<>();

  @BeforeEach
  void start() throws IOException {
    cluster = TestCluster.in(directory).withCommitter();
    Path old = cluster.s3("table/out/old");
    try (OutputStream out = old.getFileSystem(cluster.conf()).create(old)) {
      out.write('1');
    }
  }

  @AfterEach
  void stop() throws IOException {
    cluster.close();
  }

  @Test
  void aJobWhoseUploadsItAbortsFailsCleanly() throws Exception {
    TaskAttemptContext task = task(cluster.s3("table/out"), 1);
    OutputCommitter committer = write(task);
    endOtherJob(true);
    assertThat(cluster.bucket().files("table/")).contains("table/other");
    assertThat(cluster.bucket().pendingUploads("")).isEmpty();

    // As S3 answers for an upload that is gone; S3Proxy lists no parts.
    cluster
        .server()
        .gateway()
        .faults(FaultRule.always(type(RequestType.LIST_PARTS), Fault.refuse(404, "NoSuchUpload")));
    try {
      assertThatThrownBy(() -> committer.commitJob(task))
          .isInstanceOf(CommitFailedException.class)
          .hasMessageContaining("ZR-1128: The upload to " + cluster.s3("table/out/part-m-00000"))
          .hasMessageContaining("set fs.s3a.committer.abort.pending.uploads to false")
          .hasMessageContaining("Nothing of it is visible and no old file was deleted");
      committer.abortJob(task, JobStatus.State.FAILED);
    } finally {
      cluster.server().gateway().faults(FaultRule.NONE);
    }
    assertThat(cluster.bucket().files("table/out/")).containsExactly("table/out/old");
    assertThat(cluster.bucket().pendingUploads("")).isEmpty();
  }

  @Test
  void aJobWhoseUploadsItSparesIsCommitted() throws Exception {
    TaskAttemptContext task = task(cluster.s3("table/out"), 1);
    OutputCommitter committer = write(task);
    endOtherJob(false);
    assertThat(cluster.bucket().pendingUploads("")).hasSize(1);

    committer.commitJob(task);
    assertThat(cluster.bucket().files("table/out/"))
        .hasSize(2)
        .contains("table/out/_SUCCESS")
        .doesNotContain("table/out/old");
  }

  /** A task of the committer, with one upload; it replaces what is there. */
  private OutputCommitter write(TaskAttemptContext task) throws Exception {
    OutputCommitter committer = format.getOutputCommitter(task);
    committer.setupJob(task);
    committer.setupTask(task);
    RecordWriter<Text, Text> writer = format.getRecordWriter(task);
    writer.write(new Text("k"), new Text("v"));
    writer.close(task);
    committer.commitTask(task);
    assertThat(cluster.bucket().pendingUploads("")).hasSize(1);
    return committer;
  }

  /** With a file of its own. */
  private void endOtherJob(boolean aborting) throws IOException {
    Path table = cluster.s3("table");
    TaskAttemptContext task = task(table, 2);
    if (!aborting) {
      task.getConfiguration().setBoolean("fs.s3a.committer.abort.pending.uploads", false);
    }
    MagicS3GuardCommitter other = new MagicS3GuardCommitter(table, task);
    other.setupJob(task);
    other.setupTask(task);
    Path file = new Path(other.getWorkPath(), "other");
    try (OutputStream out = file.getFileSystem(task.getConfiguration()).create(file)) {
      out.write('2');
    }
    other.commitTask(task);
    other.commitJob(task);
  }

  private TaskAttemptContext task(Path destination, int job) throws IOException {
    return cluster.attempt(destination, job, 0);
  }
}
