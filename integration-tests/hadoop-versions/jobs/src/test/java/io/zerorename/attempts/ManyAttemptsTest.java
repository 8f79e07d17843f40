package io.zerorename.attempts;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.versions.LocalJobs;
import io.zerorename.versions.TestCluster;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import javax.management.JMException;
import javax.management.ObjectName;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystemCache;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.input.NLineInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One JVM runs many task attempts (uber jobs, reused Tez containers) and must not grow. */
class ManyAttemptsTest {
  private static final int WARM_UP = 50;

  /** A leak leaves an object of each attempt: counted, 100 show it as well as 1,000. */
  private static final int ATTEMPTS = 100;

  private static final long MAX_GROWTH = ATTEMPTS / 10;
  private static final int PATIENCE_SECONDS = 120;

  /** What would stay if attempts did: our objects, Hadoop's contexts and configurations. */
  private static final Pattern OF_AN_ATTEMPT =
      Pattern.compile(
          "io\\.zerorename\\.(?:core|magic)\\..*"
              + "|org\\.apache\\.hadoop\\.conf\\.Configuration"
              + "|org\\.apache\\.hadoop\\.mapred\\.JobConf"
              + "|org\\.apache\\.hadoop\\.mapred(?:uce\\.task)?\\.TaskAttemptContextImpl");

  /** A line of a class histogram: rank, instances, bytes, class. */
  private static final Pattern CLASS =
      Pattern.compile("^ *\\d+: +(\\d+) +\\d+ +(\\S+)", Pattern.MULTILINE);

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

  @Test
  void jvmDoesNotGrowWithTheAttemptsThatItHasRun() throws Exception {
    run(WARM_UP, "warm-up");
    int cached = FileSystemCache.size();
    int threads = ManagementFactory.getThreadMXBean().getThreadCount();
    Map<String, Long> before = liveObjects();
    assertThat(before).containsKey(Configuration.class.getName());
    assertThat(before.keySet()).anyMatch(name -> name.startsWith("io.zerorename."));

    run(ATTEMPTS, "out");

    Map<String, Long> growth = growthSince(before);
    // Hadoop's threads of a job hold its configurations until they end, after the job.
    for (int i = 0; i < PATIENCE_SECONDS && !growth.isEmpty(); i++) {
      TimeUnit.SECONDS.sleep(1);
      growth = growthSince(before);
    }
    assertThat(FileSystemCache.size()).isEqualTo(cached);
    // S3A keeps up to 96 idle threads.
    assertThat(ManagementFactory.getThreadMXBean().getThreadCount()).isLessThan(threads + 100);
    assertThat(growth).as("more live objects after %s further attempts", ATTEMPTS).isEmpty();
  }

  private void run(int attempts, String output) throws Exception {
    List<String> lines =
        IntStream.range(0, attempts).mapToObj(i -> String.format("%06d", i)).toList();
    File input = new File(directory, output + "-input");
    Files.write(input.toPath(), lines, UTF_8);
    Job job = Job.getInstance(cluster.conf());
    job.getConfiguration().setInt(NLineInputFormat.LINES_PER_MAP, 1);
    job.getConfiguration().setInt("mapreduce.local.map.tasks.maximum", 8);
    job.setInputFormatClass(NLineInputFormat.class);
    NLineInputFormat.setInputPaths(job, new Path(input.toURI()));
    FileOutputFormat.setOutputPath(job, cluster.s3(output));
    job.setNumReduceTasks(0);
    LocalJobs.run(job);
    assertThat(cluster.dataFiles(output)).hasSize(attempts);
    assertThat(cluster.bucket().pendingUploads("")).isEmpty();
  }

  /** The classes of which there are too many more instances, and how many more there are. */
  private static Map<String, Long> growthSince(Map<String, Long> before) throws JMException {
    Map<String, Long> growth = liveObjects();
    growth.replaceAll((name, number) -> number - before.getOrDefault(name, 0L));
    growth.values().removeIf(more -> more < MAX_GROWTH);
    return growth;
  }

  /**
   * How many instances of each class are alive, of those that an attempt would keep alive. The
   * number is exact, while the bytes in use depend on what else the machine does.
   */
  private static Map<String, Long> liveObjects() throws JMException {
    Map<String, Long> instances = new TreeMap<>();
    Matcher line = CLASS.matcher(histogramAfterCollection());
    while (line.find()) {
      String name = line.group(2).replaceFirst("\\$\\$Lambda.*", "\\$\\$Lambda");
      if (OF_AN_ATTEMPT.matcher(name).matches()) {
        instances.merge(name, Long.valueOf(line.group(1)), Long::sum);
      }
    }
    return instances;
  }

  /** {@code jcmd GC.class_histogram}, of this JVM. It collects all garbage before it counts. */
  private static String histogramAfterCollection() throws JMException {
    return (String)
        ManagementFactory.getPlatformMBeanServer()
            .invoke(
                new ObjectName("com.sun.management:type=DiagnosticCommand"),
                "gcClassHistogram",
                new Object[] {new String[0]},
                new String[] {String[].class.getName()});
  }
}
