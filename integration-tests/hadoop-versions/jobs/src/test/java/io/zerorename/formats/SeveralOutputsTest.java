package io.zerorename.formats;

import static org.assertj.core.api.Assertions.assertThat;

import io.zerorename.versions.LocalJobs;
import io.zerorename.versions.TestCluster;
import java.io.File;
import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapReduceBase;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.output.LazyOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.MultipleOutputs;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tasks that write no file, several files, files in directories of their own, and files past their
 * output format. The first map task of two reads the ids from 0 to 19, the second the others.
 */
class SeveralOutputsTest {
  private static final String OUT = "out";

  @TempDir private File directory;
  private TestCluster cluster;
  private Configuration conf;
  private FormatJob job;

  @BeforeEach
  void start() throws IOException {
    cluster = TestCluster.in(directory).withCommitter();
    conf = cluster.conf();
    job = new FormatJob(new File(directory, "input"));
  }

  @AfterEach
  void stop() throws IOException {
    cluster.close();
  }

  @Test
  void lazyV2WritesNoFileWhereATaskHasNoRecords() throws Exception {
    Job v2 = job.v2(conf, cluster.s3(OUT));
    v2.setMapperClass(LargeIdsV2.class);
    LazyOutputFormat.setOutputFormatClass(v2, TextOutputFormat.class);
    LocalJobs.run(v2);
    assertThat(cluster.dataFiles(OUT)).hasSize(1);
    assertThat(cluster.lines(OUT)).isEqualTo(ids(20, 1));
    assertNothingPending();
  }

  @Test
  void multipleOutputsV1WriteAFileForEachNameBesideTheMainOne() throws Exception {
    JobConf v1 = job.v1(conf, cluster.s3(OUT));
    v1.setMapperClass(EvenAndOddV1.class);
    for (String name : List.of("even", "odd")) {
      org.apache.hadoop.mapred.lib.MultipleOutputs.addNamedOutput(
          v1,
          name,
          org.apache.hadoop.mapred.TextOutputFormat.class,
          Text.class,
          NullWritable.class);
    }
    LocalJobs.run(v1);
    assertThat(cluster.dataFiles(OUT))
        .containsExactly(
            OUT + "/even-m-00000",
            OUT + "/even-m-00001",
            OUT + "/odd-m-00000",
            OUT + "/odd-m-00001",
            OUT + "/part-00000",
            OUT + "/part-00001");
    assertThat(linesOf("/even-")).isEqualTo(ids(0, 2));
    assertThat(linesOf("/odd-")).isEqualTo(ids(1, 2));
    assertThat(linesOf("/part-")).isEmpty();
    assertNothingPending();
  }

  @Test
  void multipleOutputsV2WriteFilesInDirectoriesOfTheirOwn() throws Exception {
    Job v2 = job.v2(conf, cluster.s3(OUT));
    v2.setMapperClass(EvenAndOddV2.class);
    LazyOutputFormat.setOutputFormatClass(v2, TextOutputFormat.class);
    LocalJobs.run(v2);
    assertThat(cluster.dataFiles(OUT))
        .containsExactly(
            OUT + "/kind=even/part-m-00000",
            OUT + "/kind=even/part-m-00001",
            OUT + "/kind=odd/part-m-00000",
            OUT + "/kind=odd/part-m-00001");
    assertThat(linesOf("/kind=even/")).isEqualTo(ids(0, 2));
    assertThat(linesOf("/kind=odd/")).isEqualTo(ids(1, 2));
    assertNothingPending();
  }

  private List<String> linesOf(String name) {
    return cluster.dataFiles(OUT).stream()
        .filter(key -> key.contains(name))
        .flatMap(key -> cluster.text(key).lines())
        .sorted()
        .toList();
  }

  /** From one id on each so many-th, as sorted lines. */
  private static List<String> ids(int from, int step) {
    return IntStream.iterate(from, id -> id < FormatJob.IDS, id -> id + step)
        .mapToObj(Integer::toString)
        .sorted()
        .toList();
  }

  private void assertNothingPending() {
    assertThat(cluster.bucket().pendingUploads("")).isEmpty();
  }

  private static boolean isLarge(Text id) {
    return Integer.parseInt(id.toString()) >= 20;
  }

  private static String kind(Text id) {
    return Integer.parseInt(id.toString()) % 2 == 0 ? "even" : "odd";
  }

  static final class LargeIdsV2 extends Mapper<LongWritable, Text, Text, NullWritable> {
    @Override
    protected void map(LongWritable offset, Text id, Context context)
        throws IOException, InterruptedException {
      if (isLarge(id)) {
        context.write(id, NullWritable.get());
      }
    }
  }

  static final class EvenAndOddV1 extends MapReduceBase
      implements org.apache.hadoop.mapred.Mapper<LongWritable, Text, Text, NullWritable> {
    private org.apache.hadoop.mapred.lib.MultipleOutputs outputs;

    @Override
    public void configure(JobConf conf) {
      outputs = new org.apache.hadoop.mapred.lib.MultipleOutputs(conf);
    }

    @Override
    @SuppressWarnings("unchecked")
    public void map(
        LongWritable offset, Text id, OutputCollector<Text, NullWritable> out, Reporter reporter)
        throws IOException {
      outputs.getCollector(kind(id), reporter).collect(id, NullWritable.get());
    }

    @Override
    public void close() throws IOException {
      outputs.close();
    }
  }

  static final class EvenAndOddV2 extends Mapper<LongWritable, Text, Text, NullWritable> {
    private MultipleOutputs<Text, NullWritable> outputs;

    @Override
    protected void setup(Context context) {
      outputs = new MultipleOutputs<>(context);
    }

    @Override
    protected void map(LongWritable offset, Text id, Context context)
        throws IOException, InterruptedException {
      outputs.write(id, NullWritable.get(), "kind=" + kind(id) + "/part");
    }

    @Override
    protected void cleanup(Context context) throws IOException, InterruptedException {
      outputs.close();
    }
  }
}
