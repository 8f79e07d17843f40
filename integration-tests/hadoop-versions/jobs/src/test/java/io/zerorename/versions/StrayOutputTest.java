package io.zerorename.versions;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.FileInputFormat;
import org.apache.hadoop.mapred.FileOutputFormat;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.RecordWriter;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapred.TaskAttemptContextImpl;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TextOutputFormat;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter;
import org.apache.hadoop.util.Progressable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An output format of the older API that writes to the path of Hadoop's committer, whichever is the
 * job's. TaskAttemptsTest has one of the new API, and HCatalogTest what HCatalog writes.
 */
class StrayOutputTest {
  @TempDir private File directory;
  private TestCluster cluster;

  @BeforeEach
  void start() throws IOException {
    cluster = TestCluster.in(directory).withCommitter();
    Files.write(new File(directory, "input").toPath(), List.of("1", "2", "3"));
  }

  @AfterEach
  void stop() throws IOException {
    cluster.close();
  }

  @Test
  void aJobFailsAndItsMessageSaysWhatToSet() throws Exception {
    JobConf lost = job("lost", cluster.conf());
    assertThatThrownBy(() -> LocalJobs.run(lost))
        .rootCause()
        .hasMessageContaining("ZR-2230: Task attempt ")
        .hasMessageContaining(
            "set mapred.output.committer.class to org.apache.hadoop.mapred.FileOutputCommitter");
    assertThat(cluster.bucket().files("lost/")).allMatch(key -> key.startsWith("lost/_temporary/"));

    Configuration conf = cluster.conf();
    conf.set("mapred.output.committer.class", "org.apache.hadoop.mapred.FileOutputCommitter");
    LocalJobs.run(job("stock", conf));
    assertThat(cluster.lines("stock")).containsExactly("1", "2", "3");
  }

  private JobConf job(String output, Configuration conf) {
    JobConf job = new JobConf(conf);
    job.setNumReduceTasks(0);
    FileInputFormat.setInputPaths(job, new Path(cluster.local("input")));
    FileOutputFormat.setOutputPath(job, cluster.s3(output));
    job.setOutputFormat(OldFormat.class);
    return job;
  }

  /** Notes its path, as HCatalog does. */
  static final class OldFormat extends TextOutputFormat<LongWritable, Text> {
    @Override
    public RecordWriter<LongWritable, Text> getRecordWriter(
        FileSystem ignored, JobConf job, String name, Progressable progress) throws IOException {
      TaskAttemptContext task =
          new TaskAttemptContextImpl(
              job, TaskAttemptID.forName(job.get(MRJobConfig.TASK_ATTEMPT_ID)));
      Path work = new FileOutputCommitter(getOutputPath(job), task).getWorkPath();
      job.set(MRJobConfig.TASK_OUTPUT_DIR, work.toString());
      Path file = new Path(work, name);
      OutputStream out = file.getFileSystem(job).create(file);
      return new RecordWriter<>() {
        @Override
        public void write(LongWritable offset, Text line) throws IOException {
          out.write((line + "\n").getBytes(UTF_8));
        }

        @Override
        public void close(Reporter reporter) throws IOException {
          out.close();
        }
      };
    }
  }
}
