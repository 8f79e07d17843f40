package io.zerorename.formats;

import io.zerorename.versions.Api;
import io.zerorename.versions.LocalJobs;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.OutputFormat;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;

/** A map-only job that writes the ids 0 to 39 in one format, by two map tasks. */
final class FormatJob {
  static final int MAPS = 2;
  static final int IDS = 40;
  private static final int IDS_PER_MAP = IDS / MAPS;
  static final String FORMAT_KEY = "test.format";

  private final Path input;

  /** Writes the input to a local directory. */
  FormatJob(File directory) throws IOException {
    Files.createDirectories(directory.toPath());
    for (int map = 0; map < MAPS; map++) {
      long first = (long) map * IDS_PER_MAP;
      List<String> ids =
          LongStream.range(0, IDS_PER_MAP).map(id -> id + first).mapToObj(Long::toString).toList();
      Files.write(new File(directory, "in-" + map).toPath(), ids);
    }
    input = new Path(directory.toURI());
  }

  static Format formatOf(Configuration conf) {
    return conf.getEnum(FORMAT_KEY, Format.TEXT);
  }

  /** All records of the output, in the order of the ids. */
  static List<String> records() {
    return LongStream.range(0, IDS).mapToObj(Format::record).toList();
  }

  /** Runs the job into a directory that does not exist. */
  void run(Api api, Format format, Configuration conf, Path output) throws Exception {
    run(api, format, api == Api.V1 ? format.v1() : format.v2(), conf, output);
  }

  /** Runs the job into a directory that may exist. */
  void append(Api api, Format format, Configuration conf, Path output) throws Exception {
    run(api, format, api == Api.V1 ? AppendingV1.class : AppendingV2.class, conf, output);
  }

  private void run(Api api, Format format, Class<?> outputFormat, Configuration base, Path output)
      throws Exception {
    Configuration conf = new Configuration(base);
    conf.setEnum(FORMAT_KEY, format);
    format.configure(conf);
    if (api == Api.V1) {
      conf.setClass(
          "mapred.output.format.class", outputFormat, org.apache.hadoop.mapred.OutputFormat.class);
      LocalJobs.run(v1(conf, output));
    } else {
      conf.setClass(MRJobConfig.OUTPUT_FORMAT_CLASS_ATTR, outputFormat, OutputFormat.class);
      LocalJobs.run(v2(conf, output));
    }
  }

  /** The job in one API, for a caller that sets another mapper and output format. */
  JobConf v1(Configuration conf, Path output) {
    JobConf job = new JobConf(conf);
    org.apache.hadoop.mapred.FileInputFormat.setInputPaths(job, input);
    org.apache.hadoop.mapred.FileOutputFormat.setOutputPath(job, output);
    job.setMapperClass(IdMapperV1.class);
    job.setNumReduceTasks(0);
    return job;
  }

  /** The job in the other API. */
  Job v2(Configuration conf, Path output) throws IOException {
    Job job = Job.getInstance(conf);
    FileInputFormat.setInputPaths(job, input);
    FileOutputFormat.setOutputPath(job, output);
    job.setMapperClass(IdMapperV2.class);
    job.setNumReduceTasks(0);
    return job;
  }
}
