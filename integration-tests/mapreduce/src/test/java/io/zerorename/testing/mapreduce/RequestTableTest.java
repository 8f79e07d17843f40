package io.zerorename.testing.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.testing.s3server.RequestCounts;
import io.zerorename.testing.s3server.RequestType;
import java.io.IOException;
import java.io.OutputStream;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.LazyOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What a job costs in requests to S3: so many per file, per task and per job. HDFS is the default
 * file system, so the committer's records are there.
 */
@ExtendWith(ClusterExtension.class)
@Tag("thorough")
final class RequestTableTest {
  private static final int FILE_BYTES = 100 * 1024;
  private static final String FILES = "test.files";

  /** Of the output format, which looks whether the destination exists. */
  private static final long CHECK_OUTPUT_SPECS = 2;

  /**
   * Per job: two listings of the destination, which must be empty for plain names, one of its
   * uploads, and _SUCCESS; of the commit's log its listing, the job's entry and the marker of its
   * end.
   */
  private static final Cost OURS = new Cost(3, 0, 7);

  /** Per task its manifest, written and read; names are unique, so that nothing need be empty. */
  private static final Cost ON_S3_ALONE = new Cost(3, 2, 10);

  private final MapReduceCluster cluster;

  RequestTableTest(MapReduceCluster cluster) {
    this.cluster = cluster;
  }

  /** The requests of any job, as a sum. */
  private record Cost(long perFile, long perTask, long perJob) {
    long of(int tasks, int filesPerTask) {
      return perJob + tasks * perTask + (long) tasks * filesPerTask * perFile;
    }
  }

  @Test
  void aFileCostsThreeRequestsAndATaskNone() throws Exception {
    assertThat(measureOurs(Committer.ZERO_RENAME)).isEqualTo(OURS);
    assertThat(measureOurs(Committer.ZERO_RENAME_ON_S3_ALONE)).isEqualTo(ON_S3_ALONE);
    assertThat(measure(Committer.S3A_MAGIC)).isEqualTo(new Cost(7, 12, 19));
    assertThat(measure(Committer.S3A_MAGIC_IN_MEMORY)).isEqualTo(new Cost(3, 10, 19));
  }

  @Test
  void jobOnYarnCostsWhatTheTableSays() throws Exception {
    firstJobOfTheDay(Committer.ZERO_RENAME);
    RequestCounts counts = run("requests-yarn", Committer.ZERO_RENAME, "yarn", 2, 3);

    assertThat(counts.total() - CHECK_OUTPUT_SPECS).as(counts.toString()).isEqualTo(OURS.of(2, 3));
    assertThat(counts.of(RequestType.LIST_MULTIPART_UPLOADS)).as("of uploads of tasks").isOne();
    assertThat(counts.copies()).isZero();
  }

  /** The first job of the day looks what the store can do, and for how long it keeps uploads. */
  private Cost measureOurs(Committer committer) throws Exception {
    firstJobOfTheDay(committer);
    return measure(committer);
  }

  /** Three unknowns from three jobs, and a fourth that must fit. */
  private Cost measure(Committer committer) throws Exception {
    long small = local(committer, 1, 1);
    long perFile = (local(committer, 1, 3) - small) / 2;
    long perTask = (local(committer, 3, 1) - small) / 2 - perFile;
    Cost cost = new Cost(perFile, perTask, small - perFile - perTask);
    assertThat(local(committer, 2, 4))
        .as("2 tasks of 4 files by %s", committer)
        .isEqualTo(cost.of(2, 4));
    return cost;
  }

  private void firstJobOfTheDay(Committer committer) throws Exception {
    local("requests-first-" + committer + "-" + UUID.randomUUID(), committer, 1, 1);
  }

  private long local(Committer committer, int tasks, int files) throws Exception {
    return local("requests-" + committer + "-" + tasks + "-" + files, committer, tasks, files);
  }

  private long local(String name, Committer committer, int tasks, int files) throws Exception {
    // The file system of this JVM has the settings of the committer before.
    cluster.s3a("requests").getFileSystem(cluster.newConfiguration()).close();
    return run(name, committer, "local", tasks, files).total() - CHECK_OUTPUT_SPECS;
  }

  private RequestCounts run(
      String name, Committer committer, String framework, int tasks, int files) throws Exception {
    TextJob text = TextJob.withInput(cluster, name, tasks);
    Configuration conf = committer.in(cluster.newConfiguration());
    conf.set("mapreduce.framework.name", framework);
    conf.setInt(FILES, files);
    Job job = text.job(conf);
    job.setMapperClass(FilesMapper.class);
    LazyOutputFormat.setOutputFormatClass(job, TextOutputFormat.class);
    assertThat(job.waitForCompletion(false)).isTrue();
    RequestCounts counts = text.requests();
    assertThat(cluster.bucket().objects(name + "/").values())
        .filteredOn(size -> size == FILE_BYTES)
        .hasSize(tasks * files);
    return counts;
  }

  /** Writes files, whatever its input. */
  static final class FilesMapper extends Mapper<Text, Text, Text, Text> {
    @Override
    protected void cleanup(Context context) throws IOException, InterruptedException {
      for (int i = 0; i < context.getConfiguration().getInt(FILES, 0); i++) {
        Path file = FileOutputFormat.getPathForWorkFile(context, "file" + i, "");
        FileSystem fs = file.getFileSystem(context.getConfiguration());
        try (OutputStream out = fs.create(file, false)) {
          out.write(new byte[FILE_BYTES]);
        }
      }
    }

    @Override
    protected void map(Text key, Text value, Context context) {}
  }
}
