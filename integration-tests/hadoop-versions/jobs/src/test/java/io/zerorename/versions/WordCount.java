package io.zerorename.versions;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.lib.LongSumReducer;
import org.apache.hadoop.mapred.lib.TokenCountMapper;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.map.TokenCounterMapper;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;
import org.apache.hadoop.mapreduce.lib.reduce.IntSumReducer;

/**
 * Counts the words of generated files, one map task per file. Without reduce tasks the output holds
 * each occurrence of a word with the count 1.
 */
final class WordCount {
  static final int MAPS = 6;
  private static final int WORDS = 50;
  private static final int LINES = 200;

  private final Path input;
  private final Map<String, Long> counts = new TreeMap<>();

  /** Writes the input to a local directory. */
  WordCount(java.nio.file.Path directory) throws IOException {
    Files.createDirectories(directory);
    input = new Path(directory.toUri());
    for (int file = 0; file < MAPS; file++) {
      StringBuilder text = new StringBuilder();
      for (int line = 0; line < LINES; line++) {
        String word = "word" + (file * 7 + line * 13) % WORDS;
        text.append(word).append(" all\n");
        counts.merge(word, 1L, Long::sum);
        counts.merge("all", 1L, Long::sum);
      }
      Files.writeString(directory.resolve("in-" + file), text, UTF_8);
    }
  }

  /** The lines that the whole output must have, sorted. */
  List<String> expected(int reducers) {
    Stream<String> lines =
        reducers > 0
            ? counts.entrySet().stream().map(count -> count.getKey() + "\t" + count.getValue())
            : counts.entrySet().stream()
                .flatMap(
                    count -> Stream.generate(() -> count.getKey() + "\t1").limit(count.getValue()));
    return lines.sorted().toList();
  }

  /** Runs the job in the API of {@code org.apache.hadoop.mapred}, and returns its counters. */
  Counters runV1(Configuration conf, Path output, int reducers) throws Exception {
    JobConf job = new JobConf(conf);
    job.setJobName("word count v1");
    org.apache.hadoop.mapred.FileInputFormat.setInputPaths(job, input);
    org.apache.hadoop.mapred.FileOutputFormat.setOutputPath(job, output);
    job.setInputFormat(org.apache.hadoop.mapred.TextInputFormat.class);
    job.setOutputFormat(TextV1.class);
    job.setMapperClass(TokenCountMapper.class);
    job.setReducerClass(LongSumReducer.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(LongWritable.class);
    job.setNumReduceTasks(reducers);
    return new Counters(LocalJobs.run(job).getCounters());
  }

  /** Runs the job in the API of {@code org.apache.hadoop.mapreduce}, and returns its counters. */
  Counters runV2(Configuration conf, Path output, int reducers) throws Exception {
    Job job = Job.getInstance(conf, "word count v2");
    FileInputFormat.setInputPaths(job, input);
    FileOutputFormat.setOutputPath(job, output);
    job.setOutputFormatClass(TextV2.class);
    job.setMapperClass(TokenCounterMapper.class);
    job.setReducerClass(IntSumReducer.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(IntWritable.class);
    job.setNumReduceTasks(reducers);
    LocalJobs.run(job);
    return job.getCounters();
  }

  /** Hadoop's own does not begin where there is a directory, which is the committer's to judge. */
  static final class TextV1<K, V> extends org.apache.hadoop.mapred.TextOutputFormat<K, V> {
    @Override
    public void checkOutputSpecs(FileSystem ignored, JobConf job) {}
  }

  /** The same in the other API. */
  static final class TextV2<K, V> extends TextOutputFormat<K, V> {
    @Override
    public void checkOutputSpecs(JobContext job) {}
  }
}
