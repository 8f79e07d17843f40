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
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.RecordWriter;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapred.TaskAttemptContextImpl;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter;
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitterFactory;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;
import org.apache.hadoop.util.Progressable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Output formats that write to the path of Hadoop's committer, whichever is the job's. A job of one
 * fails, and what its message says to set is what makes it succeed.
 */
class StrayOutputTest {
  private static final List<String> LINES = List.of("1", "2", "3");

  @TempDir private File directory;
  private TestCluster cluster;

  @BeforeEach
  void start() throws IOException {
    cluster = TestCluster.in(directory).withCommitter();
    Files.write(new File(directory, "input").toPath(), LINES);
  }

  @AfterEach
  void stop() throws IOException {
    cluster.close();
  }

  @Test
  void ofTheOlderApi() throws Exception {
    JobConf lost = oldJob("lost", cluster.conf());
    assertThatThrownBy(() -> LocalJobs.run(lost))
        .rootCause()
        .hasMessageContaining("ZR-2230: Task attempt ")
        .hasMessageContaining(
            "set mapred.output.committer.class to org.apache.hadoop.mapred.FileOutputCommitter");
    assertThatItsFilesAreTemporary();

    Configuration conf = cluster.conf();
    conf.set("mapred.output.committer.class", "org.apache.hadoop.mapred.FileOutputCommitter");
    LocalJobs.run(oldJob("stock", conf));
    assertThat(cluster.lines("stock")).containsExactlyElementsOf(LINES);
  }

  /** What HCatalog has set for an output leaves it to Hadoop's committer; HCatalogTest runs it. */
  @Test
  void ofHCatalog() throws Exception {
    Configuration conf = cluster.conf();
    conf.set("mapreduce.lib.hcatoutput.info", "a table");
    LocalJobs.run(oldJob("table", conf));
    assertThat(cluster.lines("table")).containsExactlyElementsOf(LINES);
  }

  @Test
  void ofTheNewApi() throws Exception {
    Job lost = newJob("lost", cluster.conf());
    assertThatThrownBy(() -> LocalJobs.run(lost))
        .rootCause()
        .hasMessageContaining("ZR-2231: The output of ")
        .hasMessageContaining(FileOutputCommitterFactory.class.getName());
    assertThatItsFilesAreTemporary();

    Configuration conf = cluster.conf();
    conf.set(
        "mapreduce.outputcommitter.factory.scheme.s3a", FileOutputCommitterFactory.class.getName());
    LocalJobs.run(newJob("stock", conf));
    assertThat(cluster.lines("stock")).containsExactly("0\t1", "2\t2", "4\t3");
  }

  private void assertThatItsFilesAreTemporary() {
    assertThat(cluster.bucket().files("lost/")).allMatch(key -> key.startsWith("lost/_temporary/"));
  }

  private JobConf oldJob(String output, Configuration conf) {
    JobConf job = new JobConf(conf);
    job.setNumReduceTasks(0);
    org.apache.hadoop.mapred.FileInputFormat.setInputPaths(job, new Path(cluster.local("input")));
    org.apache.hadoop.mapred.FileOutputFormat.setOutputPath(job, cluster.s3(output));
    job.setOutputFormat(OldFormat.class);
    return job;
  }

  private Job newJob(String output, Configuration conf) throws IOException {
    Job job = Job.getInstance(conf);
    job.setNumReduceTasks(0);
    FileInputFormat.setInputPaths(job, new Path(cluster.local("input")));
    FileOutputFormat.setOutputPath(job, cluster.s3(output));
    job.setOutputFormatClass(NewFormat.class);
    return job;
  }

  /** Notes its path, as HCatalog does. */
  static final class OldFormat
      extends org.apache.hadoop.mapred.TextOutputFormat<LongWritable, Text> {
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

  /** Tells nobody where it writes. */
  static final class NewFormat extends TextOutputFormat<LongWritable, Text> {
    @Override
    public Path getDefaultWorkFile(TaskAttemptContext task, String extension) {
      return new Path(
          FileOutputCommitter.getTaskAttemptPath(task, getOutputPath(task)),
          getUniqueFile(task, getOutputName(task), extension));
    }
  }
}
