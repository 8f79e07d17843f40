package io.zerorename.formats;

import java.io.IOException;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** Writes, for each id that it reads, the record that the job's {@link Format} makes of it. */
final class IdMapperV2 extends Mapper<LongWritable, Text, Object, Object> {
  @Override
  protected void map(LongWritable offset, Text line, Context context)
      throws IOException, InterruptedException {
    Format format = FormatJob.formatOf(context.getConfiguration());
    long id = Long.parseLong(line.toString());
    context.write(format.key(id), format.value(id));
  }
}
