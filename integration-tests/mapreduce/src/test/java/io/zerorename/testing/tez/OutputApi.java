package io.zerorename.testing.tez;

import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.JobConf;
import org.apache.tez.dag.api.DataSinkDescriptor;
import org.apache.tez.mapreduce.output.MROutput;

/** The APIs of Hadoop's output formats, each of which has its own way to find a committer. */
public enum OutputApi {
  MAPRED(org.apache.hadoop.mapred.TextOutputFormat.class),
  MAPREDUCE(org.apache.hadoop.mapreduce.lib.output.TextOutputFormat.class);

  private final Class<?> textFormat;

  OutputApi(Class<?> textFormat) {
    this.textFormat = textFormat;
  }

  /** A sink of lines of text. */
  public DataSinkDescriptor sink(Configuration conf, Path directory) {
    return sink(conf, directory, Map.of());
  }

  /** A sink of lines of text with settings of its own. */
  public DataSinkDescriptor sink(Configuration conf, Path directory, Map<String, String> settings) {
    JobConf ofSink = new JobConf(conf);
    settings.forEach(ofSink::set);
    return MROutput.createConfigBuilder(ofSink, textFormat, directory.toString()).build();
  }
}
