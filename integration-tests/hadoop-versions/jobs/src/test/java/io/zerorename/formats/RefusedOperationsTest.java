package io.zerorename.formats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.zerorename.versions.LocalJobs;
import io.zerorename.versions.TestCluster;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a multipart upload makes impossible in a task's work directory is refused, with a reason.
 */
class RefusedOperationsTest {
  private static final String OUT = "out";
  private static final int LENGTH = 6 << 20;

  @TempDir private File directory;
  private TestCluster cluster;
  private FormatJob job;

  @BeforeEach
  void start() throws IOException {
    cluster = TestCluster.in(directory).withCommitter();
    job = new FormatJob(new File(directory, "input"));
  }

  @AfterEach
  void stop() throws IOException {
    cluster.close();
  }

  @Test
  void refusalsNameTheirReasonAndLeaveTheTasksFilesAsTheyWere() throws Exception {
    Job v2 = job.v2(cluster.conf(), cluster.s3(OUT));
    v2.setMapperClass(Refused.class);

    LocalJobs.run(v2);

    for (int map = 0; map < FormatJob.MAPS; map++) {
      List<String> refusals = cluster.text(OUT + "/part-m-0000" + map).lines().toList();
      assertThat(refusals).hasSize(4);
      assertThat(refusals.get(0)).contains("rename").contains("key is fixed");
      assertThat(refusals.get(1)).contains("append").contains("bytes cannot be changed");
      assertThat(refusals.get(2)).contains("Not implemented by the PendingFileSystem");
      assertThat(refusals.get(3)).contains("byte 0").contains("upload that is not completed");
    }
    assertThat(cluster.bucket().objects(OUT + "/side/").values())
        .containsExactly((long) LENGTH, (long) LENGTH);
    assertThat(cluster.bucket().pendingUploads("")).isEmpty();
  }

  @Test
  void taskThatDoesNotCatchTheRefusalFailsTheJobAndLeavesNothing() throws Exception {
    Job v2 = job.v2(cluster.conf(), cluster.s3(OUT));
    v2.setMapperClass(Renames.class);

    assertThatThrownBy(() -> LocalJobs.run(v2))
        .hasRootCauseInstanceOf(UnsupportedOperationException.class)
        .rootCause()
        .hasMessageContaining("cannot rename");

    assertThat(cluster.files()).isEmpty();
    assertThat(cluster.bucket().pendingUploads("")).isEmpty();
  }

  @FunctionalInterface
  private interface Operation {
    void run() throws IOException;
  }

  /** Writes a side file, tries each operation on it, and makes its refusal a record. */
  static final class Refused extends Mapper<LongWritable, Text, Text, Text> {
    @Override
    public void run(Context context) throws IOException, InterruptedException {
      Path file = sideFile(context);
      FileSystem fileSystem = file.getFileSystem(context.getConfiguration());
      for (Operation operation :
          List.<Operation>of(
              () -> fileSystem.rename(file, file.suffix("-renamed")),
              () -> fileSystem.append(file).close(),
              () -> fileSystem.truncate(file, 1),
              () -> read(fileSystem, file))) {
        try {
          operation.run();
        } catch (UnsupportedOperationException | IOException e) {
          context.write(new Text(e.getClass().getSimpleName()), new Text(e.getMessage()));
        }
      }
    }

    private static void read(FileSystem fileSystem, Path file) throws IOException {
      try (InputStream in = fileSystem.open(file)) {
        in.read();
      }
    }
  }

  /** Writes to a temporary name and renames, as some jobs do. */
  static final class Renames extends Mapper<LongWritable, Text, Text, Text> {
    @Override
    public void run(Context context) throws IOException, InterruptedException {
      Path file = sideFile(context);
      file.getFileSystem(context.getConfiguration()).rename(file, file.suffix("-renamed"));
    }
  }

  /** Longer than what is kept of a file's end for reading. */
  private static Path sideFile(Mapper<LongWritable, Text, Text, Text>.Context context)
      throws IOException, InterruptedException {
    Configuration conf = context.getConfiguration();
    Path file =
        new Path(
            FileOutputFormat.getWorkOutputPath(context),
            "side/" + context.getTaskAttemptID().getTaskID());
    try (OutputStream out = file.getFileSystem(conf).create(file)) {
      out.write(new byte[LENGTH]);
    }
    return file;
  }
}
