package io.zerorename.attempts;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.versions.Api;
import io.zerorename.versions.TestCluster;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystemCache;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.JobClient;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.input.NLineInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One JVM runs many task attempts (uber jobs, reused Tez containers) and must not grow. */
class ManyAttemptsTest {
  private static final int WARM_UP = 100;

  /** Far less than what the attempts would hold if they stayed: a configuration each, at least. */
  private static final long GROWTH = 8L << 20;

  @TempDir private File directory;
  private TestCluster cluster;

  @BeforeEach
  void start() throws IOException {
    cluster = TestCluster.in(directory).withCommitter();
  }

  @AfterEach
  void stop() throws IOException {
    cluster.close();
  }

  /**
   * With records in the bucket there are more attempts, because Hadoop starts a process for each
   * file that it makes on local disk.
   */
  @ParameterizedTest
  @CsvSource({"V1, true, 200", "V2, true, 1000", "V2, false, 200"})
  void jvmDoesNotGrowWithTheAttemptsThatItHasRun(Api api, boolean recordsOnS3, int attempts)
      throws Exception {
    Configuration conf = cluster.conf();
    if (recordsOnS3) {
      conf.set("zerorename.work.dir", cluster.s3("records").toString());
    }
    run(api, conf, WARM_UP, "warm-up");
    int cached = FileSystemCache.size();
    int threads = ManagementFactory.getThreadMXBean().getThreadCount();
    long heap = heapInUse();

    run(api, conf, attempts, "out");

    long growth = heapInUse() - heap;
    System.out.printf("%s: %d attempts, the heap grew by %d bytes%n", api, attempts, growth);
    assertThat(FileSystemCache.size()).isEqualTo(cached);
    // S3A keeps up to 96 idle threads.
    assertThat(ManagementFactory.getThreadMXBean().getThreadCount()).isLessThan(threads + 100);
    assertThat(growth).isLessThan(GROWTH);
  }

  private void run(Api api, Configuration base, int attempts, String output) throws Exception {
    List<String> lines =
        IntStream.range(0, attempts).mapToObj(i -> String.format("%06d", i)).toList();
    File input = new File(directory, output + "-input");
    Files.write(input.toPath(), lines, UTF_8);
    Configuration conf = new Configuration(base);
    conf.setInt(NLineInputFormat.LINES_PER_MAP, 1);
    conf.setInt("mapreduce.local.map.tasks.maximum", 8);
    if (api == Api.V1) {
      runV1(conf, new Path(input.toURI()), cluster.s3(output));
    } else {
      runV2(conf, new Path(input.toURI()), cluster.s3(output));
    }
    assertThat(cluster.dataFiles(output)).hasSize(attempts);
    assertThat(cluster.bucket().pendingUploads("")).isEmpty();
  }

  private static void runV1(Configuration conf, Path input, Path output) throws IOException {
    JobConf job = new JobConf(conf);
    job.setInputFormat(org.apache.hadoop.mapred.lib.NLineInputFormat.class);
    org.apache.hadoop.mapred.FileInputFormat.setInputPaths(job, input);
    org.apache.hadoop.mapred.FileOutputFormat.setOutputPath(job, output);
    job.setNumReduceTasks(0);
    JobClient.runJob(job);
  }

  private static void runV2(Configuration conf, Path input, Path output) throws Exception {
    Job job = Job.getInstance(conf);
    job.setInputFormatClass(NLineInputFormat.class);
    NLineInputFormat.setInputPaths(job, input);
    FileOutputFormat.setOutputPath(job, output);
    job.setNumReduceTasks(0);
    assertThat(job.waitForCompletion(false)).isTrue();
  }

  private static long heapInUse() {
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
