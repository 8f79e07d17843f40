package io.zerorename.formats;

import java.io.IOException;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapReduceBase;
import org.apache.hadoop.mapred.Mapper;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.Reporter;

/** Writes, for each id that it reads, the record that the job's {@link Format} makes of it. */
final class IdMapperV1 extends MapReduceBase implements Mapper<LongWritable, Text, Object, Object> {
  private Format format;

  @Override
  public void configure(JobConf job) {
    format = FormatJob.formatOf(job);
  }

  @Override
  public void map(
      LongWritable offset, Text line, OutputCollector<Object, Object> out, Reporter reporter)
      throws IOException {
    long id = Long.parseLong(line.toString());
    out.collect(format.key(id), format.value(id));
  }
}
